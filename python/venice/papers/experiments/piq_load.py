"""Gain of each scheme over the offered load, in shares of the in-order drive's throughput.

The paper gives one mean for its fifteen volumes and does not state the load of the drive. Here
every trace offers the same share of the in-order drive's throughput. The result shows how the gains
depend on the load, and is not counted in the scorecard.
"""

from __future__ import annotations

import itertools
from functools import partial
from typing import TYPE_CHECKING

from venice.papers.experiment import Experiment, Finding
from venice.papers.experiments import piq_suite
from venice.papers.experiments.piq_saturation import LINKS, at_share, has_both_kinds
from venice.papers.experiments.piq_suite import DRIVE, IN_ORDER, REQUESTS, TITLES, mean
from venice.papers.experiments.suite import change, point, ratio
from venice.papers.size import QUICK

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from matplotlib.figure import Figure

    from venice.papers.experiment import Runs
    from venice.papers.experiments.piq_suite import Load
    from venice.papers.size import Size
    from venice.report import Report
    from venice.sweep import Point

_SHARES = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8)
_SCHEMES = ("noop", "rws", "piq", "piq_plus")
_MEASURES: dict[str, Callable[[Report], float | None]] = {
    "mean read latency": partial(piq_suite.latency, way="read"),
    "mean write latency": partial(piq_suite.latency, way="write"),
    "mean waiting of reads": partial(piq_suite.waiting, way="read"),
    "mean waiting of writes": partial(piq_suite.waiting, way="write"),
    "chips at work while busy": piq_suite.busy_chips,
}


def _requests(size: Size) -> int:
    return size.requests if size.requests < QUICK.requests else REQUESTS


def _points(size: Size) -> Sequence[Point]:
    return [
        point(
            {"load": load.name, "share": share, "scheme": scheme},
            drive=DRIVE,
            requests=_requests(size),
            sets=(f"host.scheduler.scheme={scheme}", *IN_ORDER.sets, LINKS),
            **at_share(load, "bus", share, _requests(size)).scenario,
        )
        for share in size.some(_SHARES)
        for load in _loads(size)
        for scheme in _SCHEMES
    ]


def _loads(size: Size) -> list[Load]:
    """Return the loads that have enough reads and enough writes."""
    return [load for load in piq_suite.loads(size) if has_both_kinds(load, _requests(size))]


def _kept(runs: Runs, size: Size, share: float) -> list[dict[str, Report]]:
    """Return the reports by scheme, for each load that saturates no scheme."""
    kept = []
    for load in _loads(size):
        reports = {
            scheme: report
            for scheme in _SCHEMES
            if (report := runs.find(load=load.name, share=share, scheme=scheme)) is not None
        }
        if len(reports) == len(_SCHEMES) and not any(map(_grows, reports.values())):
            kept.append(reports)
    return kept


def _grows(report: Report) -> bool:
    return bool(piq_suite.scheduled(report, "backlog")["grows"])


def _evaluate(runs: Runs, size: Size) -> Finding:
    rows: list[list[str | float | None]] = []
    gains: dict[tuple[str, str], list[tuple[float, float]]] = {}
    for share in size.some(_SHARES):
        kept = _kept(runs, size, share)
        conflicts = mean(piq_suite.conflicted_reads(reports["noop"]) for reports in kept)
        for (name, measure), scheme in itertools.product(_MEASURES.items(), _SCHEMES[1:]):
            ratios = [ratio(measure(of[scheme]), measure(of["noop"])) for of in kept]
            gain = change(mean(ratios))
            rows.append([share, float(len(kept)), conflicts, name, scheme, gain])
            if gain is not None:
                gains.setdefault((name, scheme), []).append((share, gain))
    columns = ("share", "loads", "reads_in_conflict_pct", "measure", "scheme", "change_pct")
    return Finding(columns, rows, (), lambda: _draw(gains))


def _draw(gains: dict[tuple[str, str], list[tuple[float, float]]]) -> Figure:
    from venice.papers.draw import Panel, draw_lines, grid, label  # noqa: PLC0415 matplotlib

    figure, (axes,) = grid(1, len(_MEASURES))
    for space, name in zip(axes, _MEASURES, strict=True):
        lines = {TITLES[scheme]: gains.get((name, scheme), []) for scheme in _SCHEMES[1:]}
        draw_lines(space, lines)
        label(space, Panel(name, "offered, share of saturation", "against NOOP, %"))
    axes[0].legend()
    return figure


EXPERIMENT = Experiment(
    "piq-load", "piq", "Gain of each scheme over the load", "ours", _evaluate, _points
)
