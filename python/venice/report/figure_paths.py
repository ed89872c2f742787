"""Paths of the figures of a report that tables of many runs contain."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from venice.report.stages import STAGES
from venice.report.summary_table import SKIPPED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from venice.report import Report

FIGURES = (
    "requests.completed",
    "makespan_us",
    "iops",
    "bandwidth_mb_per_s",
    *(
        f"latency_us.{operation}.{figure}"
        for operation in ("all", "read", "write")
        for figure in ("mean", "p50", "p99", "p999", "max")
    ),
    "write_amplification",
    "pages_per_written_page",
    "path.conflict_pct",
    "path.requests_conflict_pct",
    "path.mean_hops",
    "utilisation.chip_pct",
    "utilisation.plane_pct",
    "utilisation.channel_pct",
    "energy_uj.total",
    "energy_paper.energy_uj",
    "energy_paper.power_mw",
)
"""Paths of figures in the report, which are also the names of columns."""

STAGE_FIGURES = tuple(
    f"breakdown_us.{operation}.{stage.key}" for operation in ("read", "write") for stage in STAGES
)
"""Paths of the mean times of stages, which are not columns of tables."""

GATHERS = "requests.gathers"
FORMAT, FORMAT_NOTE = "workload.format", "workload.format_note"
"""Paths of the figures that show whether a run gathered operands, and how it read a trace."""

OF_GATHERS = (
    *(f"latency_us.gather.{figure}" for figure in ("mean", "p50", "p99", "p999", "max")),
    *(f"gather.{path}" for path in ("in_place", "copied_between_chips", "by_controller")),
    "gather.bytes_between_chips",
    "gather.bytes_by_controller",
)
"""Columns for sweeps in which some run gathered operands."""


OF_DEMAND = (
    "demand.offered_iops",
    "demand.completed_iops",
    "demand.backlog",
    "demand.saturated",
    "steadiness.verdict",
    "steadiness.requests_needed",
)
"""Columns on overload and on steady state."""

OF_TRACES = (
    "workload.folded",
    *(f"workload.{key}" for key in SKIPPED),
    FORMAT,
    FORMAT_NOTE,
)
"""Columns for sweeps in which some run read a trace: changes to the trace, and its format."""


SWITCHES = frozenset({"demand.saturated"})
"""Paths of boolean figures."""

ALL = (*FIGURES, *OF_DEMAND, *OF_GATHERS, *OF_TRACES, GATHERS)
"""Columns of a database of results."""


def figure(report: Report, path: str) -> Any:  # noqa: ANN401 a figure of a report
    """Return the figure at a dotted path of a report; ``None`` if there is none."""
    value: Any = report.content
    for step in path.split("."):
        value = value.get(step) if isinstance(value, dict) else None
    return value


def columns(reports: Sequence[Report]) -> tuple[str, ...]:
    """Return the names of the figures that a table of these reports contains."""
    gathers = any(figure(report, GATHERS) for report in reports)
    traces = any(figure(report, FORMAT) for report in reports)
    return table_figures(gathers=gathers, traces=traces)


def table_figures(*, gathers: bool, traces: bool) -> tuple[str, ...]:
    """Return the figures of a table; `gathers` and `traces` add the figures of such runs."""
    return (
        *FIGURES,
        *OF_DEMAND,
        *(OF_GATHERS if gathers else ()),
        *(OF_TRACES if traces else ()),
    )
