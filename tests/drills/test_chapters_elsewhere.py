"""The chapters' facts elsewhere: without optional tools, beside busy programs, on other servers."""

import os
import re
import shutil
import time

import pytest
from chapter_runs import AT_ONCE, CHAPTERS, CHOSEN, busy, run
from frameworks import without
from other_servers import ALL
from test_chapters import code
from tries import SIZE

TOOLS = ("redis-benchmark", "redis-server", "redis-cli")
HIDDEN = re.compile(
    r"redis-|valkey-|chromium|google-chrome|docker|"
    r"uv$|uvx$|lscpu|taskset"
)
NOTICE = re.compile(r"shutil\.which|" + "|".join(TOOLS))
NOTICING = [path for path in CHAPTERS if any(NOTICE.search(cell.source) for cell in code(path))]
SCOREBOARD = "14_"  # runs the others' trials again

# CI tries one of the four servers a day; DRILLS=full all, DRILLS_SERVER=valkey just that.
TODAY = list(ALL)[int(time.time() // 86_400) % len(ALL)]
SERVERS = list(ALL) if SIZE == "full" else [TODAY]
if wanted := os.environ.get("DRILLS_SERVER"):
    SERVERS = [wanted]


def same_facts(chapters, **environment):
    found = run(chapters, words=False, workers=AT_ONCE, **environment)
    assert found.cells > len(chapters)
    assert not found.facts, "\n".join(found.facts)


def test_with_every_optional_tool_hidden(tmp_path):
    for folder in os.environ["PATH"].split(os.pathsep):
        for name in os.listdir(folder) if os.path.isdir(folder) else ():
            if not HIDDEN.match(name) and not (tmp_path / name).is_symlink():
                (tmp_path / name).symlink_to(os.path.join(folder, name))
    assert not any(shutil.which(tool, path=tmp_path) for tool in TOOLS)
    same_facts(NOTICING, PATH=str(tmp_path))


@pytest.mark.timeout(1800)
def test_beside_busy_programs():
    """Beside as many endless loops as CPUs, no fact and no word of a verdict changes."""
    with busy(os.cpu_count()):
        found = run(CHOSEN)
    assert found.facts + found.words == []


@pytest.mark.timeout(1800)
@pytest.mark.parametrize("name", SERVERS)
def test_on_another_server(name):
    """The chapters say the same facts; those of the scoreboard are asked with DRILLS=full only.

    The scoreboard runs the trials of all other chapters again. CI has every optional tool, so that
    these chapters are run with them.
    """
    if os.environ.get("CI") == "true":
        assert [tool for tool in TOOLS if not shutil.which(tool)] == []
    chapters = [path for path in CHAPTERS if SIZE == "full" or not path.name.startswith(SCOREBOARD)]
    try:
        with ALL[name]() as environment:
            same_facts(chapters, **environment)
    except FileNotFoundError as missing:
        without(str(missing))
