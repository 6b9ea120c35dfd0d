"""The exercises that the page to try offers: their answers, and whether a verdict is the lab's."""

import json
import sys

from helpers import ROOT
from test_exercise_folders import ACCEPTED, MARK

from lab_utils.course.exercises import FOLDER

sys.path.insert(0, str(ROOT / "book"))

import try_page  # noqa: F401
from exercises_to_try import NEEDS, offered  # noqa: F401


def answers(only=""):
    """Return {path: source} of all answers to what is offered, below the imports of its box.

    `only` is how an exercise's name begins, such as "03".
    """
    return {
        str(path.relative_to(FOLDER)): told["imports"] + path.read_text(encoding="utf-8")
        for name, told in offered().items()
        if name.startswith(only)
        for path in sorted((FOLDER / name).glob("**/*.py"))
        if path.name != "check.py"
    }


def write_answers(folder, only=""):
    text = json.dumps(list(answers(only).items()))
    (folder / "answers.json").write_text(text, encoding="utf-8")


def wrong_verdicts(folder, only=""):
    """Return [(path, verdict)] of answers that a walk into `folder` judged as the lab doesn't."""
    verdicts = json.loads((folder / "verdicts.json").read_text(encoding="utf-8"))
    assert verdicts.keys() == answers(only).keys()
    return [(path, said) for path, said in verdicts.items() if not is_the_labs(path, said)]


def is_the_labs(path, said):
    """Return whether a verdict is the one that the answer's own first line asks for."""
    name, first = path.split("/")[0], (FOLDER / path).read_text(encoding="utf-8").splitlines()[0]
    said = said.replace("\n" + " " * 6, " ")
    if "/wrong/" in path:
        diagnosis, _, hint = said.partition("\nHint: ")
        return (
            first.removeprefix(MARK).strip() in diagnosis and f"{name} not yet: " in said and hint
        )
    achieved = said.partition("\n")[0]
    is_right = achieved.startswith(f"{name} solved: ")
    return is_right and achieved.endswith(first.partition(ACCEPTED)[2])
