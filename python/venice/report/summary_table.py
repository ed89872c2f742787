"""Table of reports for the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from venice.report.demand import backlog, is_saturated, offered_iops
from venice.report.mapping_units import unit_bytes
from venice.report.percentiles import USUAL, latency_us, title
from venice.report.rows import firsts, mean_of, rows_of
from venice.text import counts
from venice.text.labels import labels
from venice.text.layout import format_table
from venice.text.units import size_text, written_column

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from venice.report.report import Report
    from venice.report.rows import Row


class _Column(NamedTuple):
    title: str
    """Title of the column; for a time, ``{}`` is replaced by the unit."""
    figure: Callable[[Report], float | None]


_MEAN = _Column("mean\n{}", lambda report: report.latency_us.all.mean)
_REST = (
    _Column("IOPS", lambda report: report.iops),
    _Column("bandwidth\nMB/s", lambda report: report.bandwidth_mb_per_s),
    _Column("conflicts\n% of req.", lambda report: report.path.requests_conflict_pct),
    _Column("path wait\n{}, mean", lambda report: report.breakdown()["path_wait"]),
)


def table(
    reports: Sequence[Report], percentiles: Sequence[float] = USUAL, *, seeds: int = 1
) -> str:
    """Return a table with a row for each report, at most 100 columns wide by default.

    If there are several seeds, the values are means. The speed-up of a row is the ratio of the
    first row's mean latency to the row's. It is omitted if one of the two drives was saturated,
    because its latencies depend on the length of the run.
    """
    titles, rows = cells(reports, percentiles, seeds=seeds)
    return format_table(titles, rows)


def cells(
    reports: Sequence[Report], percentiles: Sequence[float] = USUAL, *, seeds: int = 1
) -> tuple[list[str], list[tuple[str, ...]]]:
    """Return the titles and the rows of the table."""
    rows = rows_of(reports, seeds)
    shown = (_MEAN, *map(_percentile, percentiles), *_REST, *_of_requests(reports))
    written = [
        written_column(column.title, [mean_of(row, column.figure) for row in rows])
        for column in shown
    ]
    titles, columns = [title for title, _ in written], [texts for _, texts in written]
    if len(rows) > 1:
        titles.append("speed-up\nof mean")
        columns.append([_speed_up_or_not(row, rows[0]) for row in rows])
    first = "fabric" if len(set(map(drive_name, reports))) == 1 else "drive"
    return [first, *titles], list(zip(names_of(firsts(rows)), *columns, strict=True))


def _of_requests(reports: Sequence[Report]) -> list[_Column]:
    """Return the columns on changed requests and on saturation."""
    return [column for column, is_there in _IF_ANY if any(map(is_there, reports))]


def _percentile(percentile: float) -> _Column:
    return _Column(f"{title(percentile)}\n{{}}", lambda report: latency_us(report, percentile))


def drive_name(report: Report) -> str:
    """Return the name of the drive in a report."""
    return str(report.config.get("name", "drive"))


def names_of(reports: Sequence[Report]) -> list[str]:
    """Return the names of reports: fabrics, drives or both, depending on which differ."""
    rows = [(drive_name(report), report.fabric) for report in reports]
    return labels(rows, [report.content["config"] for report in reports])


def drives_of(reports: Sequence[Report]) -> str:
    """Return the names of the drives of reports, without duplicates."""
    return ", ".join(dict.fromkeys(map(drive_name, reports)))


def _sized_drives(reports: Sequence[Report]) -> str:
    """Return the names of drives with their capacities, without duplicates."""
    named = (f"{drive_name(report)}{_capacity(report)}" for report in reports)
    return ", ".join(dict.fromkeys(named))


def _capacity(report: Report) -> str:
    """Return the capacity as text; empty for reports of older versions."""
    capacity = report.content.get("capacity_bytes")
    return f" of {size_text(capacity)}" if capacity else ""


def caption(reports: Sequence[Report]) -> str:
    """Return a line with the load and the speed of the simulation."""
    first = reports[0]
    synthetic = " (synthetic)" if first.is_synthetic else ""
    parts = [
        _sized_drives(reports),
        f"{first.workload.name}{synthetic}, {_loop(first)}",
        f"{first.requests.completed:,} requests",
        _seeds(reports),
        *_pace(reports),
    ]
    return " · ".join(parts)


def _pace(reports: Sequence[Report]) -> list[str]:
    """Return the speed of the simulation as text; empty if reports lack the wall time."""
    wall_s = sum(report.content.get("wall_s") or 0.0 for report in reports)
    if not wall_s:
        return []
    requests = sum(report.requests.completed for report in reports)
    return [f"computed in {counts.seconds(wall_s)} ({requests / wall_s:,.0f} requests/s)"]


def _seeds(reports: Sequence[Report]) -> str:
    seeds = dict.fromkeys(report.seed for report in reports)
    first, *_, last = (*seeds, *seeds)
    return f"seed {first}" if len(seeds) == 1 else f"seeds {first} to {last}"


_NOTES = {
    "out_of_order": "{:,} time stamps were out of order and were sorted",
    "moved_up": "{:,} of them were too late for that and were moved forward",
    "skipped_bad": "{:,} bad lines were skipped",
    "garbled_times": "{:,} records with an impossible time were skipped",
}


SKIPPED = ("skipped_bad", "other_ops", "zero_size", "garbled_times")
"""Keys in a report for the numbers of skipped trace lines."""


def notes(report: Report) -> list[str]:
    """Return notes on skipped, changed and refused requests."""
    content = report.content
    workload = content["workload"]
    found = [
        f"Warm-up: {phase['requests']:,} requests, which no figure includes"
        for phase in content.get("phases", ())
        if phase["name"] == "warmup"
    ]
    if workload.get("folded"):
        found.append(_folded(report))
    if workload.get("device_layout"):
        found.append(_devices(report))
    found += [text.format(workload[key]) for key, text in _NOTES.items() if workload.get(key)]
    rule = rule_of(report)
    return [*found, rule] if rule else found


def notes_of_each(reports: Sequence[Report]) -> list[str]:
    """Return notes on failed requests and on searches, with run names if there are several."""
    names = names_of(reports) if len(reports) > 1 else [""]
    found = []
    for name, report in zip(names, reports, strict=True):
        texts = filter(None, (_failed(report), _searches(report)))
        found += [f"{name}: {text}" if name else text for text in texts]
    return found


def _failed(report: Report) -> str | None:
    """Return a text on the requests that ended with an error."""
    failed = report.content["requests"].get("failed")
    if not failed:
        return None
    requests = counts.of(failed, "request")
    return (
        f"{requests} failed, which latencies and rates do not include{_cause_of_failures(report)}"
    )


def _cause_of_failures(report: Report) -> str:
    """Return a text on the cause of failed requests, empty if several causes are possible."""
    content = report.content
    if content.get("bad_blocks", {}).get("grown", {}).get("is_read_only"):
        return ": the drive has become read-only, since a plane has no spare blocks left"
    refused = content.get("deallocation", {}).get("reads_refused")
    if refused == content["requests"]["failed"]:
        return ": they read sectors without data (`ftl.dulbe`)"
    return ""


_SEARCHERS = {"pif": "the chips", "pis": "the controller", "host": "the host"}


def _searches(report: Report) -> str | None:
    """Return a text on the rate of searches, whose pages the bandwidth does not include.

    Pages that could not be read do not count; without a completed search there is no rate.
    """
    search = report.content.get("search")
    if not search or not report.makespan_us:
        return None
    searches = counts.of(search["searches"], "search", "searches")
    where = _SEARCHERS[search["location"]]
    if not report.content["latency_us"].get("search", {}).get("count"):
        return f"{searches} in {where}: none was completed"
    pages = search["pages"] - search.get("pages_failed", 0)
    rate = pages * unit_bytes(report.config) / report.makespan_us
    failed = search["pages"] - pages
    besides = f"; {counts.of(failed, 'page')} could not be read" if failed else ""
    return (
        f"{searches} in {where}: {counts.of(pages, 'page')} at {rate:,.0f} MB/s, which the "
        f"bandwidth does not include{besides}"
    )


def rule_of(report: Report) -> str | None:
    """Return the rule by which the format of an ambiguous trace was chosen."""
    workload = report.content["workload"]
    note = workload.get("format_note")
    return f"read as {workload['format']}: {note}" if note else None


def folded_pct(report: Report) -> float:
    """Return the share of requests wrapped around the drive's capacity [%].

    Examples
    --------
    >>> from venice.report import Report
    >>> phases = [{"requests": 3}, {"requests": 5}]
    >>> folded_pct(Report({"workload": {"folded": 1}, "phases": phases}))
    12.5
    """
    content = report.content
    requests: int = sum(phase["requests"] for phase in content["phases"])
    folded: int = content["workload"].get("folded", 0)
    return folded / max(requests, 1) * 100


def skipped(report: Report) -> int:
    """Return the number of skipped lines or records of the trace."""
    workload = report.content["workload"]
    return sum(workload.get(key, 0) for key in SKIPPED)


def _devices(report: Report) -> str:
    """Return a text on the placement of a trace's devices on the drive."""
    workload = report.content["workload"]
    count, layout = workload["devices"], workload["device_layout"]
    if layout == "single":
        return "only one device of the trace is replayed (--devices)"
    share = "share one address range" if layout == "overlay" else "have an address range each"
    return f"{counts.of(count, 'device')} of the trace {share} ({layout})"


def _folded(report: Report) -> str:
    return (
        f"{report.workload.folded:,} requests ({folded_pct(report):.1f} %) lie beyond the drive "
        "and are served at other addresses inside it (folded), where they meet requests that they "
        "never met"
    )


def _loop(report: Report) -> str:
    if report.workload.queue_depth is None:
        return "open loop"
    return f"closed loop of {report.workload.queue_depth}"


def _speed_up_or_not(row: Row, first: Row) -> str:
    past = any(map(is_saturated, (*row, *first)))
    return "saturated" if past else speed_up(row, first)


def speed_up(row: Row, first: Row) -> str:
    """Return the speed-up of a row over the first as text, with values paired by seed."""
    own, reference = mean_of(row, _MEAN.figure), mean_of(first, _MEAN.figure)
    if not own or not reference:
        return "–"
    if len(row) == 1:
        return f"{reference / own:.2f}×"
    from venice import stats  # noqa: PLC0415 for several seeds alone

    mean_us = _MEAN.figure
    found = stats.ratio(stats.sample(first, mean_us) or {}, stats.sample(row, mean_us) or {})
    return f"{found.mean:.2f}×" if found else "–"


_IF_ANY: tuple[tuple[_Column, Callable[[Report], object]], ...] = (
    (_Column("IOPS\noffered", offered_iops), is_saturated),
    (_Column("waiting\nat end", backlog), is_saturated),
    (_Column("beyond drive\n% of req.", folded_pct), folded_pct),
    (_Column("lines\nskipped", skipped), skipped),
)
"""Optional columns, each with a function that tells if a report has a figure for it."""
