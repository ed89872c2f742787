"""Check that a run has requests of the operation whose latency determines the end of the run."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from venice._native import UsageError, WorkloadError, complete_workload
from venice.options.criterion import criterion_of
from venice.options.engine_options import EngineOptions

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from venice.options.run_options import RunOptions

_ALL_PCT = 100.0


def check_criterion_load(options: RunOptions) -> None:
    """Refuse a criterion on an operation that the workload does not have.

    Traces, job files and requests made in Python are not examined.

    Raises
    ------
    UsageError
        The message names the operations of the workload.
    """
    criterion = criterion_of(options.until)
    if criterion is None or criterion.operation == "all":
        return
    operations = _operations(options)
    if operations is None or criterion.operation in operations:
        return
    figures = [f"latency_us.{operation}.{criterion.figure}" for operation in sorted(operations)]
    expected = " or ".join(figures or [f"latency_us.all.{criterion.figure}"])
    raise UsageError(
        f"`until=` is `{options.until}`, but the workload has no {criterion.operation}s; "
        f"expected: a figure of its requests, such as {expected}"
    )


def _operations(options: RunOptions) -> set[str] | None:
    """Return the operations of a workload (reads, writes); ``None`` if unknown."""
    try:
        workload = EngineOptions(options).workload
        if workload is None:
            return None
        content = json.loads(complete_workload(workload))
    except WorkloadError:
        # The run reports it. A job file has no definition.
        return None
    return {operation for flow in content.get("flows", [content]) for operation in _of_flow(flow)}


def _of_flow(flow: Mapping[str, Any]) -> Iterator[str]:
    other = ("gather_pct", "search_pct", "trim_pct")
    if any(flow[key] >= _ALL_PCT for key in other):
        return
    if flow["read_pct"] > 0:
        yield "read"
    if flow["read_pct"] < _ALL_PCT and flow["zeroes_pct"] < _ALL_PCT:
        yield "write"
