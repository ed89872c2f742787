"""What a report may be without; generated from its schema.

To write it anew: ``pytest --bless python/tests/test_report_types.py``.
"""

from __future__ import annotations

MAY_BE_ABSENT = (
    "alone",
    "cache_causes_us",
    "chip_wait_behind_us",
    "chip_wait_causes_us",
    "chips",
    "copies_between_chips",
    "distributions",
    "ended_by_clock",
    "expected_pages_per_written_page",
    "fairness",
    "faults",
    "gather",
    "gathers",
    "moves_elsewhere",
    "places",
    "priority",
    "ranges",
    "slowdown",
    "slowest",
    "steady",
    "time_series",
)
"""Figures that a report may be without."""
