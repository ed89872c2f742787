"""Options that affect how a trace is read."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from venice._native import UsageError
from venice.options.value_checks import check_types
from venice.schema_classes import DescribedTrace

if TYPE_CHECKING:
    from venice.options.run_options import RunOptions

MOST_FOLDED_PCT = 1.0
"""Default largest share of a trace's requests that is wrapped around the capacity [%].

Chosen by this project: so few requests change figures less than another seed does.
"""


def with_trace_options(options: RunOptions) -> RunOptions:
    """Return the options with a :class:`venice.Trace` replaced by its path and reading options.

    Raises
    ------
    UsageError
        If reading options are given in addition to those of the trace.
    """
    trace = options.trace
    if not isinstance(trace, DescribedTrace):
        return options
    for key in ("format", "columns", "event", "skip_bad", "devices"):
        if getattr(options, key) is not None:
            raise UsageError(
                f"`{key}` cannot be combined with a venice.Trace, which states how it is read"
            )
    read = replace(options, **trace.options())
    check_types(vars(read))
    return read


def most_folded_pct(options: RunOptions) -> float | None:
    """Return the largest share of requests wrapped around the capacity, in %, if limited."""
    if options.fold:
        return None
    return MOST_FOLDED_PCT if options.most_folded_pct is None else options.most_folded_pct
