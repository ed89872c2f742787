"""Reading of a trace: its path and options."""

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
    """Return the options of the engine for a trace; `settings` are those of a path.

    Raises
    ------
    UsageError
        If a :class:`venice.Trace` and `settings` have options, or a value is out of range.
    """
    check_types({"trace": trace, **settings})
    options = EngineOptions(RunOptions(trace=trace, **settings))
    check_range("skip_bad", options.skip_bad)
    return options
