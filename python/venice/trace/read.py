"""Options for reading a trace from its path or description."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from venice.options.engine_options import EngineOptions
from venice.options.run_options import RunOptions
from venice.options.value_checks import check_range, check_types

if TYPE_CHECKING:
    from collections.abc import Mapping
    from os import PathLike

    from venice.workloads import Trace


def options_of(trace: str | PathLike[str] | Trace, settings: Mapping[str, Any]) -> EngineOptions:
    """Return the engine's options for a trace; `settings` apply if the trace is a path.

    Raises
    ------
    UsageError
        If a :class:`venice.Trace` has options and `settings` too, or a value is out of range.
    """
    check_types({"trace": trace, **settings})
    options = EngineOptions(RunOptions(trace=trace, **settings))
    check_range("skip_bad", options.skip_bad)
    return options
