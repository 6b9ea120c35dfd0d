"""Figures that one can drag: an ES module and a style each, for notebooks and the book's pages."""

import re
from io import BytesIO
from pathlib import Path

FOLDER = Path(__file__).parent
SPARE = re.compile(r"(?<=[;:,{]) | (?=[{}])")  # of a style
ASIDE = re.compile(r"^ *//.*\n|^ +| +//.*$|^/\*.*\*/\n|^\n|(?<=[;,{(])\n", re.MULTILINE)
IMPORT = re.compile(r'import [^"]* from "\./(\w+\.js)";')


def sent(path: Path) -> str:
    """Return what a page gets of a module or a style: no comment, no space that it can spare."""
    spare = SPARE if path.suffix == ".css" else ASIDE
    return spare.sub("", ASIDE.sub("", path.read_text(encoding="utf-8")))


def parts(name: str) -> tuple[str, str]:
    """Return a figure's module, with what it imports in its place, and its style.

    A page takes no module from a file.
    """
    text = {path.name: sent(path) for path in FOLDER.glob("*.*s")}
    module = IMPORT.sub(lambda used: text[used[1]], text[f"{name}.js"])
    return module, text["parts.css"] + text[f"{name}.css"]


class Explorable:
    """A figure to drag; a plain picture where no script runs.

    `name` is its module's, `figure` the still one, `constants` what the module computes from; it
    needs no kernel once it is shown. A notebook keeps the constants beside the picture, and the
    book takes them from there.
    """

    def __init__(self, name: str, figure, constants: dict):
        self.name, self.figure, self.constants = name, figure, constants

    def widget(self):
        """Return the figure as a widget."""
        import anywidget
        import traitlets

        class Widget(anywidget.AnyWidget):
            _esm, _css = parts(self.name)
            constants = traitlets.Dict().tag(sync=True)

        return Widget(constants=self.constants)

    def _repr_mimebundle_(self, include=None, exclude=None):
        out = BytesIO()
        self.figure.savefig(out, format="png")
        alt = self.figure._repr_mimebundle_()[1]["image/png"]["alt"]
        shown = self.widget()._repr_mimebundle_()[0]
        shown |= {"text/plain": repr(self), "image/png": out.getvalue()}
        drag = {"name": self.name, "constants": self.constants}
        return shown, {"image/png": {"alt": alt, "drag": drag}}

    def __repr__(self):
        return f"<{self.name}, to drag>"
