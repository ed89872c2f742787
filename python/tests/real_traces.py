"""Six real traces at three rates on six fabrics.

As a program, this writes the page of the documentation: every figure in it, and whether every
request was completed. The traces are not in the repository; ``VENICE_SHARED`` says where they are.
"""

from __future__ import annotations

import os
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import venice
from venice.papers.required_figures import require

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from venice.config import FabricName

REPOSITORY = Path(__file__).resolve().parents[2]
PAGE = REPOSITORY / "docs" / "guide" / "real-traces.md"
DRIVE = "venice-performance"
RATES = (1, 10, 100)


class Trace(NamedTuple):
    """A trace and what it is called."""

    file: str
    what: str
    devices: str | None = None
    """Placement of its devices, if it has several."""


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
    """Give the folder of published traces."""
    return Path(os.environ.get("VENICE_SHARED", REPOSITORY.parent / "shared")) / "traces"


def page() -> str:
    """Run everything and give the page."""
    fabrics = venice.paper_fabric_names()
    places = [(trace, rate, name) for trace in TRACES for rate in RATES for name in fabrics]
    with ProcessPoolExecutor() as pool:
        cells = dict(zip(places, pool.map(cell, *zip(*places, strict=True)), strict=True))
    lost = [place for place, one in cells.items() if one.completed != one.submitted]
    if lost:
        sys.exit(f"requests were not completed: {lost}")
    parts = [_head(len(places), sum(one.completed for one in cells.values()))]
    parts += [_part(trace, fabrics, cells) for trace in TRACES]
    return "\n".join(parts)


def _head(runs: int, requests: int) -> str:
    return f"""# Six real traces at three rates

Written by `make real-traces`, which runs each cell as

```console
$ venice run --drive {DRIVE} --fabric FABRIC --trace FILE --rate-scale RATE --fold
```

Rate 1 is as recorded, 10 is ten times as fast. All {runs} runs completed all their requests:
{requests:,} in all. Mean latency in µs, its 99th percentile after the stroke, and in brackets the
requests that met a path conflict, in %. The traces are those of `VENICE_SHARED`/traces;
[traces](traces.md) says how they are read. Of the two that have several devices, Financial1 and web
search, the devices share one address range (`--devices overlay`).
"""


def _part(
    trace: Trace,
    fabrics: Sequence[FabricName],
    cells: Mapping[tuple[Trace, int, FabricName], Cell],
) -> str:
    info = venice.trace_info(traces_folder() / trace.file)
    lines = [
        f"## {trace.what}",
        "",
        _characteristics(trace.file, info),
        "",
        f"| rate | {' | '.join(fabrics)} |",
        f"| ---: |{' ---: |' * len(fabrics)}",
    ]
    for rate in RATES:
        row = [_text(cells[trace, rate, name]) for name in fabrics]
        lines.append(f"| {rate} | {' | '.join(row)} |")
    return "\n".join(lines) + "\n"


def _characteristics(file: str, info: venice.TraceInfo) -> str:
    return (
        f"`{file}`: {info['requests']:,} requests, {info['read_pct']:.0f} % reads, mean size "
        f"{info['mean_size_kib']:.1f} KiB, mean gap {info['mean_inter_arrival_us']:,.0f} µs, "
        f"median gap {info['median_inter_arrival_us']:,.1f} µs."
    )


def _text(one: Cell) -> str:
    return f"{one.mean_us:,.1f} / {one.p99_us:,.0f} ({one.conflicted_pct:.0f})"


if __name__ == "__main__":
    PAGE.write_text(page())
