"""Store of results: an SQLite file in the folder of a sweep or a reproduction.

Every finished run is a row, committed before the next run is claimed, so that a killed process
loses only its unfinished runs. Several processes may work on one store: they divide the runs by
claims (:mod:`venice.sweep.store.claims`).
"""

from venice.sweep.store.database import FILE_NAME, StoreError
from venice.sweep.store.plan import Plan
from venice.sweep.store.results import Results
from venice.sweep.store.store import Store

__all__ = ["FILE_NAME", "Plan", "Results", "Store", "StoreError"]
