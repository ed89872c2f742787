"""Drive of a search of files, and table of the cost of the search."""

from __future__ import annotations

from typing import TYPE_CHECKING

from venice.api.scenario import resolve
from venice.cli.screen import warn
from venice.text import counts
from venice.text.layout import format_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from venice._native import Drive
    from venice.config import FabricName
    from venice.pif import SearchReport
    from venice.pif.report import PlaceReport


def drive_of_search(
    drive: str, fabric: FabricName | None, sets: Sequence[str], seed: int | None
) -> Drive:
    """Resolve the drive of a search, and warn of settings that have no effect on the search."""
    resolved = resolve(drive, fabric, sets, seed)
    for remark in resolved.remarks_on_file_searches:
        warn(remark)
    return resolved


def report_table(report: SearchReport) -> str:
    """Return a table of the cost of a search, with a column for each search location."""
    caption = (
        f"{counts.of(report.pages, 'page')}, {report.pages_read:,} read unsearched, "
        f"{counts.of(report.passes, 'pass', 'passes')}, {report.matched_pages:,} with a match, "
        f"{report.pages_failed_in_chip:,} failed in the chip, "
        f"{report.pages_with_extra_reads:,} read again, "
        f"{report.context_pages:,} for their lines"
    )
    places: dict[str, PlaceReport] = {
        "PiF (chips)": report.pif,
        "PiS (controller)": report.pis,
        "host": report.host,
    }
    rows = {
        "time, µs": lambda place: f"{place.time_us:,.1f}",
        "energy, µJ": lambda place: f"{place.energy_uj:,.0f}",
        "energy without flash arrays, µJ": lambda place: f"{place.energy_without_arrays_uj:,.0f}",
        "bytes over the fabric": lambda place: f"{place.fabric_bytes:,}",
        "bytes over the host link": lambda place: f"{place.host_link_bytes:,}",
    }
    cells = ([title, *map(figure, places.values())] for title, figure in rows.items())
    return f"{caption}\n{format_table(['simulated', *places], cells)}"
