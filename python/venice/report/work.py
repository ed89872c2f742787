"""What the drive did while it served the requests, as a table."""

from __future__ import annotations

from venice.report.layout import laid_out
from venice.report.rows import firsts, mean_of, rows_of
from venice.report.steadiness import settled_amplification
from venice.report.table import column_texts, names_of
from venice.typed import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from venice.report.report import Report

_COUNTS: tuple[tuple[str, Callable[[Mapping[str, Any]], float]], ...] = (
    ("pages\nread", lambda flash: flash["reads"]),
    ("pages\nprogrammed", lambda flash: flash["programs"]),
    ("of these\nmoved", lambda flash: flash["gc_moves"] + flash["wear_moves"]),
    ("blocks\nerased", lambda flash: flash["erases"]),
)
_BUSY = (("chips\nbusy, %", "chip_pct"), ("planes\nbusy, %", "plane_pct"))


def work_table(reports: Sequence[Report], *, seeds: int = 1) -> str:
    """Lay out one row for each report: pages, moves, erases, how busy the chips were.

    Of several seeds a row has the means of their figures.
    """
    rows = rows_of(reports, seeds)
    amplifications = [mean_of(row, settled_amplification) for row in rows]
    columns = [["–" if found is None else f"{found:.3f}" for found in amplifications]]
    columns += [[f"{mean_of(row, _count(count)):,.0f}" for row in rows] for _, count in _COUNTS]
    columns += [column_texts([mean_of(row, _busy(key)) for row in rows]) for _, key in _BUSY]
    titles = ["write\nampl.", *(title for title, _ in (*_COUNTS, *_BUSY))]
    return laid_out(["", *titles], zip(names_of(firsts(rows)), *columns, strict=True))


def has_moved(report: Report) -> bool:
    """Whether the drive did more than the host asked for: it moved pages or erased blocks."""
    flash = report.to_dict()["flash"]
    return bool(flash["erases"] or flash["gc_moves"] or flash["wear_moves"])


def _count(count: Callable[[Mapping[str, Any]], float]) -> Callable[[Report], float]:
    return lambda report: count(report.to_dict()["flash"])


def _busy(key: str) -> Callable[[Report], float | None]:
    return lambda report: report.to_dict()["utilisation"][key]
