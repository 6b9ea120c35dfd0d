"""Figures that one can drag: an ES module and a style each, for a notebook's widget and for the book's page."""

import re
from pathlib import Path

FOLDER = Path(__file__).parent
IMPORT = re.compile(r'^import .* from "\./(\w+\.js)";$', re.MULTILINE)


def module(name: str) -> str:
    """Return the text of a figure's module with those that it imports in their places: a page takes none from a file."""
    return IMPORT.sub(lambda used: text(used[1]), text(f"{name}.js"))


def style(name: str) -> str:
    """Return the figure's CSS, after what the figures share."""
    return text("parts.css") + text(f"{name}.css")


def text(file):
    return (FOLDER / file).read_text(encoding="utf-8")


def widget(name: str, constants: dict):
    """Return the figure as a widget, which needs no kernel once it is shown. `constants` is what it computes from."""
    import anywidget
    import traitlets

    class Explorable(anywidget.AnyWidget):
        _esm, _css = module(name), style(name)
        constants = traitlets.Dict().tag(sync=True)

    return Explorable(constants=constants)
