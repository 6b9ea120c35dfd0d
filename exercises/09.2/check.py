"""Check exercise 09.2: make a client that does not use the hiredis parser."""

import redis

from lab_utils.course.checking import Refused, borrowed, exercise_client, of_kind, text


def check(answer) -> str:
    for decode in (True, False):
        with exercise_client(decode_responses=decode, client_name="exercise") as client:
            made = of_kind(redis.Redis, answer(client), "without_hiredis", "a redis.Redis")
            with made:
                compare_options(client, made)
                compare_connections(client, made)
    return "redis-py's own parser and its own packer, all else as in r"


def compare_options(client: redis.Redis, made) -> None:
    like, new = (options_of(each) for each in (client, made))
    for name in sorted(like.keys() | new.keys()):
        if like.get(name) != new.get(name):
            raise Refused(
                f"all else should stay as in r, but {name} is {new.get(name)!r} instead "
                f"of {like.get(name)!r}",
                "like(r, …) takes everything over from r. Pass it what concerns hiredis, "
                "and nothing else.",
            )


def options_of(client: redis.Redis) -> dict:
    """Return {name: value} of a client's connection options that are texts, numbers or bools.

    "retry" is also in the dict: (number of retries, name of the backoff's class). Password and
    protocol are left out.
    """
    options = client.connection_pool.connection_kwargs
    plain = {
        name: value
        for name, value in options.items()
        if isinstance(value, (str, int, float, bool)) and name not in ("password", "protocol")
    }
    retry = client.get_retry()
    return plain | {"retry": (retry.get_retries(), type(retry._backoff).__name__)}


def compare_connections(client: redis.Redis, made) -> None:
    try:
        new = borrowed(made)
    except Exception as error:  # its text may repeat what was sent, the password too
        raise Refused(
            "its connections can't be opened with the parser or packer that you passed: "
            f"{type(error).__name__}",
            "parser_class takes the class itself, _RESP3Parser; command_packer takes a packer that "
            "is made already: PythonRespSerializer(6_000, r.get_encoder().encode).",
        ) from None
    for part in (new._parser, new._command_packer):
        if "hiredis" in type(part).__name__.lower():
            raise Refused(
                f"its connections still use {type(part).__name__}",
                "parser_class=_RESP3Parser, and "
                "command_packer=PythonRespSerializer(6_000, r.get_encoder().encode)",
            )
    made.set("exercise:text", "café")
    said, expected = made.get("exercise:text"), client.get("exercise:text")
    if said != expected or text(said) != "café":
        raise Refused(
            f"no hiredis, but r reads {expected!r} where it wrote 'café', and it reads {said!r}"
        )
