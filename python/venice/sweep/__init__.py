"""Sweeps: runs of all combinations of values, stored in a folder, with resumption.

>>> from venice.sweep import Sweep, run_sweep
>>> sweep = Sweep.of({"workload": "random-read", "requests": 100}, [{"fabric": ["bus", "ideal"]}])
>>> [point.choices["fabric"] for point in sweep.points]
['bus', 'ideal']
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from venice.report.figure_paths import FIGURES
from venice.sweep.definition import Point, Sweep, SweepError
from venice.sweep.notices import StoreWarning
from venice.sweep.rows import rows
from venice.sweep.runner import Outcome, run_points, run_sweep

if TYPE_CHECKING:
    from venice.sweep.store import Store

__all__ = [
    "FIGURES",
    "Outcome",
    "Point",
    "Store",
    "StoreWarning",
    "Sweep",
    "SweepError",
    "rows",
    "run_points",
    "run_sweep",
]


def __getattr__(name: str) -> Any:  # noqa: ANN401 whatever it is
    """Import the store on first access, because importing SQLite would delay help texts."""
    if name != "Store":
        raise AttributeError(f"module 'venice.sweep' has no attribute {name!r}")
    return import_module("venice.sweep.store").Store
