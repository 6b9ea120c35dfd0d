"""Show a trace in a pull request: a step summary, and annotations at the lines they are about.

https://docs.github.com/en/actions/reference/workflow-commands-for-github-actions
"""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..counts import Counts
from ..errors import RoundTripsError
from ..words import counted
from .text import head, sites

MOST_TESTS = 20  # in a table


def step_summary(option: str) -> str:
    """Return the path of the file for GitHub's step summary.

    `option` is the option that asks for the summary, for the message. Raises RoundTripsError if
    GITHUB_STEP_SUMMARY, the environment variable with that path, is not set.
    """
    path = os.environ.get("GITHUB_STEP_SUMMARY")
    if not path:
        raise RoundTripsError(
            f"{option} writes where GITHUB_STEP_SUMMARY says, which is not set. Leave it out, or "
            "name a file there."
        )
    return path


def summary_of_tests(tests: Mapping[str, Mapping[str, Any]]) -> str:
    """Return Markdown for a pytest run: failed tests, and a table of the 20 with most round trips.

    `tests` is {id of a test: its numbers}, with the keys "round_trips", "waits",
    "setup_trips" and "over": the text on exceeded limits, or ''.
    """
    made = counted(sum(each["round_trips"] for each in tests.values()), "round trip")
    failed = [
        f"**failed:** {tick(name)}\n\n```\n{each['over']}\n```\n"
        for name, each in tests.items()
        if each["over"]
    ]
    rows = [
        f"| {tick(name)} | {each['round_trips']:,} | {each['waits']:,} | {each['setup_trips']:,} |"
        for name, each in sorted(tests.items(), key=lambda each: -each[1]["round_trips"])
    ]
    title = f"### pytest: {made} to Redis in {counted(len(tests), 'test')}\n"
    head = ["| test | round trips | waits | set-up |", "|---|---|---|---|"]
    return "\n".join([title, *failed, *head, *rows[:MOST_TESTS], ""])


def summary(trace: Counts, program: str, failures: Sequence[str] = ()) -> str:
    """Return Markdown for GITHUB_STEP_SUMMARY: numbers, `failures`, call sites, findings.

    `program` is the program's name; `failures` are sentences.
    """
    title = f"### {escape(program)}: {counted(trace.round_trips, 'round trip')} to Redis"
    lines = [title, "", *[f"**failed:** {escape(each)}  " for each in failures]]
    lines += [f"{escape(line)}  " for line in head(trace)]
    lines += ["", "| what | from |", "|---|---|"]
    lines += [f"| {tick(what)} | {tick(where)} |" for what, where in sites(trace)]
    if trace.findings:
        lines += ["", "```", repr(trace.findings), "```"]
    return "\n".join(lines) + "\n"


def workflow_commands(trace: Counts) -> list[str]:
    """Return a list of GitHub's workflow commands, as text, one for each finding of a Trace.

    GitHub shows each as a notice at the line of its call site.
    """
    return [
        f"::notice file={value(in_workspace(each.site.file))},line={each.site.line},"
        f"title={value(each.what)}::" + message("\n".join((each.shows, each.instead)))
        for each in trace.findings
    ]


def in_workspace(path: str) -> str:
    """Return a file's path as GitHub names it: from the folder of the checkout, with "/".

    For a file elsewhere the path is from the working folder, or else absolute.
    """
    file = Path(path)
    for folder in (os.environ.get("GITHUB_WORKSPACE"), os.getcwd()):
        if folder and file.is_relative_to(folder):
            return file.relative_to(folder).as_posix()
    return file.as_posix()


def escape(text: str) -> str:
    return "".join(f"\\{each}" if each in "\\`*_{}[]<>|#" else each for each in text)


def tick(text: str) -> str:
    return f"`{text.replace('`', chr(39)).replace('|', '¦')}`" if text else ""


def message(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def value(text: str) -> str:
    return message(text).replace(":", "%3A").replace(",", "%2C")
