"""The race: what was on its way and when, slowed down until the eye can follow."""

import os
import textwrap

from .. import setting
from ..flights import REQUEST
from ..scale import scale
from ..words import counted, plain_duration
from . import style
from .canvas import STYLE, finished, plt, wrapped
from .film import Film, Scene, flat
from .lanes import LONGEST_NAME, draw_block, lanes_title, what

DPI, WIDTH, FILM_WIDTH = 100, 900, 720  # px
PER_SECOND, GIF_PER_SECOND = 12, 20  # pictures; a player's are not packed as tightly as a GIF's
LEFT, RIGHT = 84, 66  # px beside a track, for "client" and "Redis"
TOP, BLOCK, BOTTOM = 70, 112, 30
GHOSTS = 4  # where a request was since the last picture: the faster it goes, the longer its trail
MANY_TURNS, FIRST_TURNS, FIRST_PART = 25, 5, 0.4  # of more turns than that, the first few get two fifths of the film


class Race:
    """What `lab.race` found: `runs` by name, each with its requests and the seconds it took; and how to show it."""

    def __init__(self, runs, seconds=10):
        self.runs, self.seconds = runs, seconds

    @property
    def words(self):
        return lanes_title(self.runs)

    def still(self):
        """The last picture, as a Figure."""
        with plt.style.context(STYLE):
            stage = Stage(self.runs, DPI)
            stage.set(stage.longest)
        plt.close(stage.figure)
        return finished(stage.figure, self.words)

    def film(self, per_second=PER_SECOND):
        """The race as a Film."""
        with plt.style.context(STYLE):
            stage = Stage(self.runs, DPI * FILM_WIDTH / WIDTH)
            images = (stage.picture(*moment) for moment in self.moments(per_second))
            frames = flat(images, stage.colours)  # each as it comes: all of them in full colour are 80 MB
        plt.close(stage.figure)
        return Film(frames, per_second)

    def moments(self, per_second):
        """For each picture (moment, time since the last, times slowed down). Of many turns the first ones pass more slowly."""
        slowest = max(self.runs.values(), key=lambda run: run.seconds)
        parts = [(slowest.seconds, self.seconds)]
        if len(slowest.requests) > MANY_TURNS:
            first = slowest.requests[FIRST_TURNS].start
            parts = [(first, FIRST_PART * self.seconds), (slowest.seconds - first, (1 - FIRST_PART) * self.seconds)]
        now, found = 0.0, [(0.0, 0.0, parts[0][1] / parts[0][0])]
        for span, shown in parts:
            count = round(shown * per_second)
            found += [(now + span * place / count, span / count, shown / span) for place in range(1, count + 1)]
            now += span
        return [*found[:-1], (slowest.seconds, *found[-1][1:])]

    def save(self, path, per_second=GIF_PER_SECOND):
        """Writes a GIF. Returns its size in bytes."""
        data = self.film(per_second).gif()
        with open(path, "wb") as file:
            return file.write(data)

    def _repr_mimebundle_(self, include=None, exclude=None):
        from io import BytesIO

        out = BytesIO()
        self.still().savefig(out, format="png")
        shown = {"text/plain": repr(self), "image/png": out.getvalue()}
        if watched_by_someone():
            shown["text/html"] = self.film().player(self.words)
        return shown, {"image/png": {"alt": self.words}}

    def __repr__(self):
        return f"<race of {', '.join(self.runs)}>"


def watched_by_someone():
    """False in CI and where outputs are made to be committed: there a film would differ each time, and nobody sees it play."""
    return scale().progress and not os.environ.get("TQDM_DISABLE")


class Stage:
    """The picture of a race, in px: what stays is drawn once, what moves is drawn for each moment."""

    def __init__(self, runs, dpi):
        self.runs, self.longest = runs, max(run.seconds for run in runs.values())
        self.width, self.height = WIDTH, TOP + BLOCK * len(runs) + BOTTOM
        self.figure = plt.figure(figsize=(self.width / DPI, self.height / DPI), dpi=dpi, layout="none")
        self.axes = self.figure.add_axes([0, 0, 1, 1], zorder=2)
        self.axes.set(xlim=(0, self.width), ylim=(self.height, 0))
        self.axes.axis("off")
        self.axes.text(self.width - 12, self.height - 10, setting.line(), fontsize=8, color=style.QUIET, ha="right",
                       va="bottom")
        self.moving = []
        self.tracks = [Track(self, name, run, TOP + BLOCK * place) for place, (name, run) in enumerate(runs.items())]
        self.title = self.put(self.axes.text(14, 12, "", fontsize=13, fontweight="bold", color=style.INK, va="top"))
        self.scene = None

    @property
    def colours(self):
        """Every colour in the picture."""
        shared = (style.INK, style.WAITING_EDGE, style.WAITING, style.CLIENT, style.ROAD, style.HANDSHAKE, style.FAILED)
        return [*shared, *dict.fromkeys(track.color for track in self.tracks)]

    def put(self, artist):
        """An artist that is drawn for every picture anew."""
        self.moving.append(artist)
        return artist

    def x(self, seconds):
        """Where a moment lies on the bars, in px."""
        return LEFT + seconds / self.longest * (self.width - LEFT - RIGHT - 70)

    def set(self, now, since=0.0, slowed=1.0):
        """Moves everything to the moment `now`, in seconds; `since` is the time since the picture before."""
        done = now >= self.longest
        words = lanes_title(self.runs) if done else f"{what(self.runs) or 'The race'}, {slowed_down(slowed)}"
        self.title.set_text("\n".join(wrapped(words)))
        for track in self.tracks:
            track.set(now, since)

    def picture(self, now, since, slowed):
        """The picture at a moment, as a Pillow image."""
        self.set(now, since, slowed)
        self.scene = self.scene or Scene(self.figure, self.moving)
        return self.scene.picture()


def slowed_down(times):
    """'slowed down 120 times', by two figures; 'sped up' where the race takes longer than the film."""
    word, times = ("slowed down", times) if times >= 1 else ("sped up", 1 / times)
    return f"{word} {float(f'{times:.2g}'):,.0f} times"


class Track:
    """One way: its road between client and Redis, its counter and its clock, and the bar of the time it has taken."""

    def __init__(self, stage, name, run, top):
        self.stage, self.run, self.top = stage, run, top
        self.color, marker = style.way(name)
        self.total = sum(run.commands.values())
        self.road = top + 40
        axes, right = stage.axes, stage.width - RIGHT
        axes.plot([LEFT - 60], [top + 8], marker=marker, color=self.color, markersize=7)
        shown = textwrap.shorten(name, LONGEST_NAME, placeholder=" …")
        axes.text(LEFT - 48, top + 8, shown, fontweight="bold", color=style.INK, va="center")
        thick = 12 if len(run.connections) == 1 else 30
        axes.plot([LEFT, right], [self.road] * 2, color=style.ROAD, linewidth=thick * 72 / DPI, solid_capstyle="butt", zorder=1)
        axes.text(LEFT - 14, self.road, "client", ha="right", va="center", fontsize=10, color=style.QUIET)
        axes.text(right + 14, self.road, "Redis", ha="left", va="center", fontsize=10, color=style.QUIET)
        self.draw_bar(name)
        self.height = {number: 0 if len(run.connections) == 1 else (place / (len(run.connections) - 1) - 0.5) * 24
                       for place, number in enumerate(run.connections)}
        self.cover = stage.put(axes.add_patch(plt.Rectangle((0, top + 62), 0, 34, facecolor=style.PAPER, linewidth=0)))
        self.there = stage.put(axes.scatter([], [], zorder=3, linewidths=0))
        self.back = stage.put(axes.scatter([], [], zorder=3, linewidths=1.8, edgecolors=self.color))
        self.counter = stage.put(axes.text(right, top + 8, "", ha="right", va="center", fontsize=10, color=style.QUIET))
        self.clock = stage.put(axes.text(0, top + 79, "", va="center", fontweight="bold", color=style.INK))

    def draw_bar(self, name):
        stage = self.stage
        left, width, height = stage.x(0), stage.x(stage.longest) - stage.x(0), 26
        bar = stage.figure.add_axes([left / stage.width, 1 - (self.top + 66 + height) / stage.height, width / stage.width,
                                     height / stage.height], zorder=1)
        draw_block(bar, self.run, 0, height, 1, stage.longest, named=False)
        bar.set(xlim=(0, stage.longest), ylim=(height, 0))
        bar.axis("off")

    def set(self, now, since):
        now = min(now, self.run.seconds)
        done = now >= self.run.seconds
        arrived = sum(sum(flight.commands.values()) for flight in self.run.requests
                      if flight.kind == REQUEST and (flight.end <= now or done))
        self.counter.set_text(f"{arrived:,} of {counted(self.total, 'reply')}")
        end = self.stage.x(now)
        self.cover.set_x(end)
        self.cover.set_width(self.stage.width - end)
        self.clock.set_position((end + 8, self.top + 79))
        self.clock.set_text(plain_clock(now, self.run.seconds) + (" ✓" if done else ""))
        before = [] if done else [step / GHOSTS for step in range(GHOSTS)]
        dots = [dot for part in before for dot in self.dots(now - since * part, 1 - part)]
        paint(self.there, [dot for dot in dots if dot[0]], self.color, filled=True)
        paint(self.back, [dot for dot in dots if not dot[0]], self.color, filled=False)

    def dots(self, now, strength):
        """(on its way there, x, y, area, strength) of each request that was on its way at a moment."""
        length = self.stage.width - LEFT - RIGHT
        for flight in self.run.flights:
            if flight.start <= now < flight.end:
                part = (now - flight.start) / (flight.end - flight.start)
                there = part < 0.5
                x = LEFT + length * (2 * part if there else 2 - 2 * part)
                area = 80 if sum(flight.commands.values()) == 1 else 230
                yield there, x, self.road + self.height[flight.connection], area / (1 if len(self.height) == 1 else 3), strength


def paint(scatter, dots, color, filled):
    from matplotlib.colors import to_rgba

    scatter.set_offsets([(x, y) for _, x, y, _, _ in dots] or [(float("nan"), 0)])
    scatter.set_sizes([area for *_, area, _ in dots] or [1])
    strong = [to_rgba(color, strength**3) for *_, strength in dots] or [to_rgba(color)]
    scatter.set_facecolors(strong if filled else [to_rgba("white", alpha) for *_, alpha in strong])
    if not filled:
        scatter.set_edgecolors(strong)


def plain_clock(now, whole):
    """The time so far, in the unit and with the digits of the whole time, so that it does not jump about."""
    if now >= whole:
        return plain_duration(whole)
    unit, size = ("s", 1) if whole >= 1 else ("ms", 1e-3) if whole >= 1e-3 else ("µs", 1e-6)
    return f"{now / size:.{1 if whole / size < 1000 else 0}f} {unit}"
