"""The Redis Round-Trip Lab's helpers: they measure, draw and check. The Redis calls stand in the notebooks."""

from .arguments import discarding
from .bystander import bystander
from .claims import claim, ledger
from .cluster import cluster
from .counters import Cost, count
from .ended import explained, watch_cells
from .errors import LabError
from .exercises import check, progress
from .fingerprint import fingerprint
from .fresh import run_fresh
from .frozen import frozen
from .groups import plot_groups
from .guard import empty
from .interrupts import interruptible
from .ladders import plot_ladders
from .lanes import plot_lanes
from .model import describe, fit_model, hidden_distance, predict
from .plain_socket import raw_socket
from .plots import plot_bars, plot_lines, plot_prediction, plot_published
from .racing import race
from .retrial import retrial
from .segments import segments
from .servers import connect
from .spare import spare
from .sweep import sweep
from .timeline import plot_seen, timeline
from .timing import compare
from .waiting_map import plot_map
from .wire import capture

__all__ = [
    "Cost", "LabError", "bystander", "capture", "check", "claim", "cluster", "compare", "connect", "count", "describe",
    "empty", "fingerprint", "fit_model", "frozen", "hidden_distance", "ledger", "plot_bars", "plot_groups", "plot_ladders",
    "plot_lanes", "plot_lines", "plot_map", "plot_prediction", "plot_published", "plot_seen", "predict", "progress", "race",
    "raw_socket", "retrial", "run_fresh", "segments", "spare", "sweep", "timeline",
]

for _name in __all__:
    if callable(globals()[_name]) and not isinstance(globals()[_name], type):
        globals()[_name] = interruptible(explained(discarding(globals()[_name])))
watch_cells()
