"""Tell figures about the notebook: the line of versions, and whether pictures are shown.

Figures import this module and no server: the testbed sets `line`, the function that returns the
line.
"""

import sys
from collections.abc import Callable
from typing import Any

# Returns 'Redis 8.2.3 · redis-py 8.1.0 · Python 3.13.0 · Linux x86_64'; fingerprints.py sets it.
line: Callable[[], str] = str


def shows_pictures() -> bool:
    """Return True in a Jupyter kernel, which shows figures, and False elsewhere.

    Every figure has a sentence with its numbers: where this is True, the sentence is the figure's
    alt text only, elsewhere it is printed too.
    """
    return hasattr(shell(), "kernel")


def shell() -> Any:
    """Return IPython's shell, which runs the notebook's cells, or None in plain Python."""
    return sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
