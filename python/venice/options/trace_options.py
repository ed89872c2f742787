"""Options that decide how a trace is read."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from venice._native import UsageError
from venice.options.value_checks import check_types
from venice.schema_classes import DescribedTrace

if TYPE_CHECKING:
    from venice.options.run_options import RunOptions

MOST_FOLDED_PCT = 1.0
"""Share of a trace's requests beyond the drive up to which they are folded unasked, in %.

This project's choice: so few change no figure of a run by more than its seeds do.
"""


def with_trace_options(options: RunOptions) -> RunOptions:
    """Return the options with a trace that Python describes as its path and how it is read.

    Raises
    ------
    UsageError
        If the options have reading options besides those of the trace.
    """
    trace = options.trace
    if not isinstance(trace, DescribedTrace):
        return options
    for key in ("format", "columns", "event", "skip_bad", "devices"):
        if getattr(options, key) is not None:
            raise UsageError(f"`{key}` was given beside a venice.Trace, which says how it is read")
    read = replace(options, **trace.options())
    check_types(vars(read))
    return read


def most_folded_pct(options: RunOptions) -> float | None:
    """Return the largest share of requests beyond the drive, in %; ``None`` for any."""
    if options.fold:
        return None
    return MOST_FOLDED_PCT if options.most_folded_pct is None else options.most_folded_pct
