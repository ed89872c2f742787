"""Figures that the runs of an experiment always have."""

from __future__ import annotations

from typing import TypeVar

from venice._native import SimulationError

_Value = TypeVar("_Value")


def require(value: _Value | None) -> _Value:
    """Return a figure that reports type as optional.

    Raises
    ------
    SimulationError
        If the run lacks it all the same.

    Examples
    --------
    >>> require(0.0)
    0.0
    """
    if value is None:
        raise SimulationError("a run of this experiment lacks a figure that it needs")
    return value
