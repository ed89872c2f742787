"""Parts of a request's latency: the stages, with waits split by cause."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from venice.report.parts import PARTS as REPORTED
from venice.report.parts import WAITS, Part
from venice.report.slowest_requests import REASONS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from venice.report.report import Report

OWN_WORK = "own_work"
"""Key of waits for work of the drive itself, such as garbage collection, not split by kind."""

HOST_COMMANDS = "host_commands"
"""Key of waits for other host commands, not split by kind."""

COLLECTION = ("collection_reads", "collection_programs", "erases")
"""Causes that count as one resource of a chip, garbage collection."""

_LABELS = {
    **REASONS,
    OWN_WORK: "the drive's own work",
    HOST_COMMANDS: "other commands of the host",
}
_UNSPLIT = tuple(
    Part(key, f"wait: {_LABELS[key]}", colour)
    for key, colour in ((HOST_COMMANDS, "#009e73"), (OWN_WORK, "#6b8e23"))
)
_ROW_CHANNELS = ("bus", "pssd")
"""Fabrics with exactly one channel for each row of chips."""

_WAITS = (*(part.key for part in WAITS), HOST_COMMANDS, OWN_WORK)


def _with_unsplit() -> tuple[Part, ...]:
    place = [part.key for part in REPORTED].index("chip_wait")
    return (*REPORTED[:place], *_UNSPLIT, *REPORTED[place:])


PARTS = _with_unsplit()
"""All parts, in the order of stacked bars."""


def parts_by_key(row: Mapping[str, Any]) -> dict[str, float]:
    """Split the latency of a row of `report.slowest` into parts [µs].

    For a row of the sample, only the wait for the drive's internal work is known; the remaining
    wait for a chip counts as a wait for other host commands.

    Examples
    --------
    >>> row = {
    ...     "stages_us": {"queue": 2.0, "chip_wait": 5.0},
    ...     "causes_us": {"erases": 4.0, "path_held": 1.0},
    ... }
    >>> {key: us for key, us in parts_by_key(row).items() if us}
    {'queue': 2.0, 'path_held': 1.0, 'erases': 4.0}
    """
    stages: Mapping[str, float] = row["stages_us"]
    explained = "chip_wait" if stages.get("chip_wait") else "cache"
    causes: Mapping[str, float] = row.get("causes_us") or row["chip_wait_behind_us"]
    rest = max(stages.get(explained, 0.0) - sum(causes.values()), 0.0)
    known = {**stages, **causes, explained: rest}
    if "causes_us" not in row and explained == "chip_wait":
        known = {**known, explained: 0.0, HOST_COMMANDS: rest}
    elif rest < _ROUNDING_US:
        known = {**known, explained: 0.0}
    return {part.key: known.get(part.key, 0.0) for part in PARTS}


_ROUNDING_US = 1e-6
"""Rounding tolerance of a stage whose causes add up to the whole: a picosecond [µs]."""


class Resources:
    """Names of the resources for which requests wait: chips, channels or paths, queues."""

    def __init__(self, report: Report) -> None:
        self._cols: int = report.content["config"]["array"]["cols"]
        self._has_row_channels = report.fabric in _ROW_CHANNELS

    def name(self, key: str, row: Mapping[str, Any]) -> str:
        """Return the name of the resource that caused a part of a request's latency."""
        chip, label = row.get("chip"), _LABELS[key]
        if key == "queue":
            return f"queue {row['queue']} of the host"
        if chip is None:
            return label
        if key in COLLECTION:
            return f"chip {chip}: collection"
        if key in _WAITS:
            return f"chip {chip}: {label}"
        if key in ("path_wait", "transfer"):
            return f"{self._way(chip)}: {label}"
        return f"chip {chip}: its own command" if key == "array" else label

    def _way(self, chip: int) -> str:
        if self._has_row_channels:
            return f"channel {chip // self._cols}"
        return f"paths of chip {chip}"
