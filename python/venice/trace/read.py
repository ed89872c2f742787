"""Which trace is read, and how."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from venice.scenario import check_range, check_types, devices_of, with_trace_options

if TYPE_CHECKING:
    from collections.abc import Mapping
    from os import PathLike

    from venice._native import TraceInputOptions
    from venice.scenario import Scenario
    from venice.workloads import Trace


def options_of(trace: str | PathLike[str] | Trace, told: Mapping[str, object]) -> TraceInputOptions:
    """Give a trace as the engine takes it; `told` says how one is read that is but a path.

    Raises
    ------
    UsageError
        If both say it, or a value is out of range.
    """
    said = cast("Scenario", {"trace": trace, **told})
    check_types(said)
    said = with_trace_options(said)
    check_range("skip_bad", said.get("skip_bad"))
    return {
        "trace": cast("str | PathLike[str]", said["trace"]),
        "format": said.get("format"),
        "columns": said.get("columns"),
        "event": said.get("event"),
        "skip_bad": said.get("skip_bad"),
        "devices": devices_of(said),
    }
