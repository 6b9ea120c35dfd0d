"""What the lab remembers for the learner: exercises solved, claims tried. A small JSON file in `.lab/` beside the notebooks."""

import json
import os
from pathlib import Path


def folder():
    return Path(os.environ.get("LAB_STATE", ".lab"))


def load(name):
    """The remembered dict `name`; empty if there is none, or if it cannot be read."""
    try:
        return json.loads((folder() / f"{name}.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}


def save(name, content):
    """Remembers a dict. A folder that cannot be written costs the memory, not the lesson."""
    target = folder() / f"{name}.json"
    try:
        target.parent.mkdir(exist_ok=True)
        scratch = target.with_suffix(f".{os.getpid()}")
        scratch.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
        scratch.replace(target)
    except OSError:
        pass
