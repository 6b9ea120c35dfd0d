"""What a chapter's kernel runs before its first cell: its figures are looked at, once drawn.

The tests' conftest leaves it to IPython, as a startup file. It takes nothing from the chapter's
cells and adds no name to theirs; the rules, and Matplotlib, are loaded for the first figure.
"""

import os
import sys
from pathlib import Path

from lab_utils.figures.canvas import when_finished

NOTED = Path(os.environ["IPYTHONDIR"]) / "figures"


def look_at(figure):
    from legible import note

    note(figure, os.environ["LAB_CHAPTER"], NOTED)


if "LAB_CHAPTER" in os.environ:
    sys.path.append(str(Path(__file__).parent))
    when_finished(look_at)
