"""Window of a run for which the page shows the array."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from venice.observation.trace_events import Window

if TYPE_CHECKING:
    from venice.report.report import Report

_MARGIN = 0.05
"""Margin on either side of the request's lifetime, as a share of it; the limit of the length
includes both."""

_LEAST_US = 2000.0
"""Minimum length of a window [µs]."""

_OF_A_TRANSFER = 4
"""Number of slices of a transfer in addition to those of its links: pins, array, scout, circuit."""


def window_of_slowest(report: Report, most_slices: int) -> Window | None:
    """Return the lifetime of the slowest request, or its last part with at most ``most_slices``.

    Parameters
    ----------
    report
        Report of a run with `slowest`.
    most_slices
        Maximum number of slices, estimated from their mean rate in the run.

    Returns
    -------
    Window | None
        Window; ``None`` if the report has no slowest requests.
    """
    slowest = report.content.get("slowest")
    if not slowest:
        return None
    begin_us = slowest[0]["arrival_us"]
    end_us = begin_us + slowest[0]["latency_us"]
    life_us = max(end_us - begin_us, _LEAST_US)
    longest_us = most_slices / _slices_per_us(report)
    shown_us = min(life_us * (1 + 2 * _MARGIN), longest_us)
    to_us = end_us + shown_us * _MARGIN / (1 + 2 * _MARGIN)
    return Window(int(max(to_us - shown_us, 0.0) * 1e6), int(to_us * 1e6) + 1)


def _slices_per_us(report: Report) -> float:
    path, flash = report.path, report.flash
    on_links = _packets(report) * (path.mean_hops or 0)
    on_paths = path.transfers * _OF_A_TRANSFER + on_links
    return max((on_paths + flash.programs + flash.erases) / (report.makespan_us or 1.0), 1e-9)


def _packets(report: Report) -> float:
    """Return the number of packets: one for each transfer, or several if transfers are divided."""
    if report.fabric != "nossd":
        return float(report.path.transfers)
    config, flash = report.content["config"], report.flash
    of_a_page = math.ceil(
        config["flash"]["page_bytes"] / config["fabric"]["nossd"]["max_payload_bytes"]
    )
    return float((flash.reads + flash.programs) * (1 + of_a_page) + flash.erases)
