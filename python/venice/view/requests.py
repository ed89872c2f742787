"""Requests that the page of a run shows in detail."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from venice.view.latency_parts import PARTS, parts_by_key

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from venice.report.report import Report
    from venice.view.sample import Sample

MOST_SLOWEST = 2000
"""Maximum number of slowest requests on the page."""


def requests_of(report: Report, sample: Sample | None) -> dict[str, Any]:
    """Return the slowest requests, and a sample of the others, for the page's script.

    Each request has ``number``, ``operation``, ``queue``, ``chip`` (or ``None``), ``start_sector``,
    ``size_bytes``, ``arrival_us``, ``latency_us`` and ``parts_us``: the parts of the latency that
    are not 0, by their keys in ``parts``. The parts add up to the latency.
    """
    content = report.content
    slowest: Sequence[Mapping[str, Any]] = (content.get("slowest") or ())[:MOST_SLOWEST]
    known = {row["number"] for row in slowest}
    others = sample.rows(_first_measured(content)) if sample is not None else []
    return {
        "parts": [part._asdict() for part in PARTS],
        "slowest": [_packed(row) for row in slowest],
        "others": [_packed(row) for row in others if row["number"] not in known],
    }


def _first_measured(content: Mapping[str, Any]) -> int:
    return sum(phase["requests"] for phase in content["phases"] if phase["name"] != "measure")


def _packed(row: Mapping[str, Any]) -> dict[str, Any]:
    kept = ("number", "operation", "queue", "start_sector", "size_bytes", "arrival_us")
    return {
        **{key: row[key] for key in kept},
        "latency_us": row["latency_us"],
        "chip": row.get("chip"),
        "parts_us": {key: round(us, 6) for key, us in parts_by_key(row).items() if us},
    }
