"""A script whose text is sent with each call.

    r.eval(TEXT, 1, key)                        # all of it, each time

    script = r.register_script(TEXT)            # once
    script(keys=[key])                          # EVALSHA: 40 bytes

It saves the bytes of the text, and no round trip. redis-py sends the text again where the server
doesn't know it any more.
"""

from ..words import size
from .finding import Finding, Found
from .work import Work

FEWEST, SHORT = 3, 110  # bytes of an EVAL: a text shorter than its 40-digit name saves nothing


def find(work: Work) -> Found:
    """Yield call sites that sent one text three times or more, alone or in pipelines."""
    for several in work.repeated(lambda command: command.name == "EVAL"):
        texts = {each.detail for trip in several for each in trip.commands if each.name == "EVAL"}
        number = sum(trip.names.get("EVAL", 0) for trip in several)
        total = sum(trip.bytes_sent for trip in several)
        if len(texts) * FEWEST <= number and total > SHORT * number:
            has_key = any(each.key for each in several[0].commands if each.name == "EVAL")
            given = "keys=[key], args=args" if has_key else "args=args"
            instead = (
                "script = r.register_script(TEXT)  # once\n"
                f"reply = {work.client(several[0]).wait}script({given})"
            )
            shows = f"EVAL, {number:,} times, {size(total)} in all"
            yield Finding("script's text", "the same script's text is sent again", shows, 0,
                          several[0].site, instead)  # fmt: skip
