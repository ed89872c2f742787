"""What a row for every request costs, and what handing the rows over does.

    python benches/request_table.py [REQUESTS]

Each run twice or more, the least of each figure: the run as it is, with its table, with its log
written to Parquet on the way, and what Polars takes to have the table and to write it.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

import venice
from venice.request_log import RequestLog

if TYPE_CHECKING:
    from collections.abc import Callable

    from venice.scenario import Scenario

REQUESTS = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000_000
TURNS = 2
CASES: dict[str, Scenario] = {
    "mqsim-default": {"drive": "mqsim-default", "workload": "random-read", "closed_loop": 32},
    "venice-performance, venice": {
        "drive": "venice-performance",
        "fabric": "venice",
        "workload": "mixed-70-30",
        "closed_loop": 32,
    },
}


def least_s(work: Callable[[], object]) -> float:
    """Give the least time of some turns."""
    times = []
    for _ in range(TURNS):
        started = time.perf_counter()
        work()
        times.append(time.perf_counter() - started)
    return min(times)


def measure(name: str, scenario: Scenario, folder: Path) -> None:
    """Print a line for a drive."""

    def logged() -> None:
        with (folder / "log.parquet").open("wb") as file, RequestLog(file) as log:
            venice.run(**scenario, requests=REQUESTS, log=log)

    plain_s = least_s(lambda: venice.run(**scenario, requests=REQUESTS))
    logged_s = least_s(logged)
    table_s = least_s(lambda: venice.run(**scenario, requests=REQUESTS, request_table=True))
    table = venice.run(**scenario, requests=REQUESTS, request_table=True).request_table
    polars_s = least_s(lambda: pl.DataFrame(table))
    frame = pl.DataFrame(table)
    written_s = least_s(lambda: frame.write_parquet(folder / "frame.parquet", compression="lz4"))
    print(
        f"{name}: run {plain_s:.2f} s, with its table {table_s:.2f} s, with its log written "
        f"{logged_s:.2f} s; into Polars {polars_s:.4f} s, from there to Parquet {written_s:.2f} s"
    )


with tempfile.TemporaryDirectory() as place:
    for each, what in CASES.items():
        measure(each, what, Path(place))
