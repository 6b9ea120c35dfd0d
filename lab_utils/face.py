"""The package's face: every helper that a notebook calls as `lab.xxx`.

Each refuses bad arguments, explains a server that has ended, and undoes its changes on Ctrl-C.
"""
# ruff: noqa: F401  (what is imported here is looked up by name below)

from roundtrips import trace

from . import __all__ as NAMES
from .counting.cost import Cost, count
from .counting.timelines import timeline
from .counting.watching import plot_lanes
from .counting.wire import capture
from .course import out_of_order, reporting
from .course.claims import claim
from .course.exercises import check
from .course.guesses import calibration, guess
from .course.published import plot_published
from .course.retrials import retrial
from .errors import LabError
from .figures.charts import plot_bars, plot_lines
from .interrupts import interruptible
from .setting import shell
from .testbed import ended
from .testbed.chosen_server import connect
from .testbed.clusters import cluster
from .testbed.ended import explained
from .testbed.fingerprints import fingerprint
from .testbed.freezing import frozen
from .testbed.guard import empty
from .testbed.replicas import replica
from .testbed.spare_server import spare
from .timing.bystanders import bystander, plot_rain
from .timing.cold_start import run_fresh
from .timing.comparison import compare
from .timing.fitting import fit_model, predict
from .timing.races import race
from .timing.sweeps import sweep


def guarded(thing):
    return thing if isinstance(thing, type) else interruptible(explained(thing))


HELPERS = {name: guarded(globals()[name]) for name in NAMES}
if cells := shell():
    cells.events.register("post_run_cell", ended.after_cell)
    cells.events.register("post_run_cell", out_of_order.after_cell)
reporting.begin()
