"""What the chapters ask: their questions, as the notebooks put them, and their exercises."""

import functools
import json
import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NAMED = re.compile(r"\[(\d\d) ([^]]+)\]\(notebooks/")  # a chapter, in the README's map
ASKED = re.compile(r'lab\.guess\("(\d\d\.[a-z_]+)", [^)]*?"([^"]+)"\)')
CHECKED = re.compile(r'lab\.check\("(\d\d\.\d+)"')
# To who sits at the notebook.
INSTRUCTION = re.compile(r"(?:Replace the three dots|Put a number in place).*", re.DOTALL)


@dataclass(frozen=True)
class Question:
    """One `lab.guess`: its name, such as "01.cart", its unit, and the words above its cell."""

    name: str
    unit: str
    text: str

    @property
    def chapter(self):
        return self.name[:2]


@dataclass(frozen=True)
class Course:
    """`chapters` are {"01": "Round trips"}, `questions` {name: Question}, `exercises` names."""

    chapters: dict
    questions: dict
    exercises: tuple


@functools.cache
def course():
    """Return the Course as the lab's notebooks have it."""
    named = dict(NAMED.findall((ROOT / "README.md").read_text(encoding="utf-8")))
    chapters, questions, exercises = {}, {}, []
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
                    questions.setdefault(name, Question(name, unit, wording(above)))
                exercises += [name for name in CHECKED.findall(source) if name not in exercises]
    return Course(chapters, questions, tuple(exercises))


def wording(markdown):
    """Return in plain words what follows "Guess.", or the last paragraph, up to its last "?"."""
    text = markdown.split("**Guess.**")[-1].strip().split("\n\n")[-1]
    text = INSTRUCTION.sub("", text)
    text = text[: text.rfind("?") + 1] or text
    text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", text)  # a link's words
    return re.sub(r"[*`]", "", text).strip()
