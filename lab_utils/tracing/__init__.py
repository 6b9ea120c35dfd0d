"""What the code did: turns, commands, bytes and replies, counted exactly.

This room needs redis and nothing else, so that any program can be looked at. `with trace() as t:` counts what any code does; a
Tap keeps all the turns of a `with` block, and `cost_of` says what they cost.
"""

from .cost import Cost, cost_of
from .tap import Tap
from .traces import Trace, trace

__all__ = ["Cost", "Tap", "Trace", "cost_of", "trace"]
