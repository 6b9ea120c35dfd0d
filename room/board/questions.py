"""Read the chapters' questions and the exercises' names from the lab's notebooks and folders."""

import functools
import json
import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NAMED = re.compile(r"\[(\d\d) ([^]]+)\]\(notebooks/")  # a chapter, in the README's map
ASKED = re.compile(r'lab\.guess\("(\d\d\.[a-z_]+)", [^)]*?"([^"]+)"\)')


@dataclass(frozen=True)
class Question:
    """What a call of `lab.guess` asks: the `unit` of its answer, the `text` of the question."""

    unit: str
    text: str


@dataclass(frozen=True)
class Course:
    """What the board knows of the course: its chapters, questions and exercises.

    `chapters` is {"01": "Round trips"}, `questions` {name: Question}, `exercises` a set of names
    such as "03.1".
    """

    chapters: dict
    questions: dict
    exercises: set


@functools.cache
def course() -> Course:
    """Return the Course, read once from the README, the notebooks and the folders of exercises."""
    named = dict(NAMED.findall((ROOT / "README.md").read_text(encoding="utf-8")))
    chapters, questions = {}, {}
    for path in sorted((ROOT / "notebooks").glob("[0-9][0-9]_*.ipynb")):
        number, title = path.stem.split("_", 1)
        chapters[number] = named.get(number) or title.replace("_", " ").capitalize()
        above = ""
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            source = "".join(cell["source"])
            if cell["cell_type"] == "markdown":
                above = source
            else:
                for name, unit in ASKED.findall(source):
                    questions.setdefault(name, Question(unit, wording(above)))
    exercises = {path.parent.name for path in ROOT.glob("exercises/*/check.py")}
    return Course(chapters, questions, exercises)


def wording(markdown: str) -> str:
    """Return the question in a cell's Markdown, as plain text.

    That is the last paragraph after "**Guess.**", or of the whole cell if it has no such mark, up
    to the last question mark.
    """
    text = markdown.split("**Guess.**")[-1].strip().split("\n\n")[-1]
    text = text[: text.rfind("?") + 1] or text
    text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", text)  # a link's words
    return re.sub(r"[*`]", "", text).strip()
