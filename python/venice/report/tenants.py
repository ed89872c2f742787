"""Tenants of a drive, that is, its host queues: names, slowdowns and fairness.

Jain's index of n figures x is (sum of x)² / (n × sum of x²): 1 if all figures are equal, 1/n if all
but one figure are 0. Jain, Chiu, Hawe, "A quantitative measure of fairness and discrimination for
resource allocation in shared computer systems", DEC Research Report TR-301, 1984.
"""

from __future__ import annotations

import copy
from math import fsum
from typing import TYPE_CHECKING, Any, cast

from venice.text.layout import format_table
from venice.text.units import time_text, written_column

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from venice.report.report import Report

    Queue = Mapping[str, Any]


LEAST_COMMON_TIME = 0.9
"""Ratio of the shortest to the longest time of the tenants, at or above which their slowdowns count
as those of one common time; ours."""


def jain_index(figures: Sequence[float]) -> float | None:
    """Return Jain's index of fairness; ``None`` if all figures are 0.

    Examples
    --------
    >>> jain_index([2.0, 2.0]), jain_index([1.0, 0.0]), jain_index([1.0, 3.0])
    (1.0, 0.5, 0.8)
    """
    squares = fsum(figure * figure for figure in figures)
    return fsum(figures) ** 2 / (len(figures) * squares) if squares else None


def tenants_of(report: Report) -> Sequence[Queue]:
    """Return the queues of a report; empty for a single queue."""
    queues: Sequence[Queue] = report.content["queues"]
    return queues if len(queues) > 1 else ()


def tenant_cells(report: Report) -> tuple[list[str], list[tuple[str, ...]]]:
    """Return the titles of a table of tenants, and a row for each tenant."""
    queues = tenants_of(report)
    figures = _FIGURES + (_FIGURES_ALONE if any("alone" in queue for queue in queues) else ())
    columns = [written_column(title, [_at(one, path) for one in queues]) for title, path in figures]
    names = [tenant_name(report, queue) for queue in queues]
    numbers = [str(queue["queue"]) for queue in queues]
    cells = [names, numbers, *(texts for _, texts in columns)]
    titles = ["tenant", "queue", *(title for title, _ in columns)]
    return titles, list(zip(*cells, strict=True))


def tenant_name(report: Report, queue: Queue) -> str:
    """Return the name of a tenant: a queue, or a device if devices share an address range.

    Examples
    --------
    >>> from venice.report import Report
    >>> tenant_name(Report({"workload": {"device_layout": "overlay"}}), {"name": "queue 3"})
    'device 3'
    """
    name = str(queue["name"])
    is_device = report.content["workload"].get("device_layout") == "overlay"
    return name.replace("queue ", "device ", 1) if is_device else name


def tenant_table(report: Report) -> str | None:
    """Return a table with a row for each tenant; ``None`` for a single tenant."""
    return format_table(*tenant_cells(report)) if tenants_of(report) else None


def fairness_notes(report: Report) -> Iterator[str]:
    """Yield a note for each figure of fairness in the report."""
    fairness: Mapping[str, Any] = report.content.get("fairness") or {}
    for figure, label in (("throughput", "throughput"), ("slowdown", "mean slowdown")):
        evenness = fairness.get(figure)
        if evenness and evenness["jain"] is not None:
            yield f"{label} over tenants: {_evenness(evenness)}"


def time_notes(reports: Sequence[Report]) -> list[str]:
    """Return a note if slowdowns also cover a time in which only some of the tenants run.

    The note has the times of the report whose tenants differ most.
    """
    times = [_times_us(report) for report in reports]
    place = min(range(len(times)), key=lambda place: _evenness_of_times(times[place]))
    if _evenness_of_times(times[place]) >= LEAST_COMMON_TIME:
        return []
    each = ", ".join(f"{name} {time_text(time)}" for name, time in times[place])
    what = f"Tenants run for different times ({each}): slowdowns also cover the time without others"
    return [f"{what}. Give tenants equal times: `stop_us` of a flow, `runtime` of a job."]


def _times_us(report: Report) -> list[tuple[str, float]]:
    """Return the time from first issue to last completion of each tenant that also ran alone."""
    return [
        (tenant_name(report, queue), 1e6 * queue["latency_us"]["all"]["count"] / queue["iops"])
        for queue in tenants_of(report)
        if queue.get("alone") and queue["iops"]
    ]


def _evenness_of_times(times: Sequence[tuple[str, float]]) -> float:
    lengths = [time for _, time in times]
    return min(lengths) / max(lengths) if lengths else 1.0


def with_alone(report: Report, alone: Mapping[int, Report]) -> Report:
    """Return a report that also compares each tenant with its run alone.

    Parameters
    ----------
    report
        Report of the run with all tenants.
    alone
        Report of each tenant's run alone, by the number of its queue.
    """
    content = copy.deepcopy(report.content)
    for queue in content["queues"]:
        (own,) = alone[queue["queue"]].content["queues"]
        queue["alone"] = _alone(queue, own)
    slowdowns = [queue["alone"]["slowdown_mean"] for queue in content["queues"]]
    if content.get("fairness") and None not in slowdowns:
        content["fairness"]["slowdown"] = {
            "jain": jain_index(slowdowns),
            "max_over_min": _ratio(max(slowdowns), min(slowdowns)),
        }
    return report.with_content(content)


def _alone(shared: Queue, own: Queue) -> dict[str, Any]:
    beside, without = shared["latency_us"]["all"], own["latency_us"]["all"]
    return {
        "latency_us": without,
        "bandwidth_mb_per_s": own["bandwidth_mb_per_s"],
        "slowdown_mean": _ratio(beside["mean"], without["mean"]),
        "slowdown_p99": _ratio(beside["p99"], without["p99"]),
        "throughput_ratio": _ratio(shared["bandwidth_mb_per_s"], own["bandwidth_mb_per_s"]),
    }


def _ratio(figure: float | None, other: float | None) -> float | None:
    return figure / other if figure is not None and other else None


def _evenness(evenness: Mapping[str, float | None]) -> str:
    spread = evenness["max_over_min"]
    ratio_text = "–" if spread is None else f"{spread:.2f}"
    return f"Jain's index {evenness['jain']:.3f}, max/min {ratio_text}"


def _at(queue: Queue, path: Sequence[str]) -> float | None:
    found: Any = queue
    for key in path:
        found = None if found is None else found.get(key)
    return cast("float | None", found)


_FIGURES: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("requests", ("latency_us", "all", "count")),
    ("mean\n{}", ("latency_us", "all", "mean")),
    ("p99\n{}", ("latency_us", "all", "p99")),
    ("IOPS", ("iops",)),
    ("bandwidth\nMB/s", ("bandwidth_mb_per_s",)),
)
_FIGURES_ALONE: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("slowdown\nof mean", ("alone", "slowdown_mean")),
    ("slowdown\nof p99", ("alone", "slowdown_p99")),
    ("throughput\nof alone", ("alone", "throughput_ratio")),
)
