"""Data for the page's script: the shape of the array, and the activity of its resources."""

from __future__ import annotations

import base64
import json
import zlib
from itertools import pairwise
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from venice.observation.table import Table
    from venice.observation.trace_events import Window
    from venice.report.report import Report

PS_PER_US = 1_000_000
"""Number of picoseconds in a microsecond."""

MOST_SLICES = 200_000
"""Maximum number of slices on a page, which take about a megabyte."""


def array_of(report: Report, window: Window | None = None) -> dict[str, Any] | None:
    """Return the data for the page's script.

    Parameters
    ----------
    report
        Report of a run with ``slice_table=True`` and ``distributions=True``.
    window
        Window to show [default: the whole range of the slices].

    Returns
    -------
    dict[str, Any] | None
        ``None`` if the report has no slices or no links. Otherwise ``rows`` and ``cols`` of chips;
        ``dies`` of a chip and ``planes`` of a die; ``places``, which are links, with the ``stops``
        that they connect; ``window_ps``; and, packed, all scouts and all slices in the order in
        which they begin. A slice has ``row``, ``index``, ``what``, ``begin_ps`` (relative to the
        preceding slice), ``span_ps``, ``request`` and ``chip``.
    """
    places = report.content.get("places")
    if places is None or not report.has_slices or len(report.slice_table) == 0:
        return None
    slices = _sorted(report.slice_table)
    begins, ends = slices["begin_ps"], slices["end_ps"]
    shown = _shown(window, begins, ends)
    config = report.content["config"]
    return {
        "rows": config["array"]["rows"],
        "cols": config["array"]["cols"],
        "dies": config["flash"]["dies_per_chip"],
        "planes": config["flash"]["planes_per_die"],
        "window_ps": list(shown),
        "places": places,
        "packed": _packed(
            {
                "first_ps": begins[0],
                "slices": {
                    **{name: slices[name] for name in ("row", "index", "what", "request", "chip")},
                    "begin_ps": [0, *(later - one for one, later in pairwise(begins))],
                    "span_ps": [end - begin for begin, end in zip(begins, ends, strict=True)],
                },
                "scouts": _columns(report.scout_table, *_SCOUTS),
            }
        ),
    }


def absence_of(report: Report, window: Window | None = None) -> str:
    """Return why :func:`array_of` returns ``None`` for a report and a window."""
    if not report.has_slices:
        return (
            "Not known: the report holds no events of chips and paths. Run with --view, or from "
            "Python with slice_table=True and distributions=True."
        )
    if report.content.get("places") is None:
        return "Not known: the report lacks the array's layout. Run with distributions=True."
    if window is None:
        return "Nothing to show: no chip or path was busy during the run."
    begin_us, end_us = (ps / PS_PER_US for ps in window)
    return (
        f"Nothing to show: no chip or path was busy from {begin_us:,.3f} to {end_us:,.3f} µs. "
        f"The last request completed at {report.makespan_us:,.3f} µs."
    )


_SCOUTS = ("sender", "index", "chip", "set_out_ps", "back_ps", "hops", "detour_hops", "path")


def _shown(window: Window | None, begins: Sequence[int], ends: Sequence[int]) -> tuple[int, int]:
    least, most = begins[0], max(ends)
    return (least, most) if window is None else (window.from_ps, min(window.to_ps, most))


def _sorted(table: Table) -> dict[str, list[Any]]:
    columns = _columns(table, *table.keys())
    order = sorted(range(len(table)), key=columns["begin_ps"].__getitem__)
    return {name: [values[place] for place in order] for name, values in columns.items()}


def _columns(table: Table, *names: str) -> dict[str, list[Any]]:
    return {name: table.to_list(name) for name in names}


def _packed(content: dict[str, Any]) -> str:
    """Return compressed JSON that browsers can decompress."""
    text = json.dumps(content, separators=(",", ":")).encode()
    return base64.b64encode(zlib.compress(text, 9)).decode()
