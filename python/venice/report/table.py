"""Reports as a table for the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from rich import box
from rich.table import Table

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from venice.report.report import Report

_SMALL = 10


class _Column(NamedTuple):
    title: str
    figure: Callable[[Report], float | None]
    text: Callable[[float], str]


def amount(value: float) -> str:
    """Write a figure with three digits or more, and never more decimals than it needs."""
    if value == 0:
        return "0"
    if abs(value) < _SMALL:
        return f"{value:.2f}"
    return f"{value:,.1f}" if abs(value) < 100 * _SMALL else f"{value:,.0f}"


def whole(value: float) -> str:
    """Write a figure without decimals."""
    return f"{value:,.0f}"


_COLUMNS = (
    _Column("mean\nµs", lambda report: report.latency_us.all.mean, amount),
    _Column("p50\nµs", lambda report: report.latency_us.all.p50, amount),
    _Column("p99\nµs", lambda report: report.latency_us.all.p99, amount),
    _Column("p99.9\nµs", lambda report: report.latency_us.all.p999, amount),
    _Column("IOPS", lambda report: report.iops, whole),
    _Column("bandwidth\nMB/s", lambda report: report.bandwidth_mb_per_s, amount),
    _Column("conflicts\n% of req.", lambda report: report.path.requests_conflict_pct, amount),
    _Column("path wait\nµs, mean", lambda report: report.breakdown()["path_wait"], amount),
)


def table(reports: Sequence[Report]) -> Table:
    """Lay out one row for each report; readable in 100 columns.

    The speed-up of a row is the first row's mean latency over its own.
    """
    layout = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    layout.add_column("fabric", vertical="bottom", no_wrap=True)
    for column in _COLUMNS:
        layout.add_column(column.title, justify="right", vertical="bottom", no_wrap=True)
    if len(reports) > 1:
        layout.add_column("speed-up\nof mean", justify="right", vertical="bottom", no_wrap=True)
    for report in reports:
        layout.add_row(*_cells(report, reports))
    return layout


def caption(reports: Sequence[Report]) -> str:
    """Say in one line what was run and how fast."""
    first = reports[0]
    wall_s = sum(report.wall_s for report in reports)
    requests = sum(report.requests.completed for report in reports)
    synthetic = " (synthetic)" if first.is_synthetic else ""
    parts = [
        str(first.config.get("name", "drive")),
        f"{first.workload.name}{synthetic}, {_loop(first)}",
        f"{first.requests.completed:,} requests",
        f"seed {first.seed}",
        f"{wall_s:.1f} s of computing",
        f"{requests / wall_s if wall_s else 0:,.0f} requests/s",
    ]
    return " · ".join(parts)


def notes(report: Report) -> list[str]:
    """Say what was changed in the requests, if anything was."""
    workload = report.workload
    found = []
    if workload.folded:
        found.append(f"{workload.folded:,} requests lay beyond the drive and were folded into it")
    if workload.out_of_order:
        found.append(f"{workload.out_of_order:,} time stamps ran backwards and were moved up")
    return found


def _loop(report: Report) -> str:
    if report.workload.queue_depth is None:
        return "open loop"
    return f"closed loop of {report.workload.queue_depth}"


def _cells(report: Report, reports: Sequence[Report]) -> list[str]:
    figures = [_cell(column.figure(report), column.text) for column in _COLUMNS]
    if len(reports) == 1:
        return [report.fabric, *figures]
    return [report.fabric, *figures, _speed_up(report, reports[0])]


def _cell(figure: float | None, text: Callable[[float], str]) -> str:
    return "–" if figure is None else text(figure)


def _speed_up(report: Report, first: Report) -> str:
    own, reference = report.latency_us.all.mean, first.latency_us.all.mean
    return f"{reference / own:.2f}×" if own and reference else "–"
