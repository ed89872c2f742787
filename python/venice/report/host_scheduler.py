"""Tables and notes on the host scheduler, for the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from venice.report.summary_table import speed_up
from venice.report.tenants import tenant_name, tenants_of
from venice.text.layout import format_table
from venice.text.units import column_texts

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from venice.report.report import Report

_KINDS = ("read", "write")
_ISSUES = {"without_conflicts": "drive in order", "freely": "drive lets requests pass"}


def scheme_of(report: Report) -> str:
    """Return the scheme of the host scheduler."""
    scheduler = _scheduler(report)
    return str(scheduler["scheme"]) if scheduler else "none"


def scheduler_notes(report: Report) -> list[str]:
    """Return notes on the host scheduler, and on saturation."""
    scheduler = _scheduler(report)
    if not scheduler:
        return []
    backlog = scheduler["backlog"]
    return [_did(report, scheduler), *([_grew(backlog)] if backlog["grows"] else [])]


def scheme_table(reports: Sequence[Report]) -> str:
    """Return a table with a row for each host scheduler, at most 100 columns wide.

    The speed-up of a row is the ratio of the first row's mean latency to the row's. If there are
    several fabrics, rows are named by scheme and fabric.
    """
    columns = [column_texts([figure(report) for report in reports]) for _, figure in _COLUMNS]
    titles = [title for title, _ in _COLUMNS]
    ups = [speed_up([report], [reports[0]]) for report in reports]
    names = row_names(reports)
    rows = zip(names, *columns, ups, strict=True)
    return format_table(["scheme", *titles, "speed-up\nof mean"], rows)


def slowdown_table(reports: Sequence[Report]) -> str | None:
    """Return a table of each tenant's slowdown; ``None`` unless tenants were also run alone.

    The slowdown of a tenant is the ratio of its mean latency to the mean latency of a run of this
    tenant alone under the same scheduler.
    """
    queues = [tenants_of(report) for report in reports]
    if not all(queue.get("alone") for of in queues for queue in of) or not all(queues):
        return None
    tenants = [
        column_texts([of[place]["alone"]["slowdown_mean"] for of in queues])
        for place in range(len(queues[0]))
    ]
    fairness = [report.content["fairness"].get("slowdown") or {} for report in reports]
    jain = ["–" if (index := of.get("jain")) is None else f"{index:.3f}" for of in fairness]
    titles = [f"slowdown\n{tenant_name(reports[0], queue)}" for queue in queues[0]]
    rows = zip(row_names(reports), *tenants, jain, strict=True)
    return format_table(["scheme", *titles, "Jain's\nindex"], rows)


def row_names(reports: Sequence[Report]) -> list[str]:
    """Return the name of each row: its scheme, and its fabric if there are several."""
    several = len({report.fabric for report in reports}) > 1
    return [
        f"{report.fabric} {scheme_of(report)}" if several else scheme_of(report)
        for report in reports
    ]


def saturated(reports: Sequence[Report]) -> list[str]:
    """Return notes on the rows that are saturated."""
    return [
        f"{name}: {_grew(_scheduler(report)['backlog'])}"
        for name, report in zip(row_names(reports), reports, strict=True)
        if _scheduler(report) and _scheduler(report)["backlog"]["grows"]
    ]


def _scheduler(report: Report) -> Mapping[str, Any]:
    found: Mapping[str, Any] | None = report.content.get("scheduler")
    return found or {}


def _did(report: Report, scheduler: Mapping[str, Any]) -> str:
    settings = report.config["host"]["scheduler"]
    parts = [f"host scheduler {scheduler['scheme']}, {_ISSUES[settings['issue']]}"]
    parts += [
        f"{sizes['count']:,} batches of {kind}s (mean {sizes['mean']:.2f}, most {sizes['max']})"
        for kind, sizes in scheduler["batch_sizes"].items()
    ]
    waits = {
        kind: scheduler["waiting_us"][kind]["mean"]
        for kind in _KINDS
        if scheduler["waiting_us"][kind]["count"]
    }
    waiting = ", ".join(f"{kind}s {wait:,.1f} µs" for kind, wait in waits.items())
    return " · ".join([*parts, f"waiting in the host: {waiting or 'none'}"])


def _grew(backlog: Mapping[str, Any]) -> str:
    return (
        f"past saturation: {backlog['first_half']:,.1f} requests outstanding in the first half of "
        f"the arrivals, {backlog['second_half']:,.1f} in the second, and "
        f"{backlog['drain_pct']:.0f} % of the run to empty the queue; means tell how long it was"
    )


def _latency(kind: str) -> Callable[[Report], float | None]:
    def figure(report: Report) -> float | None:
        value: float | None = report.latency_us[kind]["mean"]
        return value

    return figure


def _waiting(report: Report) -> float | None:
    scheduler = _scheduler(report)
    if not scheduler:
        return None
    waits = [scheduler["waiting_us"][kind] for kind in _KINDS]
    count = sum(wait["count"] for wait in waits)
    return sum((wait["mean"] or 0.0) * wait["count"] for wait in waits) / count if count else None


def _batch(kind: str) -> Callable[[Report], float | None]:
    def figure(report: Report) -> float | None:
        sizes = _scheduler(report).get("batch_sizes", {}).get(kind)
        return sizes["mean"] if sizes else None

    return figure


def _chips(report: Report) -> float | None:
    value: float | None = report.utilisation.chip_pct
    return value


_COLUMNS: tuple[tuple[str, Callable[[Report], float | None]], ...] = (
    ("read\nµs", _latency("read")),
    ("write\nµs", _latency("write")),
    ("p99\nµs", lambda report: report.latency_us.all.p99),
    ("in host\nµs", _waiting),
    ("IOPS", lambda report: report.iops),
    ("chips\n%", _chips),
    ("batch\nreads", _batch("read")),
    ("batch\nwrites", _batch("write")),
)
