"""Columns of the time series in a report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from venice._native import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

_PARTS = ("read", "write", "flash")


def series_columns(content: Mapping[str, Any]) -> dict[str, list[Any]]:
    """Return a column for each figure of the time series of a report's JSON object.

    Raises
    ------
    UsageError
        If the run was not divided into intervals.
    """
    series: Mapping[str, Any] | None = content.get("time_series")
    if series is None:
        raise UsageError(
            "this report has no time series; "
            'run with `interval=`, as `interval="100ms"`, and at least one request'
        )
    starts = series["start_us"]
    columns: dict[str, list[Any]] = {
        "start_us": [*starts],
        "end_us": [*starts[1:], series["end_us"]],
    }
    for key, value in series.items():
        if key in _PARTS:
            columns.update({f"{key}_{name}": [*column] for name, column in value.items()})
        elif isinstance(value, list) and key != "start_us":
            columns[key] = [*value]
    return columns
