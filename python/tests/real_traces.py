"""Six real traces at three rates on six fabrics.

As a program, this module writes the results that the documentation shows: every figure, and a
remark on incomplete requests. The traces are not in the repository; ``VENICE_SHARED`` is their
folder.
"""

from __future__ import annotations

import os
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import venice
from tools import results
from venice.papers.required_figures import require

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tools.results import Table
    from venice.config import FabricName

REPOSITORY = Path(__file__).resolve().parents[2]
RESULTS = results.RESULTS / "real-traces.json"
CELL = "{mean_us:,.1f} / {p99_us:,} ({conflict_pct})"
DRIVE = "venice-performance"
RATES = (1, 10, 100)


class Trace(NamedTuple):
    """A trace and its name."""

    file: str
    what: str
    devices: str | None = None
    """Option ``--devices``, if the trace has several devices."""


TRACES = (
    Trace("msr/hm_0_window.csv.zst", "MSR Cambridge hm_0, a window of 148 s"),
    Trace("msr/msr_cut_burst.replay.zst", "MSR Cambridge, the busiest second of a volume"),
    Trace("tracetracker/hm_1_revised_5000.txt.zst", "MSR Cambridge hm_1, retimed by TraceTracker"),
    Trace("spc/Financial1_first10000.spc.zst", "SPC Financial1, the first 260 s", "overlay"),
    Trace("mqsim/wsrch-small.trace.zst", "web search, as shipped with MQSim", "overlay"),
    Trace("fiu/mail_first9997.blkparse.zst", "FIU mail, the first 24 s"),
)


class Cell(NamedTuple):
    """One run."""

    mean_us: float
    p99_us: float
    conflicted_pct: float
    submitted: int
    completed: int


def cell(trace: Trace, rate: int, fabric: FabricName) -> Cell:
    """Run one trace at one rate on one fabric."""
    report = venice.run(
        drive=DRIVE,
        fabric=fabric,
        trace=traces_folder() / trace.file,
        devices=trace.devices,
        rate_scale=float(rate),
        fold=True,
    )
    requests, latency_us = report.requests, report.latency_us.all
    return Cell(
        require(latency_us.mean),
        require(latency_us.p99),
        require(report.path.requests_conflict_pct),
        requests.submitted,
        requests.completed,
    )


def traces_folder() -> Path:
    """Return the folder of published traces."""
    return Path(os.environ.get("VENICE_SHARED", REPOSITORY.parent / "shared")) / "traces"


def content() -> list[str | Table]:
    """Run all cells and return the texts and tables of the page."""
    fabrics = venice.paper_fabric_names()
    places = [(trace, rate, name) for trace in TRACES for rate in RATES for name in fabrics]
    with ProcessPoolExecutor() as pool:
        cells = dict(zip(places, pool.map(cell, *zip(*places, strict=True)), strict=True))
    lost = [place for place, one in cells.items() if one.completed != one.submitted]
    if lost:
        sys.exit(f"requests were not completed: {lost}")
    requests = sum(one.completed for one in cells.values())
    parts: list[str | Table] = [
        f"All {len(places)} runs completed all their requests: {requests:,} in all."
    ]
    for trace in TRACES:
        info = venice.trace_info(traces_folder() / trace.file)
        parts += [f"## {trace.what}", _characteristics(trace.file, info)]
        parts.append(_table(trace, fabrics, cells))
    return parts


def _table(
    trace: Trace,
    fabrics: Sequence[FabricName],
    cells: Mapping[tuple[Trace, int, FabricName], Cell],
) -> Table:
    columns = [results.numbers(name, CELL) for name in ("rate", *fabrics)]
    columns[0]["format"] = "{}"
    rows = [[rate, *(_fields(cells[trace, rate, name]) for name in fabrics)] for rate in RATES]
    return {"columns": columns, "rows": rows}


def _characteristics(file: str, info: venice.TraceInfo) -> str:
    return (
        f"`{file}`: {info['requests']:,} requests, {info['read_pct']:.0f} % reads, mean size "
        f"{info['mean_size_kib']:.1f} KiB, mean gap {info['mean_inter_arrival_us']:,.0f} µs, "
        f"median gap {info['median_inter_arrival_us']:,.1f} µs."
    )


def _fields(one: Cell) -> dict[str, float]:
    return {
        "mean_us": round(one.mean_us, 1),
        "p99_us": round(one.p99_us),
        "conflict_pct": round(one.conflicted_pct),
    }


if __name__ == "__main__":
    results.write(RESULTS, content())
