"""Criterion that ends a run: steady state, or the precision of a figure."""

from __future__ import annotations

import re
from typing import NamedTuple

from venice._native import UsageError

MOST_REQUESTS = 10_000_000
"""Default limit on the requests of a workload whose run is ended by a criterion."""

STEADY = "steady"
RATE = "iops"
_OPERATIONS = ("all", "read", "write")
_LATENCIES = ("mean", "p50", "p90", "p99", "p999")
_CI = r"ci\(\s*([a-z0-9_.]+)\s*\)\s*<\s*(\d+(?:\.\d+)?)\s*%"
BATCHES = 20
"""Minimum number of batches from which a confidence interval is computed."""
_PPM_PER_PCT = 10_000
_LARGEST_PCT = 100.0


class Criterion(NamedTuple):
    """Criterion in the form that the engine reads."""

    figure: str
    """``steady``, ``iops``, or a figure of the latency."""
    operation: str = "all"
    """Operation of the latency."""
    most_ppm: int = 0
    """Largest half-width of the 95 % confidence interval, in parts per million of the estimate."""


def parse_until(text: str) -> Criterion:
    """Parse ``steady`` or ``ci(FIGURE) < P%``.

    Raises
    ------
    UsageError
        If the text is neither, or no criterion can use the figure.

    Examples
    --------
    >>> parse_until("steady").figure
    'steady'
    >>> parse_until("ci(latency_us.read.p99) < 2%")
    Criterion(figure='p99', operation='read', most_ppm=20000)
    """
    if text.strip() == STEADY:
        return Criterion(STEADY)

    found = re.fullmatch(_CI, text.strip())
    if found is None:
        raise UsageError(
            f"`until=` is `{text}`; it should be `steady` or a bound on a confidence interval, "
            "such as `ci(latency_us.read.p99) < 2%`"
        )
    share = float(found[2])
    if not 0 < share <= _LARGEST_PCT:
        raise UsageError(
            f"the bound of `until=` is {share:g} % in `{text}`; "
            "it should be above 0 and at most 100 %"
        )
    return Criterion(*_figure(found[1]), round(share * _PPM_PER_PCT))


def _figure(name: str) -> tuple[str, str]:
    if name == RATE:
        return RATE, "all"
    parts = name.split(".")
    if len(parts) == 3 and parts[0] == "latency_us":  # noqa: PLR2004 its parts
        _, operation, figure = parts
        if operation in _OPERATIONS and figure in _LATENCIES:
            return figure, operation
    raise UsageError(
        f"`{name}` cannot end a run, as `until=` has it; expected: iops or latency_us.OP.FIGURE, "
        f"where OP is {_list_text(_OPERATIONS)} and FIGURE is {_list_text(_LATENCIES)}"
    )


def _list_text(names: tuple[str, ...]) -> str:
    return f"{', '.join(names[:-1])} or {names[-1]}"


def criterion_of(until: str | None) -> Criterion | None:
    """Return the parsed criterion; ``None`` without a criterion.

    Raises
    ------
    UsageError
        If the text is not a criterion.
    """
    return None if until is None else parse_until(until)
