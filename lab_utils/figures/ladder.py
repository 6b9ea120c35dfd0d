"""The ladder (sequence) diagram: client and server as verticals, messages at their real times.

Pale on the client's side is waiting, green on the server's is work; all share one scale of time.
"""

import itertools

from ..arguments import check_number
from ..errors import LabError
from ..words import counted, milliseconds, plain_duration
from . import style
from .canvas import SMALL, abreast, caption, sized, styled
from .labels import write

HEIGHT = 5.2
BUNDLE = 1 / 200  # of the height: messages that leave closer together would cover each other
SIDES, NARROW_SIDES = (-0.4, 1.3), (-0.7, 1.7)  # where words stand
BAND = 9  # points
LATE = 1 / 30  # of the height: a reply that lay so long at the client before it was read


def plot_ladder(capture, turns=6, title=None, gap=None):
    """Draw a ladder of the first `turns` turns; one ends where a request follows a reply.

    `gap`, a few words, marks the server's line from each reply to the next request.
    """
    if not capture.messages:
        raise LabError(
            "Nothing crossed the link in this capture, so there is no ladder. Let the "
            "function use its client."
        )
    all_turns = by_turn(capture.messages)
    left = len(all_turns) - check_number(turns, "turns", 1, whole=True)
    below = f"… and {left:,} more turns like these" if left > 0 else ""
    told = f"{in_all(capture)}; {counted(len(capture.requests), 'message')} there"
    told += f", {len(capture.replies):,} back"
    drawn = [message for turn in all_turns[:turns] for part in turn for message in part]
    return draw_ladders([(drawn, capture.rtt_ms, below)], title or in_all(capture), told, gap)


@styled
def draw_ladders(ladders, title, told, gap=None):
    """Draw each (messages, RTT in ms, words below) beside the others."""
    end = 1000 * max(
        max(each.at_client, each.at_server) for messages, *_ in ladders for each in messages
    )
    figure, panels = abreast(len(ladders), 0, HEIGHT)
    for axes, (messages, rtt_ms, below) in zip(panels, ladders, strict=True):
        draw_ladder(axes, messages, end, rtt_ms, gap)
        axes.set_xlabel(below)
    panels[0].set_ylabel("milliseconds since the first request left")
    return caption(figure, title, told, sorted({rtt_ms for _, rtt_ms, _ in ladders}))


def draw_ladder(axes, messages, end, rtt_ms, gap=None):
    """Draw client and server as verticals from 0 down to `end` milliseconds, and all messages."""
    axes.grid(False)
    for place, name in ((0, "client"), (1, "server")):
        axes.plot(
            [place, place], [-0.02 * end, end * 1.04], color=style.RULE, linewidth=1.4, zorder=1
        )
        axes.text(place, -0.04 * end, name, ha="center", va="bottom", fontweight="bold")
    turns = list(waits(messages))
    for sent, heard, arrived, left in turns:
        band(axes, 0, sent, heard, style.WAITING_EDGE, BAND)
        band(axes, 0, sent, heard, style.WAITING, BAND - 1.5)
        band(axes, 1, arrived, left, style.SERVER, BAND)
    if gap:
        for (*_, left), (_, _, arrived, _) in itertools.pairwise(turns):
            band(axes, 1, left, arrived, style.RISK, BAND)
            write(axes, gap, (1, 500 * (left + arrived)), (9, 0), fontsize=SMALL)
    for bundle in bundles(messages, end / 1000):
        draw_bundle(axes, bundle, rtt_ms / 2000, end * LATE / 1000)
    axes.set(xlim=sized(SIDES, NARROW_SIDES), ylim=(end * 1.04, -0.1 * end), xticks=[])
    axes.tick_params(axis="y", length=0)
    axes.spines[["bottom", "left"]].set_visible(False)


def band(axes, place, start, stop, color, width):
    axes.plot(
        [place, place],
        [start * 1000, stop * 1000],
        color=color,
        linewidth=width,
        solid_capstyle="butt",
        zorder=1.5,
    )


def waits(messages):
    """Yield (sent, heard at the client, arrived, left at the server) of each turn, in seconds."""
    for requests, replies in by_turn(messages):
        if replies:
            first, last = requests[0], replies[-1]
            left = max(first.at_server, last.at_server)
            yield first.at_client, last.at_client, first.at_server, left


def bundles(messages, span_s):
    """Return lists of messages of one direction whose arrows would cover each other."""
    found = []
    for message in messages:
        last = found[-1][-1] if found else None
        near = last and message.at_client - last.at_client < span_s * BUNDLE
        if near and last.way == message.way:
            found[-1].append(message)
        else:
            found.append([message])
    return found


def draw_bundle(axes, bundle, way_s, late_s):
    """Draw arrows, solid for requests and dashed for replies, with their words where they leave.

    A reply that lay at the client before redis-py read it arrives where the way of `way_s` seconds
    ends; from there on the client was at work.
    """
    request, alone = bundle[0].way == "request", len(bundle) == 1
    arrow = {
        "arrowstyle": "-|>",
        "color": style.MESSAGE,
        "shrinkA": 4,
        "shrinkB": 4,
        "linewidth": 1.6 if alone else 0.8,
        "linestyle": "-" if request else "--",
    }
    for each in bundle:
        at_client = each.at_client
        if not request and way_s and at_client - each.at_server - way_s > late_s:
            band(axes, 0, each.at_server + way_s, at_client, style.CLIENT, BAND - 1.5)
            at_client = each.at_server + way_s
        ends = [(0, at_client * 1000), (1, each.at_server * 1000)]
        start, stop = ends if request else ends[::-1]
        axes.annotate("", stop, start, zorder=2, arrowprops=arrow)
    text = bundle[0].text if alone else f"{len(bundle)} {'writes' if request else 'pieces'}"
    place = (0, bundle[0].at_client * 1000) if request else (1, bundle[0].at_server * 1000)
    write(axes, text, place, (-9 if request else 9, 0), fontsize=SMALL)


def by_turn(messages):
    """Return (requests, replies) of each turn, which ends where a request follows a reply."""
    turns = []
    for way, group in itertools.groupby(messages, key=lambda message: message.way):
        if way == "request":
            turns.append((list(group), []))
        elif turns:
            turns[-1][1].extend(group)
    return turns


def took(capture):
    """Return the seconds from the first request's start to the last reply's arrival."""
    return max(message.at_client for message in capture.messages)


def in_all(capture):
    turns = len(by_turn(capture.messages))
    word = "one wait" if turns == 1 else f"{turns:,} waits"
    return f"{word}, {plain_duration(took(capture))} in all at RTT {milliseconds(capture.rtt_ms)}"
