"""Number of requests that a run needs so that it can state its write amplification.

The engine does not state write amplification before the host has written a block per plane
(``steadiness.write_amplification_settled``). For a workload, the number of requests that this takes
is known before any run; the erases that a steady state also needs are not predicted.
"""

from __future__ import annotations

import json
from math import ceil, prod
from typing import TYPE_CHECKING, Any

from venice._native import UsageError, WorkloadError, complete_workload
from venice.options.drives import drive_of
from venice.options.engine_options import EngineOptions
from venice.options.run_options import RunOptions
from venice.report.mapping_units import unit_bytes

if TYPE_CHECKING:
    from collections.abc import Mapping

    from venice.figures.request import FigureRequest

_ALL_PCT = 100.0
_DIGITS = 100
"""Largest rounding of the stated number of requests, in requests."""


def check_writes(request: FigureRequest) -> None:
    """Refuse a figure of write amplification whose runs write less than a block per plane.

    Traces, job files and mixes are not examined.

    Raises
    ------
    UsageError
        The message states the number of requests that a run needs.
    """
    least = _least_requests(RunOptions(**request.scenario()))
    if least is not None and request.measured < least:
        rounded = ceil(least / _DIGITS) * _DIGITS
        raise UsageError(
            f"`requests=` is {request.measured}, with which a run writes less than one block per "
            f"plane and cannot state its write amplification; expected: at least {rounded}"
        )


def _least_requests(options: RunOptions) -> float | None:
    """Return the requests in which a workload writes a block per plane; ``None`` if unknown."""
    try:
        workload = EngineOptions(options).workload
        content = None if workload is None else json.loads(complete_workload(workload))
    except WorkloadError:
        return None
    if content is None or "flows" in content:
        return None
    config = json.loads(drive_of(options).to_json())
    flash, array = config["flash"], config["array"]
    planes = array["rows"] * array["cols"] * flash["dies_per_chip"] * flash["planes_per_die"]
    unit = unit_bytes(config)
    units = planes * flash["pages_per_block"] * flash["page_bytes"] / unit
    written = _written_units(content, unit)
    return units / written if written else None


def _written_units(content: Mapping[str, Any], unit: int) -> float:
    """Return the mean number of mapping units that a request writes, for sizes with a known mean.

    It is 0 if the mean is not known, or if there are no writes.
    """
    size = content["size"]
    size = size["by_operation"]["write"] if "by_operation" in size else size
    choices = size.get("choices") or [{"bytes": size.get("fixed_bytes", 0), "weight": 1}]
    weights = sum(choice["weight"] for choice in choices)
    units = sum(choice["weight"] * ceil(choice["bytes"] / unit) for choice in choices) / weights
    # Each share is one of the requests that those before it leave.
    shares = ("gather_pct", "search_pct", "trim_pct", "read_pct", "zeroes_pct")
    return float(units * prod(1.0 - content.get(key, 0.0) / _ALL_PCT for key in shares))
