"""Make a client that does without hiredis."""

import redis

from lab_utils.course.checking import Refused, borrowed, exercise_client, shown


def check(answer):
    for decode in (True, False):
        with exercise_client(decode_responses=decode, client_name="exercise") as client:
            made = answer(client)
            if not isinstance(made, redis.Redis):
                raise Refused(f"a redis.Redis was expected, not {shown(made)}")
            if made.connection_pool is client.connection_pool:
                raise Refused("this is the very client that was passed in: make one of its own")
            with made:
                compare_options(client, made)
                compare_connections(client, made)
    return "redis-py's own parser and its own packer, all else as in r"


def compare_options(client, made):
    like, new = (options_of(each) for each in (client, made))
    for name in sorted(like.keys() | new.keys()):
        if like.get(name) != new.get(name):
            raise Refused(
                f"all else should stay as in r, but {name} is {new.get(name)!r} instead "
                f"of {like.get(name)!r}",
                "like(r, …) takes everything over from r. Pass it what concerns hiredis, "
                "and nothing else.",
            )


def options_of(client):
    """Return the options of a client's connections that can be compared."""
    options = client.connection_pool.connection_kwargs
    plain = {
        name: value
        for name, value in options.items()
        if isinstance(value, (str, int, float, bool)) and name not in ("password", "protocol")
    }
    retry = client.get_retry()
    return plain | {"retry": (retry.get_retries(), type(retry._backoff).__name__)}


def compare_connections(client, made):
    like = borrowed(client)
    try:
        new = borrowed(made)
    except redis.ResponseError:  # its text repeats what was sent, the password too
        raise Refused(
            "its connections can't log in: the server does not understand what their packer writes",
            "PythonRespSerializer(6_000, r.get_encoder().encode) packs as r does.",
        ) from None
    except (TypeError, AttributeError) as error:
        raise Refused(
            "its connections can't be opened with the parser or packer that you passed: "
            f"{type(error).__name__}: {error}",
            "parser_class takes the class itself, _RESP3Parser; command_packer takes a "
            "packer that is made already.",
        ) from None
    parser, packer = type(new._parser).__name__, type(new._command_packer).__name__
    if "hiredis" in parser.lower():
        raise Refused(f"its connections still read with {parser}", "parser_class=_RESP3Parser")
    if "hiredis" in packer.lower():
        raise Refused(
            f"it reads with {parser}, but still packs with {packer}",
            "command_packer=PythonRespSerializer(6_000, r.get_encoder().encode)",
        )
    if str(like.protocol) != str(new.protocol):
        raise Refused(
            f"no hiredis, but another protocol: {new.protocol!r} instead of {like.protocol!r}"
        )
    client.set("exercise:text", "naïve")
    if made.get("exercise:text") != client.get("exercise:text"):
        raise Refused(
            f"no hiredis, but it replies {made.get('exercise:text')!r} where r replies "
            f"{client.get('exercise:text')!r}"
        )
    made.set("exercise:text", "café")
    if client.get("exercise:text") not in ("café", "café".encode()):
        raise Refused("no hiredis, but what it writes r does not read")
