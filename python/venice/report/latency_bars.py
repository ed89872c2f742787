"""Bar chart of the parts of mean latencies for notebooks, as SVG without scripts and styles."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, NamedTuple

from venice.report.parts import PARTS, parts_us

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from venice.report.report import Report

MOST_BARS = 20
"""Maximum number of bars."""
_WIDTH, _NAMES, _FIGURES = 860, 220, 70
"""Widths of the picture, of the column of names and of the column of figures [pixels]."""
_ROW, _BAR, _KEY = 22, 16, 170
"""Heights of a row and of its bar, and width of an entry of the legend [pixels]."""
_LEAST_SHARE = 0.002
"""Share of the longest bar below which a part has no entry in the legend."""


class Bar(NamedTuple):
    """Bar for the mean latency of one operation in a report."""

    name: str
    report: Report
    operation: str = "all"


def latency_bars(bars: Sequence[Bar]) -> str:
    """Return an SVG with a bar for each mean latency; empty if there are no latencies."""
    bars = bars[:MOST_BARS]
    columns = [parts_us(bar.report, bar.operation) for bar in bars]
    longest = max((sum(parts.values()) for parts in columns), default=0.0)
    if longest <= 0:
        return ""
    shown = [
        part for part in PARTS if any(one[part.key] > _LEAST_SHARE * longest for one in columns)
    ]
    rows = "".join(
        f'<g transform="translate(0 {place * _ROW})">{"".join(_row(bar.name, parts, longest))}</g>'
        for place, (bar, parts) in enumerate(zip(bars, columns, strict=True))
    )
    per_line = (_WIDTH - _NAMES) // _KEY
    keys = "".join(
        _entry(
            _NAMES + place % per_line * _KEY,
            (len(columns) + place // per_line) * _ROW + 8,
            part.label,
            part.colour,
        )
        for place, part in enumerate(shown)
    )
    height = (len(columns) + -(-len(shown) // per_line)) * _ROW + 8
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{height}" '
        f'viewBox="0 0 {_WIDTH} {height}" font-size="12" font-family="sans-serif" '
        f'fill="currentColor" role="img" aria-label="parts of the mean latency">{rows}{keys}</svg>'
    )


def _row(name: str, parts: Mapping[str, float], longest: float) -> Iterator[str]:
    yield f'<text x="{_NAMES - 8}" y="{_BAR - 4}" text-anchor="end">{escape(name)}</text>'
    start = float(_NAMES)
    for part in PARTS:
        width = parts[part.key] / longest * (_WIDTH - _NAMES - _FIGURES)
        if width > 0:
            yield (
                f'<rect x="{start:.1f}" width="{width:.1f}" height="{_BAR}" fill="{part.colour}">'
                f"<title>{part.label}: {parts[part.key]:,.2f} µs</title></rect>"
            )
            start += width
    yield f'<text x="{start + 6:.1f}" y="{_BAR - 4}">{sum(parts.values()):,.1f} µs</text>'


def _entry(x: int, y: int, label: str, colour: str) -> str:
    return (
        f'<rect x="{x}" y="{y}" width="12" height="12" fill="{colour}"/>'
        f'<text x="{x + 17}" y="{y + 10}">{label}</text>'
    )
