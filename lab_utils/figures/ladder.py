"""Draw the ladder (sequence) diagram: client and server as verticals, messages at real times.

A turn is one request or several, then their replies. Pale is waiting: the client waits for a reply,
or the server waits until TCP's window lets it send more of a reply. Green is the server's work. All
ladders of a figure share one scale of time.
"""

import itertools
from collections.abc import Iterator

from ..arguments import check_number
from ..errors import LabError
from ..words import counted, milliseconds, plain_duration
from . import style
from .canvas import SMALL, WIDTH, Result, caption, plt, styled
from .labels import write

HEIGHT = 5.2
BUNDLE = 1 / 25  # of the height: the words of messages that leave closer together would overlap
SIDES = -0.4, 1.3  # of the client, at 0, and of the server, at 1: where words stand
BAND = 9  # points
LATE = 1 / 30  # of the height: a reply was read late if it waited at the client for longer


def plot_ladder(
    capture: Result, turns: int = 6, title: str | None = None, gap: str | None = None
) -> plt.Figure:
    """Draw the messages of a Capture's first `turns` turns as arrows between client and server.

    The Capture is what `lab.capture` returned. A turn is one request or several, then their
    replies. `title` replaces the usual title. `gap` is a few words to write beside the server's
    line between a reply and the next request, where the line is coloured then; None leaves both
    out. Returns the Figure. Raises LabError for an empty Capture, and if `turns` is no whole number
    of 1 or more.
    """
    if not capture.messages:
        raise LabError(
            "Nothing crossed the link in this capture, so there is no ladder. Let the "
            "function use its client."
        )
    all_turns = by_turn(capture.messages)
    left = len(all_turns) - check_number(turns, "turns", 1, whole=True)
    below = f"… and {left:,} more turns like these" if left > 0 else ""
    told = (
        f"{in_all(capture)}; {counted(len(capture.requests), 'message')} there, "
        f"{len(capture.replies):,} back"
    )
    drawn = [message for turn in all_turns[:turns] for part in turn for message in part]
    whole = in_all(capture)[0].upper() + in_all(capture)[1:]
    return draw_ladders([(drawn, capture.rtt_ms, below)], title or whole, told, gap)


@styled
def draw_ladders(
    ladders: list[tuple[list, float, str]], title: str, told: str, gap: str | None = None
) -> plt.Figure:
    """Draw several captures side by side, each as `draw_ladder` does; return the figure.

    `ladders` is [([Message], RTT in ms, words below)], with the Messages of `lab.capture`. `title`
    is the figure's title, `told` the sentence for its alt text. `gap` is a few words to write
    beside the server's line between a reply and the next request; None for no words.
    """
    end = 1000 * max(
        max(each.at_client, each.at_server) for messages, *_ in ladders for each in messages
    )
    figure, [panels] = plt.subplots(
        1, len(ladders), sharey=True, squeeze=False, figsize=(WIDTH, HEIGHT)
    )
    for axes, (messages, rtt_ms, below) in zip(panels, ladders, strict=True):
        draw_ladder(axes, messages, end, rtt_ms, gap)
        axes.set_xlabel(below)
    panels[0].set_ylabel("milliseconds since the first request left")
    return caption(figure, title, told, sorted({rtt_ms for _, rtt_ms, _ in ladders}))


def draw_ladder(
    axes: plt.Axes, messages: list, end: float, rtt_ms: float, gap: str | None = None
) -> None:
    """Draw client and server as two vertical lines, and each message as an arrow between them.

    The time goes down, from 0 to `end` milliseconds. `messages` are Messages of `lab.capture`,
    `rtt_ms` is their distance in ms. `gap` is a few words to write beside the server's line between
    a reply and the next request, where the line is coloured then; None leaves both out.
    """
    axes.grid(False)
    for place, name in ((0, "client"), (1, "server")):
        axes.plot(
            [place, place], [-0.02 * end, end * 1.04], color=style.RULE, linewidth=1.4, zorder=1
        )
        axes.text(place, -0.04 * end, name, ha="center", va="bottom", fontweight="bold")
    turns = list(waits(messages))
    for sent, heard, arrived, written, left in turns:
        for place, start, stop in ((0, sent, heard), (1, written, left)):
            band(axes, place, start, stop, style.WAITING_EDGE, BAND)
            band(axes, place, start, stop, style.WAITING, BAND - 1.5)
        band(axes, 1, arrived, written, style.SERVER, BAND)
    if gap:
        for (*_, left), (_, _, arrived, _, _) in itertools.pairwise(turns):
            band(axes, 1, left, arrived, style.EDGES[style.RISK], BAND)
            band(axes, 1, left, arrived, style.RISK, BAND - 1.5)
            write(axes, gap, (1, 500 * (left + arrived)), (9, 0), fontsize=SMALL)
    for bundle in bundles(messages, end / 1000):
        draw_bundle(axes, bundle, rtt_ms / 2000, end * LATE / 1000)
    axes.set(xlim=SIDES, ylim=(end * 1.04, -0.1 * end), xticks=[])
    axes.tick_params(axis="y", length=0)
    axes.spines[["bottom", "left"]].set_visible(False)


def band(axes: plt.Axes, place: float, start: float, stop: float, color: str, width: float) -> None:
    axes.plot(
        [place, place],
        [start * 1000, stop * 1000],
        color=color,
        linewidth=width,
        solid_capstyle="butt",
        zorder=1.5,
    )


def waits(messages: list) -> Iterator[tuple[float, float, float, float, float]]:
    """Yield (sent, heard, arrived, written, left) for each turn of `messages` that has replies.

    A turn is one request or several, then their replies; `messages` are Messages. All five are
    times in seconds after the first message left. At the client: `sent` is when the first request
    left, `heard` when the last reply was read. At the server: `arrived` is when the first request
    came in, `written` when the last reply was written, `left` when the last part of that reply
    left. From `written` to `left` TCP's window delayed the reply.
    """
    for requests, replies in by_turn(messages):
        if replies:
            first = requests[0]
            last = replies[-1]
            arrived = first.at_server
            written = last.at_server if last.written is None else last.written
            yield (
                first.at_client,
                last.at_client,
                arrived,
                max(arrived, written),
                max(arrived, last.at_server),
            )


def bundles(messages: list, span_s: float) -> list[list]:
    """Group messages that would overlap in a ladder diagram; return a list of lists of Messages.

    The messages of a group go in one direction and follow each other closely. A message without a
    close neighbour is a list of one. `span_s` is the time that the figure shows, in seconds.
    """
    found = []
    for message in messages:
        last = found[-1][-1] if found else None
        near_s = span_s * BUNDLE
        if last and last.way == message.way and message.left() - last.left() < near_s:
            found[-1].append(message)
        else:
            found.append([message])
    return found


def draw_bundle(axes: plt.Axes, bundle: list, way_s: float, late_s: float) -> None:
    """Draw a bundle, a list of Messages that overlap, as arrows: requests solid, replies dashed.

    Words stand at the start of the arrow. A reply reaches the client `way_s` seconds after it left.
    If redis-py read it more than `late_s` seconds after that, the arrow ends where the reply
    arrived, and the time until it was read is drawn as the client's work.
    """
    request = bundle[0].way == "request"
    alone = len(bundle) == 1
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


def by_turn(messages: list) -> list[tuple[list, list]]:
    """Return a pair ([requests], [replies]) for each turn of `messages`, the Messages of a Capture.

    A turn is one request or several, then their replies; a request after a reply begins the next.
    """
    turns = []
    for way, group in itertools.groupby(messages, key=lambda message: message.way):
        if way == "request":
            turns.append((list(group), []))
        elif turns:
            turns[-1][1].extend(group)
    return turns


def took(capture: Result) -> float:
    return max(message.at_client for message in capture.messages)


def in_all(capture: Result) -> str:
    turns = len(by_turn(capture.messages))
    word = "one wait" if turns == 1 else f"{turns:,} waits"
    return f"{word}, {plain_duration(took(capture))} in all at RTT {milliseconds(capture.rtt_ms)}"
