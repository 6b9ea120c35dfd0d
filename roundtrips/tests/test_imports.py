"""The package's modules lie in layers; that imports stand at the top of files, ruff says."""

import json
import subprocess
import sys
from graphlib import TopologicalSorter
from pathlib import Path

import roundtrips
from frameworks import need


def test_there_is_no_circle():
    """Python itself refuses no circle by `from . import`, if nothing is used while it imports."""
    need("ruff")
    asked = [sys.executable, "-m", "ruff", "analyze", "graph", "roundtrips"]
    source = Path(roundtrips.__file__).parents[1]
    graph = json.loads(subprocess.run(asked, cwd=source, capture_output=True, check=True).stdout)
    del graph["roundtrips/__init__.py"]  # what it names is loaded when it is asked for
    order = list(TopologicalSorter(graph).static_order())  # raises CycleError
    assert order.index("roundtrips/blocks.py") < order.index("roundtrips/cli.py")
