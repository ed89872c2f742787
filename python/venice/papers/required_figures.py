"""Access to optional figures that the runs of an experiment must have."""

from __future__ import annotations

from typing import TypeVar

from venice._native import SimulationError

_Value = TypeVar("_Value")


def require(value: _Value | None) -> _Value:
    """Return the value of an optional figure that must exist.

    Raises
    ------
    SimulationError
        If the run lacks the figure.

    Examples
    --------
    >>> require(0.0)
    0.0
    """
    if value is None:
        raise SimulationError("a run of this experiment lacks a figure that it needs")
    return value
