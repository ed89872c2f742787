"""Table of the flash operations that a drive executed during the requests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from venice.report.mapping_units import pages_per_unit
from venice.report.rows import firsts, mean_of, rows_of
from venice.report.summary_table import names_of
from venice.text import counts
from venice.text.layout import format_table
from venice.text.units import column_texts, size_text, time_text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from venice.report.report import Report


def moves_of(flash: Mapping[str, Any]) -> int:
    """Return the number of mapping units that the drive moved by itself."""
    kinds = ("gc_moves", "idle_moves", "wear_moves", "reclaim_moves", "refresh_moves", "fold_moves")
    return int(sum(flash.get(kind, 0) for kind in kinds))


def moved_pages(content: Mapping[str, Any], flash: Mapping[str, Any]) -> float:
    """Return the number of full pages that the moved mapping units take."""
    return moves_of(flash) * pages_per_unit(content["config"])


_COUNTS: tuple[tuple[str, Callable[[Mapping[str, Any]], float]], ...] = (
    ("pages\nread", lambda content: content["flash"]["reads"]),
    ("pages\nprogrammed", lambda content: content["flash"]["programs"]),
    ("of these\nmoved", lambda content: moved_pages(content, content["flash"])),
    ("blocks\nerased", lambda content: content["flash"]["erases"]),
)
_STATES = frozenset(
    {
        *("min_block_erases", "max_block_erases"),
        *("mean_plane_erase_span", "max_plane_erase_span"),
    }
)
"""Flash figures that describe the state of the drive at the end of the run."""
_NOTABLE = 0.01
"""Share of the measured window above which operations after its end are reported."""
_BUSY = (("chips\nbusy, %", "chip_pct"), ("planes\nbusy, %", "plane_pct"))


def work_table(reports: Sequence[Report], *, seeds: int = 1) -> str:
    """Return a table with a row for each report: pages, moves, erases, utilisation.

    If there are several seeds, the values are means. Columns on writes and erases are omitted if no
    row has any.
    """
    rows = rows_of(reports, seeds)
    counted = _COUNTS if any(map(_has_written, reports)) else _COUNTS[:1]
    amplifications = [mean_of(row, lambda report: report.write_amplification) for row in rows]
    columns = [[f"{mean_of(row, _count(count)):,.0f}" for row in rows] for _, count in counted]
    columns += [column_texts([mean_of(row, _busy(key)) for row in rows]) for _, key in _BUSY]
    titles = [title for title, _ in (*counted, *_BUSY)]
    if counted is _COUNTS:
        titles.insert(0, "write\nampl.")
        columns.insert(0, ["–" if found is None else f"{found:.3f}" for found in amplifications])
    return format_table(["", *titles], zip(names_of(firsts(rows)), *columns, strict=True))


def _has_written(report: Report) -> bool:
    """Return true if the drive programmed pages or erased blocks."""
    flash = report.content["flash"]
    return bool(flash["programs"] or flash["erases"])


def has_moved(report: Report) -> bool:
    """Return true if the drive itself moved pages or erased blocks, as garbage collection does."""
    flash = report.content["flash"]
    return bool(flash["erases"] or moves_of(flash))


def flash_of_run(report: Report) -> dict[str, int]:
    """Return the numbers of flash operations over the whole run, until the drive is idle.

    The report has separate numbers for the measured window and for the time after the last
    completion. Simulators such as MQSim report their sum.
    """
    content = report.content
    served, after = content["flash"], content["after_last_completion"]["flash"]
    return {key: served[key] + after[key] for key in served if key not in _STATES}


def background_work_note(report: Report) -> str | None:
    """Return a note on flash operations after the last completion; ``None`` if negligible.

    Examples
    --------
    >>> from venice.report import Report
    >>> flash = {"reads": 7, "programs": 9, "gc_moves": 5, "wear_moves": 0, "erases": 1}
    >>> flash |= {"programmed_bytes": 9 * 4096}
    >>> after = {"duration_us": 2500.0, "flash": flash}
    >>> config = {"ftl": {"mapping_unit_bytes": 0}, "flash": {"page_bytes": 4096}}
    >>> content = {"config": config, "makespan_us": 10_000.0, "after_last_completion": after}
    >>> print(background_work_note(Report(content)))
    after the last completion the drive worked for 2.5 ms (25 % of the measured window), not \
counted above: 7 pages read, 9 programmed (36 KiB), 5 of them moved, 1 block erased
    """
    content = report.content
    after, window_us = content.get("after_last_completion"), content.get("makespan_us")
    if not after or not window_us or after["duration_us"] < _NOTABLE * window_us:
        return None
    flash = after["flash"]
    if not (flash["programs"] or flash["erases"]):
        return None
    moves = moved_pages(content, flash)
    return (
        f"after the last completion the drive worked for {time_text(after['duration_us'])} "
        f"({after['duration_us'] / window_us * 100:.0f} % of the measured window), not counted "
        f"above: {flash['reads']:,} pages read, {flash['programs']:,} programmed "
        f"({size_text(flash['programmed_bytes'])}), {moves:,.0f} of them moved, "
        f"{counts.of(flash['erases'], 'block')} erased"
    )


def afterwards_notes(reports: Sequence[Report]) -> list[str]:
    """Return notes on flash operations after the last completion, if there is a single run."""
    note = background_work_note(reports[0]) if len(reports) == 1 else None
    return [] if note is None else [note]


def _count(count: Callable[[Mapping[str, Any]], float]) -> Callable[[Report], float]:
    return lambda report: count(report.content)


def _busy(key: str) -> Callable[[Report], float | None]:
    return lambda report: report.content["utilisation"][key]
