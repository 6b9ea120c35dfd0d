"""Figures that readers can drag, in notebooks and the book, each drawn by a JavaScript module."""

import re
from io import BytesIO
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
SPARE = re.compile(r"(?<=[;:,{]) | (?=[{}])")  # of a style
ASIDE = re.compile(r"^ *//.*\n|^ +| +//.*$|^/\*.*\*/\n|^\n|(?<=[;,{(])\n", re.MULTILINE)
IMPORT = re.compile(r'import [^"]* from "\./(\w+\.js)";')


def sent(path: Path) -> str:
    """Return the text of a JavaScript or CSS file without comments and needless space.

    `path` is the file's Path.
    """
    spare = SPARE if path.suffix == ".css" else ASIDE
    return spare.sub("", ASIDE.sub("", path.read_text(encoding="utf-8")))


def parts(name: str) -> tuple[str, str]:
    """Return (JavaScript, CSS) of the figure `name`, such as "race", which readers can drag.

    The JavaScript contains the modules that it imports, since a page cannot load them from files.
    """
    text = {path.name: sent(path) for path in FOLDER.glob("*.*s")}
    module = IMPORT.sub(lambda used: text[used[1]], text[f"{name}.js"])
    return module, text["parts.css"] + text[f"{name}.css"]


class Explorable:
    """A figure that readers can drag, with a plain picture for pages in which no script runs.

    `name` is that of the JavaScript module, `figure` the plain picture, a matplotlib Figure, and
    `constants` the data from which the module computes, a dict for JSON. Once shown, the figure
    needs no Jupyter kernel. A notebook stores the constants beside the picture, and the book reads
    them there.
    """

    def __init__(self, name: str, figure: Any, constants: dict) -> None:
        self.name, self.figure, self.constants = name, figure, constants

    def widget(self) -> Any:
        """Return the figure as an anywidget.AnyWidget, which Jupyter shows and readers can drag."""
        import anywidget
        import traitlets

        class Widget(anywidget.AnyWidget):
            _esm, _css = parts(self.name)
            constants = traitlets.Dict().tag(sync=True)

        return Widget(constants=self.constants)

    def _repr_mimebundle_(
        self, include: object = None, exclude: object = None
    ) -> tuple[dict, dict]:
        out = BytesIO()
        self.figure.savefig(out, format="png")
        alt = self.figure._repr_mimebundle_()[1]["image/png"]["alt"]
        shown = self.widget()._repr_mimebundle_()[0]
        shown |= {"text/plain": repr(self), "image/png": out.getvalue()}
        return shown, {
            "image/png": {"alt": alt, "drag": {"name": self.name, "constants": self.constants}}
        }

    def __repr__(self) -> str:
        return f"<{self.name}, to drag>"
