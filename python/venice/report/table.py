"""Reports as a table for the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from venice.labels import labels
from venice.report.layout import laid_out
from venice.report.percentiles import USUAL, latency_us, title

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from venice.report.report import Report

_PLACES = ((1000, 0), (100, 1), (0, 2))
"""From which largest value on a column has how many decimals."""


class _Column(NamedTuple):
    title: str
    figure: Callable[[Report], float | None]


_MEAN = _Column("mean\nµs", lambda report: report.latency_us.all.mean)
_REST = (
    _Column("IOPS", lambda report: report.iops),
    _Column("bandwidth\nMB/s", lambda report: report.bandwidth_mb_per_s),
    _Column("conflicts\n% of req.", lambda report: report.path.requests_conflict_pct),
    _Column("path wait\nµs, mean", lambda report: report.breakdown()["path_wait"]),
)


def table(reports: Sequence[Report], percentiles: Sequence[float] = USUAL) -> str:
    """Lay out one row for each report; readable in 100 columns with the usual percentiles.

    The speed-up of a row is the first row's mean latency over its own.
    """
    shown = (_MEAN, *map(_percentile, percentiles), *_REST)
    columns = [column_texts([column.figure(report) for report in reports]) for column in shown]
    titles = [column.title for column in shown]
    if len(reports) > 1:
        titles.append("speed-up\nof mean")
        columns.append([speed_up(report, reports[0]) for report in reports])
    first = "fabric" if len(set(map(drive_name, reports))) == 1 else "drive"
    return laid_out([first, *titles], zip(names_of(reports), *columns, strict=True))


def _percentile(percentile: float) -> _Column:
    return _Column(f"{title(percentile)}\nµs", lambda report: latency_us(report, percentile))


def drive_name(report: Report) -> str:
    """Give the name of the drive that a report is of."""
    return str(report.config.get("name", "drive"))


def names_of(reports: Sequence[Report]) -> list[str]:
    """Call reports after what they differ in: their fabrics, their drives, or both."""
    return labels([(drive_name(report), report.fabric) for report in reports])


def drives_of(reports: Sequence[Report]) -> str:
    """Name the drives that reports are of, each once."""
    return ", ".join(dict.fromkeys(map(drive_name, reports)))


def column_texts(figures: Sequence[float | None]) -> list[str]:
    """Write the figures of a column with as many decimals as its largest has use for.

    Examples
    --------
    >>> column_texts([8.371, 12.25, None])
    ['8.37', '12.25', '–']
    >>> column_texts([8.371, 1912542.0])
    ['8', '1,912,542']
    """
    largest = max((abs(figure) for figure in figures if figure is not None), default=0)
    places = next(places for bound, places in _PLACES if largest >= bound)
    return ["–" if figure is None else f"{figure:,.{places}f}" for figure in figures]


def caption(reports: Sequence[Report]) -> str:
    """Say in one line what was run and how fast."""
    first = reports[0]
    wall_s = sum(report.wall_s for report in reports)
    requests = sum(report.requests.completed for report in reports)
    synthetic = " (synthetic)" if first.is_synthetic else ""
    parts = [
        drives_of(reports),
        f"{first.workload.name}{synthetic}, {_loop(first)}",
        f"{first.requests.completed:,} requests",
        f"seed {first.seed}",
        f"{wall_s:.1f} s of computing",
        f"{requests / wall_s if wall_s else 0:,.0f} requests/s",
    ]
    return " · ".join(parts)


_NOTES = {
    "folded": "{:,} requests lay beyond the drive and were folded into it",
    "out_of_order": "{:,} time stamps ran backwards and were put in order",
    "moved_up": "{:,} of them came too late for that and were moved up",
    "skipped_bad": "{:,} bad lines were passed over",
    "other_ops": "{:,} operations were neither read nor write and were passed over",
    "zero_size": "{:,} requests for no data were passed over",
    "garbled_times": "{:,} records with an impossible time were passed over",
}


def notes(report: Report) -> list[str]:
    """Say what was left out or changed in the requests, if anything was."""
    content = report.to_dict()
    workload = content["workload"]
    found = [
        f"{phase['requests']:,} requests before these were warm-up and are in no figure"
        for phase in content.get("phases", ())
        if phase["name"] == "warmup"
    ]
    found += [text.format(workload[key]) for key, text in _NOTES.items() if workload.get(key)]
    note = workload.get("format_note")
    return [*found, f"read as {workload['format']}: {note}"] if note else found


def _loop(report: Report) -> str:
    if report.workload.queue_depth is None:
        return "open loop"
    return f"closed loop of {report.workload.queue_depth}"


def speed_up(report: Report, first: Report) -> str:
    """Write how many times the first report's mean latency is this one's."""
    own, reference = report.latency_us.all.mean, first.latency_us.all.mean
    return f"{reference / own:.2f}×" if own and reference else "–"
