"""The systems that the lab runs on: Linux and macOS. Elsewhere it says so at once.

`fcntl` is what Windows lacks; whoever needs it takes it from here.
"""

from .errors import LabError

try:
    import fcntl
except ImportError:
    raise LabError(
        "The lab does not run on Windows itself. Open this folder in WSL, and run `make lab` there."
    ) from None

__all__ = ["fcntl"]
