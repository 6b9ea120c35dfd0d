"""Tells from pytest's JUnit files what a run found, as Markdown: facts apart from the words of verdicts, and where the time went.

    python tools/ci_summary.py FOLDER      every .xml in it

A fact that changed is an error of the lab, or a change of Redis or redis-py that a chapter has to tell. A word that changed, at
the same facts, is a measurement that came out differently. Exits with 1 where there is no report to read. Needs Python alone.
"""

import re
import sys
import xml.etree.ElementTree as ET
from collections import defaultdict
from pathlib import Path

CHAPTERS, WORDS, FIGURES, OWN, DRILLS = "chapters", "words of verdicts", "figures", "the lab's own tests", "drills"
SAID = {  # kind: (what to say when none failed, when some did)
    CHAPTERS: ("Facts: all are the committed ones.", "Facts changed, or a cell failed"),
    WORDS: ("Words of verdicts: all are the committed ones.", "Words of verdicts changed"),
    FIGURES: ("Figures: all can be read.", "Figures that cannot be read"),
    OWN: ("The lab's own tests pass.", "The lab's own tests fail"),
    DRILLS: ("The drills pass.", "Drills fail"),
}
SLOWEST, LINES = 10, 25  # files in the table, lines told of a failure
COLOURS = re.compile(r"(\x1b|#x1B)\[[\d;]*m")  # pytest writes the latter: XML has no such letter


class Case:
    """A test, as a JUnit file has it. `failure` is "" where it passed; `untested` are the claims that it left untested."""

    def __init__(self, file, name, seconds=0.0, failure="", skipped=False, untested=()):
        self.kind, self.file, self.name, self.seconds = kind_of(file), file, name, seconds
        self.failure, self.skipped, self.untested = failure, skipped, untested


def main(folder):
    cases = [case for path in sorted(Path(folder).glob("*.xml")) for case in read(path)]
    if not cases:
        print(f"**No test ran**: there is no report in `{folder}`. The log of the step before says why.")
        return 1
    print("\n".join([*outcomes(cases), *failures(cases), *durations(cases)]))
    return 0


def read(path):
    """The Cases of a JUnit file. One that cannot be read, of a run that was cut off, is a failure."""
    try:
        tree = ET.parse(path)
    except (ET.ParseError, OSError) as error:
        return [Case(path.name, "the report itself", failure=f"cannot be read: {error}")]
    return [Case(case.get("classname") or "", case.get("name") or "", float(case.get("time") or 0), failure_of(case),
                 case.find("skipped") is not None,
                 [item.get("value") for item in case.iter("property") if item.get("name") == "untested"])
            for case in tree.iter("testcase")]


def failure_of(case):
    told = [part.text or part.get("message") or "it does not say why" for part in case if part.tag in ("failure", "error")]
    return COLOURS.sub("", "\n".join(told))


def kind_of(file):
    if file.endswith(".ipynb"):
        return CHAPTERS
    for kind, sign in ((WORDS, "test_verdict_words"), (FIGURES, "test_figures_of_chapters"), (DRILLS, "tests.drills.")):
        if sign in file:
            return kind
    return OWN


def outcomes(cases):
    """A line for each kind of test. What `make test` runs and is not there is said, unless these are the drills' reports."""
    expected = [DRILLS] if all(case.kind == DRILLS for case in cases) else [CHAPTERS, WORDS, FIGURES, OWN]
    for kind, (fine, wrong) in SAID.items():
        of_kind = [case for case in cases if case.kind == kind]
        failed = [case for case in of_kind if case.failure]
        if failed:
            yield f"- ❌ **{wrong}**: {len(failed)} of {len(of_kind)}, in {', '.join(sorted({case.file for case in failed}))}"
        elif of_kind:
            skipped = sum(case.skipped for case in of_kind)
            yield f"- ✅ {fine} {len(of_kind)} tests" + (f", {skipped} of them skipped" if skipped else "")
        elif kind in expected:
            yield f"- ⚠️ **{kind}**: none ran"
    if untested := sorted({name for case in cases for name in case.untested}):
        yield f"- A busy machine left these claims untested, which is no failure: {', '.join(untested)}"


def failures(cases):
    """What each test that failed says, folded; of much the beginning and the end."""
    for case in cases:
        if case.failure:
            lines = case.failure.strip().splitlines()
            told = lines if len(lines) <= LINES else [*lines[:5], "…", *lines[5 - LINES:]]
            yield f"\n<details><summary>{case.file}: {case.name}</summary>\n\n````"
            yield from [*told, "````", "</details>"]


def durations(cases):
    """A table of the files that took longest."""
    seconds, tests = defaultdict(float), defaultdict(int)
    for case in cases:
        seconds[case.file] += case.seconds
        tests[case.file] += 1
    yield f"\n| seconds | tests | the {SLOWEST} slowest of {len(tests)} files; all: {sum(seconds.values()):.0f} s |"
    yield "|--:|--:|---|"
    for file in sorted(seconds, key=seconds.get, reverse=True)[:SLOWEST]:
        yield f"| {seconds[file]:.1f} | {tests[file]} | {file} |"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
