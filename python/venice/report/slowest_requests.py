"""Table of the slowest requests with their dominant causes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from venice.report.parts import CAUSES
from venice.report.stages import STAGES
from venice.text.layout import format_table
from venice.text.units import size_text, written_column

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from venice.report.report import Report

REASONS = {**{stage.key: stage.label for stage in STAGES}, **CAUSES}
"""Labels of dominant causes of a request's latency: the stages, and the causes of waits."""

_ON_A_CHIP = ("array", "transfer", "path_wait", "chip_wait", *CAUSES)


USUAL_ROWS = 10
"""Default number of rows in the table of slowest requests."""


def slowest_table(report: Report, most: int | None = None) -> str | None:
    """Return a table of the slowest requests; ``None`` if the run recorded none."""
    known: Sequence[Mapping[str, Any]] = report.content.get("slowest") or ()
    rows = known[: USUAL_ROWS if most is None else most]
    if not rows:
        return None
    behind = [sum(row["chip_wait_behind_us"].values()) for row in rows]
    columns = [
        [f"{row['operation']} {row['number']:,}" for row in rows],
        [reason(row) for row in rows],
        [size_text(row["size_bytes"]) for row in rows],
    ]
    titles = ["slowest\nrequests", "\ndominant cause", "\nsize"]
    times = (
        ("at\n{}", [row["arrival_us"] for row in rows]),
        ("latency\n{}", [row["latency_us"] for row in rows]),
        ("queue\n{}", [row["stages_us"]["queue"] for row in rows]),
        ("chip wait\n{}", [row["stages_us"]["chip_wait"] for row in rows]),
        ("behind drive's\nown work, {}", behind),
        ("rest\n{}", [_rest(row) for row in rows]),
    )
    written = [written_column(title, figures) for title, figures in times]
    titles += [title for title, _ in written]
    columns += [texts for _, texts in written]
    return format_table(titles, zip(*columns, strict=True), left=2)


def reason(row: Mapping[str, Any]) -> str:
    """Return the dominant cause of a request's latency as text.

    Examples
    --------
    >>> reason({"owes_most_to": "erases", "chip": 3})
    'GC erases on chip 3'
    """
    most, chip = row["owes_most_to"], row.get("chip")
    where = f" on chip {chip}" if chip is not None and most in _ON_A_CHIP else ""
    return f"{REASONS.get(most, most)}{where}"


def _rest(row: Mapping[str, Any]) -> float:
    stages = row["stages_us"]
    return float(row["latency_us"] - stages["queue"] - stages["chip_wait"])
