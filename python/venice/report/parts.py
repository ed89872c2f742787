"""Parts of the mean latency: stages, with waits for chips and for cache space split by cause."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from venice.report.stages import STAGES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from venice.report.report import Report


class Part(NamedTuple):
    """Part of the mean latency, with its names and its colour."""

    key: str
    """Name of the part in reports, if it has one."""
    label: str
    """Name of the part in tables and figures."""
    colour: str


HOST_CAUSES = {
    "host_array": "array of others",
    "host_transfer": "transfers of others",
    "path_held": "chip held for a path",
}
"""Causes of waits that are due to host requests, with their labels."""

OWN_WORK_CAUSES = {
    "collection_reads": "GC reads",
    "collection_programs": "GC programs",
    "erases": "GC erases",
    "wear_levelling": "wear levelling",
    "read_reclaim": "read reclaim",
    "refresh": "refresh",
    "scrub": "scrub",
    "map_commands": "map reads and programs",
    "no_free_page": "no free page",
}
"""Causes of waits that are due to work of the drive itself, such as garbage collection."""

DATA_UPKEEP_CAUSES = ("read_reclaim", "refresh", "scrub")
"""Causes of :data:`OWN_WORK_CAUSES` that protect data against bit errors."""

CAUSES = {**HOST_CAUSES, **OWN_WORK_CAUSES}
"""All causes of waits for chips and for space in the data cache."""

_STAGE_COLOURS = (
    "#dddddd",
    "#eedd88",
    "#bbcc33",
    "#ee8866",
    "#99ddff",
    "#77aadd",
    "#44bb99",
    "#ffaabb",
    "#bbbbbb",
    "#aaaadd",
)
"""Colours of the stages: Tol's light scheme ("Colour schemes", SRON/EPS/TN/09-002, 2021), whose
colours no fabric uses.
"""

_CAUSE_COLOURS = {
    "host_array": "#aaaa00",
    "host_transfer": "#cdcd70",
    "path_held": "#f6c3b0",
    "collection_reads": "#c9b3de",
    "collection_programs": "#9575bd",
    "erases": "#5f4690",
    "wear_levelling": "#b5a38a",
    "read_reclaim": "#8c7355",
    "refresh": "#6b5640",
    "scrub": "#4a3b2c",
    "map_commands": "#ded0b6",
    "no_free_page": "#6b6b83",
}

WAITS = tuple(Part(key, f"wait: {CAUSES[key]}", colour) for key, colour in _CAUSE_COLOURS.items())
"""Parts that are waits for chips or for space in the data cache, by cause."""


def _parts() -> tuple[Part, ...]:
    parts: list[Part] = []
    for stage, colour in zip(STAGES, _STAGE_COLOURS, strict=True):
        parts += [*WAITS] if stage.key == "chip_wait" else []
        parts.append(Part(stage.key, stage.label, colour))
    return tuple(parts)


PARTS = _parts()
"""All parts, in the order of stacked bars. ``chip_wait`` and ``cache`` are what remains of these
stages without the listed causes."""


def has_causes(reports: Sequence[Report]) -> bool:
    """Return true if all of these runs recorded the causes of waits."""
    return all(report.content.get("chip_wait_causes_us") is not None for report in reports)


def parts_us(report: Report, operation: str = "all") -> dict[str, float]:
    """Split the mean latency into parts, in microseconds, by the keys of :data:`PARTS`.

    The parts add up to the mean latency. If causes were not recorded, ``chip_wait`` and ``cache``
    are whole stages.
    """
    parts = dict.fromkeys((part.key for part in PARTS), 0.0)
    parts.update(report.breakdown(operation))
    for stage, name in (("chip_wait", "chip_wait_causes_us"), ("cache", "cache_causes_us")):
        causes = _mean_causes(report, name, operation)
        for cause in CAUSES:
            parts[cause] += causes.get(cause, 0.0)
            parts[stage] -= causes.get(cause, 0.0)
        parts[stage] = 0.0 if abs(parts[stage]) < _ROUNDING_US else parts[stage]
    return parts


_ROUNDING_US = 1e-6
"""Rounding tolerance of a stage whose causes add up to the whole: a picosecond [µs]."""


def _mean_causes(report: Report, name: str, operation: str) -> dict[str, float]:
    """Return the mean of a figure over operations, by cause; empty without this figure."""
    by_operation: Mapping[str, Mapping[str, float]] = report.content.get(name) or {}
    if operation != "all":
        return dict(by_operation.get(operation, {}))
    latencies = report.content["latency_us"]
    counts = {name: latencies[name]["count"] for name in by_operation}
    total = sum(counts.values()) or 1
    parts = [(by_operation[name], count) for name, count in counts.items()]
    return {
        cause: sum(causes.get(cause, 0.0) * count for causes, count in parts) / total
        for cause in CAUSES
        if by_operation
    }
