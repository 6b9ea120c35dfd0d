"""Lua for fakeredis, which asks a C extension named lupa for it: abstra_lua is written in Python.

abstra_lua is Lua 5.5, Redis has 5.1: numbers are printed as there. A letter of a string is a byte.
"""

import contextlib
import sys
import types

from abstra_lua import LuaSession, interpreter
from abstra_lua.errors import LuaError, ReturnSignal
from abstra_lua.interpreter import BuiltinFunction, Environment, LuaFunction
from abstra_lua.lua_table import LuaTable
from abstra_lua.parser import Parser

MOST_STEPS = 10_000_000  # of a script; then it fails, where Redis would go on


def number_of(value, *, _tonum=interpreter._tonum):
    """Return `value` as the number that Lua computes with; None if Lua can't compute with it.

    This replaces a function of abstra_lua, which takes true and false for numbers.
    """
    return None if isinstance(value, bool) else _tonum(value)


interpreter._tonum = number_of
interpreter._format_float = lambda number: f"{number:.14g}"


class Table:
    """A Lua table with the methods of lupa's that fakeredis uses; its strings are bytes.

    `runtime` is the LuaRuntime, `table` a LuaTable of abstra_lua.
    """

    def __init__(self, runtime, table):
        self.runtime = runtime
        self.table = table

    def __getitem__(self, key):
        return self.runtime.from_lua(self.table.rawget(self.runtime.to_lua(key)))

    def __setitem__(self, key, value):
        self.table.rawset(self.runtime.to_lua(key), self.runtime.to_lua(value))

    def __iter__(self):
        return iter(self.keys())

    def keys(self):
        return [self.runtime.from_lua(key) for key in self.table._data]

    def values(self):
        return [self[key] for key in self.keys()]

    def items(self):
        return [(key, self[key]) for key in self.keys()]


class LuaRuntime:
    """A Lua interpreter with those methods of lupa.LuaRuntime that fakeredis uses."""

    def __init__(self, **options):
        self.session = LuaSession(max_instructions=MOST_STEPS)
        self.globals()[b"collectgarbage"] = lambda *_: 0

    def to_lua(self, value):
        if isinstance(value, bytes):
            return value.decode("latin-1")
        if isinstance(value, Table):
            return value.table
        if callable(value):
            return BuiltinFunction(
                "?", lambda given: self.to_lua(value(*map(self.from_lua, given)))
            )
        return value

    def from_lua(self, value):
        if isinstance(value, str):
            return value.encode("latin-1")
        if isinstance(value, LuaTable):
            return Table(self, value)
        if isinstance(value, (LuaFunction, BuiltinFunction)):
            return lambda *given: self.call(value, given)
        return value

    def call(self, function, given):
        run = self.session.interpreter
        found = run._call_function(function, [self.to_lua(each) for each in given])
        return self.from_lua(found[0]) if found else None

    def execute(self, code):
        run = self.session.interpreter
        run.instructions = 0
        try:
            run.execute(Parser(self.to_lua(code)).parse(), Environment())
        except ReturnSignal as returned:
            return self.from_lua(returned.values[0]) if returned.values else None

    def eval(self, code):
        return self.execute(f"return {code}")

    def globals(self):
        return Table(self, self.session.interpreter.globals)

    def table_from(self, found, recursive=False):
        """Return a Table with the entries of `found`, a dict or a list; a list's first index is 1.

        If `recursive`, lists and dicts among the values become Tables too; else they stay as they
        are.
        """
        table = Table(self, LuaTable())
        for key, value in found.items() if isinstance(found, dict) else enumerate(found, 1):
            is_inner = recursive and isinstance(value, (list, dict))
            table[key] = self.table_from(value, True) if is_inner else value
        return table


def lua_type(value):
    return "table" if isinstance(value, Table) else None


lupa = types.ModuleType("lupa")
lupa.lua51 = types.ModuleType("lupa.lua51")
lupa.allow_lua_module_loading = contextlib.nullcontext
lupa.lua51.__dict__.update(LuaRuntime=LuaRuntime, LuaError=LuaError, lua_type=lua_type)
sys.modules.update({"lupa": lupa, "lupa.lua51": lupa.lua51})

from fakeredis.commands_mixins import scripting_mixin  # noqa: E402  which imports lupa


def argument(value, *, _convert_redis_arg=scripting_mixin._convert_redis_arg):
    """Return an argument of redis.call as the bytes that the command gets.

    This replaces a function of fakeredis. A number with a fraction becomes the shortest text that
    means it, such as 9.297; all else is left to that function.
    """
    is_broken = type(value) is float and not value.is_integer()
    return repr(value).encode() if is_broken else _convert_redis_arg(value)


scripting_mixin._convert_redis_arg = argument
