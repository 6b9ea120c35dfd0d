"""The chapters' facts elsewhere: without optional tools, and with them on other servers."""

import os
import re
import shutil
import time

import nbformat
import pytest
from chapter_runs import AT_ONCE, CHAPTERS, run
from machine import lacks
from other_servers import ALL
from tries import SIZE


def code(chapter):
    cells = nbformat.read(chapter, as_version=4).cells
    return "\n".join(cell.source for cell in cells if cell.cell_type == "code")


TOOLS = ("tcpdump", "tshark", "redis-benchmark", "redis-server", "redis-cli")
HIDDEN = re.compile(
    r"tshark|tcpdump|dumpcap|redis-|valkey-|chromium|google-chrome|docker|"
    r"uv$|uvx$|lscpu|taskset"
)
NOTICE = re.compile(r"packets import|shutil\.which|" + "|".join(TOOLS))
NOTICING = [path for path in CHAPTERS if NOTICE.search(code(path))]
SCOREBOARD = "14_"  # runs the others' trials again

# CI tries one of the four servers a day; DRILLS=full all, DRILLS_SERVER=valkey just that.
TODAY = list(ALL)[int(time.time() // 86_400) % len(ALL)]
CHOSEN = list(ALL) if SIZE == "full" else [TODAY]
if wanted := os.environ.get("DRILLS_SERVER"):
    CHOSEN = [wanted]


def same_facts(chapters, **environment):
    found = run(chapters, words=False, workers=AT_ONCE, **environment)
    assert found.cells > len(chapters)
    assert not found.facts, "\n".join(found.facts)


def test_some_chapters_use_what_may_not_be_there():
    assert {path.name[:2] for path in NOTICING} >= {"02", "09"}


def test_with_every_optional_tool_hidden(tmp_path):
    for folder in os.environ["PATH"].split(os.pathsep):
        for name in os.listdir(folder) if os.path.isdir(folder) else ():
            if not HIDDEN.match(name) and not (tmp_path / name).is_symlink():
                (tmp_path / name).symlink_to(os.path.join(folder, name))
    assert not any(shutil.which(tool, path=tmp_path) for tool in TOOLS)
    same_facts(NOTICING, PATH=str(tmp_path))


def test_with_every_optional_tool_there():
    if missing := [tool for tool in TOOLS if not shutil.which(tool)]:
        lacks(f"not installed here: {', '.join(missing)}")
    same_facts(NOTICING)


@pytest.mark.timeout(1800)
@pytest.mark.parametrize("name", CHOSEN)
def test_on_another_server(name):
    """All of it in full; in CI without the scoreboard, which runs all others' trials again.

    CI has every optional tool, so that these chapters are run with them.
    """
    if os.environ.get("CI") == "true":
        assert [tool for tool in TOOLS if not shutil.which(tool)] == []
    chapters = [path for path in CHAPTERS if SIZE == "full" or not path.name.startswith(SCOREBOARD)]
    try:
        with ALL[name]() as environment:
            same_facts(chapters, **environment)
    except FileNotFoundError as missing:
        lacks(str(missing))
