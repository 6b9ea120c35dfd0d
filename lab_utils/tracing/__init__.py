"""What the code did: turns, commands, bytes and replies, counted exactly.

This room needs redis and nothing else, so that any program can be looked at. `with trace() as t:` counts what any code does, and
`with budget(max=3):` fails where it does more; a Tap keeps all the turns of a `with` block, and `cost_of` says what they cost.

What is named here is imported when it is used first: pytest loads the plugin in this room in every run, traced or not.
"""

from importlib import import_module

__all__ = ["Cost", "OverBudget", "Tap", "Trace", "budget", "cost_of", "trace"]
HOMES = {"Cost": "cost", "OverBudget": "budgets", "Tap": "tap", "Trace": "traces", "budget": "budgets", "cost_of": "cost",
         "trace": "traces"}


def __getattr__(name):
    if name not in HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{HOMES[name]}", __name__), name)


def __dir__():
    return sorted({*globals(), *__all__})
