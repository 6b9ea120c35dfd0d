"""What chapter 12 tells of OpenTelemetry's spans, in a table that no cell makes: made here."""

import json
import re
import subprocess
from pathlib import Path

import environments
import pytest
from helpers import ROOT

import lab_utils as lab
from lab_utils.testbed import private_server

SPANS = Path(__file__).with_name("spans.py")
CHAPTER = ROOT / "notebooks" / "12_your_own_code.ipynb"


@pytest.fixture(scope="module")
def both():
    """Run spans.py; return {name of a program in it: the dict that its `counted` returned}."""
    alone = private_server.start(private_server.find_binary())
    cluster = lab.cluster()
    try:
        given = {"options": alone.options, "nodes": [node.options for node in cluster.nodes]}
        printed = subprocess.check_output(
            [environments.libraries(), "-W", "ignore", SPANS],
            input=json.dumps(given),
            text=True,
            timeout=100,
            env={"PYTHONPATH": str(ROOT / "roundtrips" / "src")},
        )
        return json.loads(printed.splitlines()[-1])
    finally:
        cluster.stop()
        alone.stop()


def test_the_chapters_table_is_what_was_counted(both):
    """Chapter 12's table has the round trips and spans that are counted here, in the same order."""
    cells = json.loads(CHAPTER.read_text(encoding="utf-8"))["cells"]
    source = "".join(line for cell in cells for line in cell["source"])
    table = source.partition("| what ran | round trips | spans |")[2].partition("\n\n")[0]
    told = re.findall(r"\| (\d+)[^|]*\| (\d+)[^|]*\|$", table, re.MULTILINE)
    found = [(each["round_trips"], len(each["spans"])) for each in both.values()]
    assert [tuple(map(int, row)) for row in told] == found
    pins = environments.REQUIREMENTS.read_text(encoding="utf-8")
    version = re.search(r"opentelemetry-instrumentation-redis==(\S+)", pins)[1]
    assert f"tried with {version}" in source
    assert [name for name, each in both.items() if each["setup"]] == [
        "first_get",
        "lost_and_repeated",
    ]
    assert both["first_get"]["setup"] == 4
    assert both["cluster_pipeline"]["waits"] == both["lost_and_repeated"]["lost"] == 1
    assert both["pipeline"]["spans"][0].split() == ["GET"] * 10
    assert both["unknown_script"]["spans"] == ["EVALSHA", "SCRIPT LOAD", "EVALSHA"]
