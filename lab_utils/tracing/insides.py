"""redis-py's private modules that the tap stands on, and what is said where a version of it has them no more, or not yet."""

import redis

from ..errors import LabError

KNOWN = "5.0 to 8.1"  # the versions of redis-py that were tried


def refusal(missing):
    """The LabError to raise where redis-py has no `missing`."""
    return LabError(f"The lab counts inside redis-py, which it knows from version {KNOWN}. Version {redis.__version__} is "
                    f"installed and has no {missing}. Run `pip install -r requirements.txt`, and restart the kernel.")


try:
    from redis._parsers.base import _AsyncRESPBase, _RESPBase
    from redis._parsers.hiredis import _AsyncHiredisParser, _HiredisParser
    from redis._parsers.socket import SocketBuffer
except ImportError as error:  # redis-py 4
    raise refusal(error.name) from None

__all__ = ["KNOWN", "SocketBuffer", "_AsyncHiredisParser", "_AsyncRESPBase", "_HiredisParser", "_RESPBase", "refusal"]
