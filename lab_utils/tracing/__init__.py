"""What the code did: turns, commands, bytes and replies, counted exactly.

This room needs redis and nothing else, so that any program can be looked at. A Tap sees the turns of a `with` block; `cost_of`
says what they cost.
"""

from .cost import Cost, cost_of
from .tap import Tap

__all__ = ["Cost", "Tap", "cost_of"]
