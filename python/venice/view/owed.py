"""What requests owe their time to: the stages, with the wait for a chip split by whose work."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from venice.report.slowest import REASONS
from venice.report.stages import STAGES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from venice.report.report import Report


class Part(NamedTuple):
    """A part of a latency."""

    key: str
    """Its name in reports, where it has one."""
    label: str
    """Its name for people."""
    colour: str


OWN_WORK = "own_work"
"""The wait behind the drive's own work, where it is not known which."""

_STAGE_COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#000", "#999")
"""Those of the figures, by stage (``venice.mplstyle``)."""

_CHIP_WAIT_COLOURS = {
    "host_commands": "#009e73",
    "collection_reads": "#b5d16b",
    "collection_programs": "#6b8e23",
    "erases": "#2e4d0a",
    "wear_levelling": "#7fcdbb",
    "map_commands": "#c7e9b4",
    "no_free_page": "#41788a",
    OWN_WORK: "#6b8e23",
}
"""Shades of the wait for a chip."""

COLLECTION = ("collection_reads", "collection_programs", "erases")
"""What is one resource on a chip: it is collection that works there."""

_LABELS = {**REASONS, OWN_WORK: "the drive's own work"}
_CHIP_WAIT = tuple(
    Part(key, f"chip wait: {_LABELS[key]}", colour) for key, colour in _CHIP_WAIT_COLOURS.items()
)
_ROW_CHANNELS = ("bus", "pssd")
"""Fabrics on which a row of chips has one channel and no other way."""

PARTS: tuple[Part, ...] = tuple(
    part
    for stage, colour in zip(STAGES, _STAGE_COLOURS, strict=True)
    for part in (
        _CHIP_WAIT if stage.key == "chip_wait" else (Part(stage.key, stage.label, colour),)
    )
)
"""Every part, in the order in which figures stack them."""


def owed_us(row: Mapping[str, Any]) -> dict[str, float]:
    """Split the latency of a row of `report.slowest` into parts, in microseconds.

    Examples
    --------
    >>> row = {
    ...     "stages_us": {"queue": 2.0, "chip_wait": 5.0},
    ...     "chip_wait_behind_us": {"erases": 4.0},
    ... }
    >>> {key: us for key, us in owed_us(row).items() if us}
    {'queue': 2.0, 'host_commands': 1.0, 'erases': 4.0}
    """
    behind: Mapping[str, float] = row["chip_wait_behind_us"]
    stages: Mapping[str, float] = row["stages_us"]
    host = max(stages.get("chip_wait", 0.0) - sum(behind.values()), 0.0)
    known = {**stages, **behind, "host_commands": host}
    return {part.key: known.get(part.key, 0.0) for part in PARTS}


class Resources:
    """The names of what requests of one drive wait for: chips, channels or paths, queues."""

    def __init__(self, report: Report) -> None:
        self._cols: int = report.to_dict()["config"]["array"]["cols"]
        self._has_row_channels = report.fabric in _ROW_CHANNELS

    def name(self, key: str, row: Mapping[str, Any]) -> str:
        """Name what a request owes this part of its latency to."""
        chip, label = row.get("chip"), _LABELS[key]
        if key == "queue":
            return f"queue {row['queue']} of the host"
        if chip is None:
            return label
        if key in COLLECTION:
            return f"chip {chip}: collection"
        if key in _CHIP_WAIT_COLOURS:
            return f"chip {chip}: {label}"
        if key in ("path_wait", "transfer"):
            return f"{self._way(chip)}: {label}"
        return f"chip {chip}: its own command" if key == "array" else label

    def _way(self, chip: int) -> str:
        if self._has_row_channels:
            return f"channel {chip // self._cols}"
        return f"paths of chip {chip}"
