"""A film: pictures in a row, as a GIF for a page that runs no scripts, or as a player with a button and a slider."""

import base64
import html
import io
import json
import re
from dataclasses import dataclass
from pathlib import Path

STEPS = 6  # between a colour and white, for soft edges
ALMOST_WHITE = 225  # paler shades would take pixels from white


@dataclass(frozen=True)
class Film:
    """`frames` are Pillow images of one size, shown `per_second` a second; the last one stays for `hold_s` seconds."""

    frames: list
    per_second: int
    hold_s: float = 2.0

    def gif(self):
        """The bytes of an endless GIF."""
        out = io.BytesIO()
        pause = round(1000 / self.per_second / 10) * 10  # a GIF counts in hundredths of a second
        pauses = [pause] * (len(self.frames) - 1) + [round(self.hold_s * 1000)]
        self.frames[0].save(out, "GIF", save_all=True, append_images=self.frames[1:], duration=pauses, loop=0, optimize=False)
        return out.getvalue()

    def player(self, words):
        """A piece of HTML that plays once, with a button, a slider, and `words` for those who cannot see it. No network."""
        pictures = [picture_url(frame) for frame in self.frames]
        filled = {"PICTURES": json.dumps(pictures), "PAUSE": str(round(1000 / self.per_second)), "LAST": str(len(pictures) - 1),
                  "WORDS": html.escape(words, quote=True), "FIRST": pictures[0], "WIDTH": str(self.frames[0].width)}
        # all at once: one of these words may stand in what takes another's place, in a picture's base64 for instance
        return re.sub("|".join(filled), lambda found: filled[found[0]], PLAYER)


class Scene:
    """A figure of which some artists move: the rest is drawn once. `picture()` draws them where they now are."""

    def __init__(self, figure, moving):
        from matplotlib.backends.backend_agg import FigureCanvasAgg

        self.canvas, self.moving = FigureCanvasAgg(figure), moving
        for artist in moving:
            artist.set_animated(True)
        self.canvas.draw()
        self.background = self.canvas.copy_from_bbox(figure.bbox)

    def picture(self):
        """A Pillow image."""
        from PIL import Image

        canvas = self.canvas
        canvas.restore_region(self.background)
        for artist in self.moving:
            artist.axes.draw_artist(artist)
        return Image.frombuffer("RGBA", canvas.get_width_height(), canvas.buffer_rgba()).convert("RGB")


def flat(images, colours):
    """Pillow images with one palette for all: each of the colours ("#E69F00"), and its steps towards white."""
    from PIL import Image, ImageColor

    shades = [ImageColor.getrgb(colour) for colour in colours]
    paler = [tuple(round(255 + (part - 255) * step / STEPS) for part in shade) for shade in shades for step in range(1, STEPS)]
    shades += [shade for shade in paler if min(shade) < ALMOST_WHITE]
    palette = Image.new("P", (1, 1))
    palette.putpalette([part for shade in [(255, 255, 255), *shades[:255]] for part in shade])
    return [image.quantize(palette=palette, dither=0) for image in images]


def png(image, **options):
    out = io.BytesIO()
    image.save(out, "PNG", **options)
    return out.getvalue()


def picture_url(image):
    return "data:image/png;base64," + base64.b64encode(png(image, optimize=True)).decode()


# The script finds its own player as the element before it, so that two players on a page are two.
PLAYER = Path(__file__).with_suffix(".html").read_text(encoding="utf-8").strip()
