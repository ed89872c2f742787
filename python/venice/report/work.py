"""What the drive did while it served the requests, as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from venice.report.layout import laid_out
from venice.report.table import column_texts, names_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from venice.report.report import Report

_COUNTS: tuple[tuple[str, Callable[[Mapping[str, Any]], float]], ...] = (
    ("pages\nread", lambda flash: flash["reads"]),
    ("pages\nprogrammed", lambda flash: flash["programs"]),
    ("of these\nmoved", lambda flash: flash["gc_moves"] + flash["wear_moves"]),
    ("blocks\nerased", lambda flash: flash["erases"]),
)
_BUSY = (("chips\nbusy, %", "chip_pct"), ("planes\nbusy, %", "plane_pct"))


def work_table(reports: Sequence[Report]) -> str:
    """Lay out one row for each report: pages, moves, erases, how busy the chips were."""
    contents = [report.to_dict() for report in reports]
    columns = [_amplifications(contents)]
    columns += [[f"{count(one['flash']):,}" for one in contents] for _, count in _COUNTS]
    columns += [column_texts([one["utilisation"][key] for one in contents]) for _, key in _BUSY]
    titles = ["write\nampl.", *(title for title, _ in (*_COUNTS, *_BUSY))]
    return laid_out(["", *titles], zip(names_of(reports), *columns, strict=True))


def has_moved(report: Report) -> bool:
    """Whether the drive did more than the host asked for: it moved pages or erased blocks."""
    flash = report.to_dict()["flash"]
    return bool(flash["erases"] or flash["gc_moves"] or flash["wear_moves"])


def _amplifications(contents: Sequence[Mapping[str, Any]]) -> list[str]:
    amplifications = [one["write_amplification"] for one in contents]
    return ["–" if found is None else f"{found:.3f}" for found in amplifications]
