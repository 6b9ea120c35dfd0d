"""Compare the verdicts of the page to try (book/try) on exercises' answers with the lab's."""

import json
import sys

from helpers import ROOT
from test_exercise_folders import ACCEPTED, MARK

from lab_utils.course.exercises import FOLDER

sys.path.insert(0, str(ROOT / "book"))

import try_page  # noqa: F401
from exercises_to_try import NEEDS, offered  # noqa: F401


def answers(only: str = "") -> dict[str, str]:
    """Return {path below exercises/: source} of all answers to the exercises that the page offers.

    A source begins with the imports that the page puts above a learner's code. `only` is how an
    exercise's name begins, such as "03".
    """
    return {
        str(path.relative_to(FOLDER)): told["imports"] + path.read_text(encoding="utf-8")
        for name, told in offered().items()
        if name.startswith(only)
        for path in sorted((FOLDER / name).glob("**/*.py"))
        if path.name != "check.py"
    }


def write_answers(folder, only: str = "") -> None:
    text = json.dumps(list(answers(only).items()))
    (folder / "answers.json").write_text(text, encoding="utf-8")


def wrong_verdicts(folder, only: str = "") -> list[tuple[str, str]]:
    """Return [(path, printed verdict)] of answers that the page judged otherwise than the lab does.

    The verdicts are read from verdicts.json in `folder`; `only` is how an exercise's name begins.
    """
    verdicts = json.loads((folder / "verdicts.json").read_text(encoding="utf-8"))
    assert verdicts.keys() == answers(only).keys()
    return [(path, said) for path, said in verdicts.items() if not is_the_labs(path, said)]


def is_the_labs(path: str, said: str):
    """Return whether `said`, a printed verdict, is the one that the answer's first line names.

    `path` is the answer's, below exercises/. For a wrong answer the verdict must also have a hint.
    """
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
