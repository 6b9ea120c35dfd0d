"""Figures as SVG, for the reading edition: as wide as a page, and again for a phone, if legible.

A chapter's kernel loads this (LAB_FIGURE_CHECK) while tools/notebooks.py runs it: drawings come
with a picture, leave the notebook's outputs, and are stored in book/figures/NN_name/cell-NN.svg.
"""

import importlib.util
import io
import re
import shutil
from pathlib import Path

HERE = Path(__file__).resolve().parent
FIGURES, NARROW = HERE / "figures", "-narrow"
KIND = "image/svg+xml"
# Words are text; the same figure is the same file.
SETTINGS = {"svg.fonttype": "none", "svg.hashsalt": "the lab's"}
NOBODY = dict.fromkeys(("Date", "Creator", "Format", "Type"))
FONTS = "'DejaVu Sans',Verdana,sans-serif"  # the latter no wider: words keep their room
# On a dark page: its ground; what each part of a colour adds to its lightness; and colours that,
# turned, would be too much like others (a test computes it).
GROUND, GREY = 0.07, (0.213, 0.715, 0.072)
DARK = {
    "#0072B2": "#469EFF",
    "#2F6496": "#65A6D9",
    "#5580B2": "#6488AF",
    "#5B2A86": "#DFA5FF",
    "#7FA3CC": "#42668E",
    "#AE7AAC": "#967091",
    "#D11540": "#FF9EC4",
}
COLOR = re.compile(r"#[0-9a-fA-F]{6}\b")
LEFT_OUT = re.compile(
    r"<\?xml.*?\?>|<!DOCTYPE.*?>|<!--.*?-->|<metadata>.*?</metadata>"
    r'|(?<=<g) id="[^"]*"',
    re.DOTALL,
)
TAG, FRACTION = re.compile(r"<[^>]*>"), re.compile(r"-?\d+\.\d+")
FAMILY = re.compile(r"'DejaVu Sans'[^;\"]*sans-serif[^;\"]*")


def look_at(figure):
    """In a chapter's kernel: the figure is shown with its drawings beside it."""
    data, more = figure._repr_mimebundle_()
    drawn, refused = {"": as_svg(figure)}, []
    if hasattr(figure, "narrow"):
        narrow = figure.narrow()
        refused = list(rules().unreadable(narrow))
        if not refused:
            drawn[NARROW] = as_svg(narrow)
    both = data, more | {KIND: {"drawn": drawn, "refused": refused}}
    figure._repr_mimebundle_ = lambda include=None, exclude=None: both


def rules():
    """Return the tests' own module, of what a reader can read."""
    found = importlib.util.spec_from_file_location("legible", HERE.parent / "tests" / "legible.py")
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


def as_svg(figure):
    import matplotlib.pyplot as plt

    file = io.StringIO()
    with plt.rc_context(SETTINGS):
        figure.savefig(file, format="svg", metadata=NOBODY)
    return squeezed(file.getvalue())


def squeezed(text):
    """Return the same drawing in a fifth of its letters: tenths of a point, no comments."""
    text = FAMILY.sub(FONTS, LEFT_OUT.sub("", text))
    text = TAG.sub(lambda tag: FRACTION.sub(tenths, tag[0]), text)
    text = text.replace("</style>", "text{white-space:pre}</style>")
    return re.sub(r"\s*\n\s*", "\n", text).strip() + "\n"


def tenths(found):
    return f"{float(found[0]):.1f}".removesuffix(".0")


def in_the_dark(text):
    """Return a drawing for a dark page: light where it was dark."""
    # What is black has no colour in the file.
    text = text.replace("<svg ", '<svg fill="#000000" ', 1)
    return TAG.sub(lambda tag: COLOR.sub(lambda found: dark(found[0]), tag[0]), text)


def dark(color):
    """Turn a colour in lightness alone, as by `invert(.93) hue-rotate(180deg)`, or by DARK."""
    if color.upper() in DARK:
        return DARK[color.upper()]
    parts = (int(color[place : place + 2], 16) / 255 for place in (1, 3, 5))
    turned = [GROUND + (1 - 2 * GROUND) * (1 - part) for part in parts]
    grey = sum(share * part for share, part in zip(GREY, turned, strict=True))
    return "#" + "".join(f"{round(255 * min(1, max(0, 2 * grey - part))):02X}" for part in turned)


def taken(cell):
    """{file: text} of a cell's drawings, which its outputs lose, and [why one is wide only]."""
    found, refused = {}, []
    for output in cell.get("outputs", ()):
        if KIND in output.get("metadata", {}):
            drawings = output["metadata"].pop(KIND)
            found |= {f"{cell['id']}{kind}.svg": text for kind, text in drawings["drawn"].items()}
            why = drawings["refused"][:1]
            refused += [f"{cell['id']} is drawn wide only, {each}" for each in why]
    return found, refused


def keep(chapter, files):
    """Store a chapter's drawings in place of those it had."""
    shutil.rmtree(FIGURES / chapter, ignore_errors=True)
    for name, text in files.items():
        (FIGURES / chapter).mkdir(parents=True, exist_ok=True)
        (FIGURES / chapter / name).write_text(text, encoding="utf-8")


def kept(chapter):
    """{file: text} of a chapter's drawings."""
    files = (FIGURES / chapter).glob("*.svg")
    return {path.name: path.read_text(encoding="utf-8") for path in files}
