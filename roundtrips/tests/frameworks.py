"""What only some tests need: without it they are skipped, and in CI (`CI=true`) they fail."""

import importlib.util
import os
from typing import Any

import pytest


def need(*modules: str) -> Any:
    """Import the modules, and return the last one; skip the test if one is missing, fail in CI."""
    missing = [name for name in modules if importlib.util.find_spec(name.split(".")[0]) is None]
    if missing:
        without(f"not installed: {', '.join(missing)}; see tests/requirements.txt")
    return [importlib.import_module(name) for name in modules][-1]


def without(what: str) -> None:
    """Skip the test since something is missing, which `what` says; fail in CI."""
    (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(what)
