"""Figures that one can drag: an ES module and a style each, for a notebook's widget and for the book's page."""

import re
from pathlib import Path

FOLDER = Path(__file__).parent
IMPORT = re.compile(r'^import .* from "\./(\w+\.js)";$', re.MULTILINE)


def parts(name: str) -> tuple[str, str]:
    """Return a figure's module, what it imports in its place (a page takes no module from a file), and its style."""
    text = {path.name: path.read_text(encoding="utf-8") for path in FOLDER.glob("*.*s")}
    return IMPORT.sub(lambda used: text[used[1]], text[f"{name}.js"]), text["parts.css"] + text[f"{name}.css"]


def widget(name: str, constants: dict):
    """Return the figure as a widget, which needs no kernel once it is shown. `constants` is what it computes from."""
    import anywidget
    import traitlets

    class Explorable(anywidget.AnyWidget):
        _esm, _css = parts(name)
        constants = traitlets.Dict().tag(sync=True)

    return Explorable(constants=constants)
