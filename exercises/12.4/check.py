"""Check exercise 12.4: show a thread of comments in three round trips."""

import secrets

from lab_utils.course.checking import counted, exercise_client, lines_within

COMMENTS = 24
MANY = 150
THREAD_TRIPS = 3


def check(answer) -> str:
    with exercise_client(decode_responses=True) as client:
        for number in (COMMENTS, MANY, 1, 0):
            post, expected = fill_thread(client, number)
            call = f"a thread of {counted(number, 'comment')}"
            lines_within(
                THREAD_TRIPS,
                answer,
                (client, post),
                expected,
                call,
                "A deleted comment has no fields, and a banned author's are left out. The "
                "others keep their order.",
                "`banned` is the text '0' or '1', and in Python the text '0' is true: "
                "compare it with '1'.",
            )
    return f"{COMMENTS} comments by authors of whom some are banned, in {THREAD_TRIPS} round trips"


def fill_thread(client, number: int) -> tuple[str, list[str]]:
    """Write a new thread of `number` comments; return (the post's id, lines).

    The lines are the list that the learner's `thread` must return for that post. Some comments are
    deleted and some authors banned: these have no line. `client` is a redis.Redis.
    """
    post, lines = secrets.token_hex(4), []
    authors = [secrets.token_hex(4) for _ in range(6)]
    for place, author in enumerate(authors):
        client.hset(
            f"exercise:author:{author}",
            mapping={"name": f"player {author}", "banned": int(place % 3 == 1)},
        )
    for place in range(number):
        comment, author = secrets.token_hex(4), place % len(authors)
        client.rpush(f"exercise:thread:{post}", comment)
        if place % 5 == 4:
            continue
        text = f"words {secrets.token_hex(4)}"
        client.hset(
            f"exercise:comment:{comment}", mapping={"author": authors[author], "text": text}
        )
        if author % 3 != 1:
            lines.append(f"player {authors[author]}: {text}")
    return post, lines
