"""Many runs: every combination of some choices, kept in a folder, taken up again when interrupted.

>>> from venice.sweep import Sweep, run_sweep
>>> sweep = Sweep.of({"workload": "random-read", "requests": 100}, [{"fabric": ["bus", "ideal"]}])
>>> [point.choices["fabric"] for point in sweep.points]
['bus', 'ideal']
"""

from venice.sweep.definition import Point, Sweep, SweepError
from venice.sweep.figures import FIGURES, rows
from venice.sweep.runner import Outcome, run_points, run_sweep
from venice.sweep.store import Store

__all__ = [
    "FIGURES",
    "Outcome",
    "Point",
    "Store",
    "Sweep",
    "SweepError",
    "rows",
    "run_points",
    "run_sweep",
]
