"""Data rates of the paths of compared drives."""

from __future__ import annotations

from typing import TYPE_CHECKING

from venice.report.summary_table import names_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from venice.report.report import Report

_SAME_RATIO = 1.001
"""Ratio up to which two rates count as equal, since link cycles are rounded to picoseconds."""


def path_rates(reports: Sequence[Report]) -> dict[str, float | None]:
    """Return the data rate of a path in each report, in 10^6 bytes per second, by the row's name.

    An unlimited rate is ``None``.
    """
    names = names_of(reports)
    return {name: _rate(report) for name, report in zip(names, reports, strict=True)}


def rates_note(reports: Sequence[Report]) -> Iterator[str]:
    """Yield a note with the rates of all rows, if the rates differ."""
    rates = path_rates(reports)
    known = [rate for rate in rates.values() if rate is not None]
    if known and (len(known) < len(rates) or max(known) > _SAME_RATIO * min(known)):
        yield f"path rates differ: {', '.join(_written(rates))}"


def _rate(report: Report) -> float | None:
    rate: float | None = report.content["path"].get("rate_mb_per_s")
    return rate


def _written(rates: dict[str, float | None]) -> Iterator[str]:
    for name, rate in rates.items():
        yield f"{name} unlimited" if rate is None else f"{name} {rate:,.0f} MB/s"
