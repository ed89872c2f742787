"""Cost of a row for every request, kept in memory or written to Parquet during the run.

    python benches/request_table.py [REQUESTS]

Each figure is the least of some turns: processor time of the process (user and system), processor
time of the thread that runs, and wall time. The last three columns are the increase over the run
alone. The thread's time is the cost on a machine with a spare core, where another thread writes.
Kept tables are passed to Polars and written from there; both steps are listed apart.
"""

from __future__ import annotations

import resource
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import polars as pl

import venice
from venice.observation.request_log import RequestLog

if TYPE_CHECKING:
    from collections.abc import Callable

    from venice.api.scenario import Scenario
    from venice.observation.request_columns import Columns

REQUESTS = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000_000
TURNS = 3
CASES: dict[str, Scenario] = {
    "reads, venice-performance, bus": {
        "drive": "venice-performance",
        "fabric": "bus",
        "workload": "random-read",
        "closed_loop": 32,
    },
    "reads, mqsim-default": {
        "drive": "mqsim-default",
        "workload": "random-read",
        "closed_loop": 32,
    },
    "mixed 70/30, venice-performance, venice": {
        "drive": "venice-performance",
        "fabric": "venice",
        "workload": "mixed-70-30",
        "closed_loop": 32,
    },
}
FEW = ("number", "op", "arrival_ps", "latency_ps", "conflicted")
COLUMNS: dict[str, Columns] = {"few": FEW, "usual": "usual", "all": "all"}


class Cost(NamedTuple):
    """Times of a turn [s]."""

    processor: float
    thread: float
    wall: float


def now() -> Cost:
    """Read the clocks."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return Cost(usage.ru_utime + usage.ru_stime, time.thread_time(), time.perf_counter())


def least(work: Callable[[], object]) -> Cost:
    """Return the least of each clock; the result of a turn is freed before the next."""
    costs = []
    for _ in range(TURNS):
        started = now()
        kept = work()
        costs.append([end - start for start, end in zip(started, now(), strict=True)])
        del kept
    return Cost(*map(min, zip(*costs, strict=True)))


def tell(what: str, cost: Cost, plain: Cost) -> None:
    """Print a line of the table."""
    seconds = "".join(f"{time_s:8.2f}" for time_s in cost)
    more = "".join(
        f"{100 * (time_s / alone_s - 1):+8.1f}" for time_s, alone_s in zip(cost, plain, strict=True)
    )
    print(f"  {what:<34}{seconds}  {more} %", flush=True)


def measure(name: str, scenario: Scenario, file: Path) -> None:
    """Print the lines of one drive."""
    print(f"{name}: processor, thread, wall [s]")
    plain = least(lambda: venice.run(**scenario))
    tell("the run alone", plain, plain)
    for what, columns in COLUMNS.items():

        def kept(columns: Columns = columns) -> pl.DataFrame:
            return pl.DataFrame(venice.run(**scenario, request_table=columns).request_table)

        def logged(columns: Columns = columns) -> None:
            with RequestLog(file, columns=columns) as log:
                venice.run(**scenario, log=log)

        tell(f"{what}: into Polars", least(kept), plain)
        tell(f"{what}: into Parquet", least(logged), plain)
    table = venice.run(**scenario, request_table=FEW).request_table
    frame = pl.DataFrame(table)
    over = {
        "hand-over to Polars": lambda: pl.DataFrame(table),
        "Parquet from there": lambda: frame.write_parquet(file, compression="lz4"),
    }
    for what, work in over.items():
        print(f"  few: {what:<29}" + "".join(f"{time_s:8.4f}" for time_s in least(work)))


with tempfile.TemporaryDirectory() as place:
    for each, scenario in CASES.items():
        measure(each, {**scenario, "requests": REQUESTS}, Path(place) / "log.parquet")
