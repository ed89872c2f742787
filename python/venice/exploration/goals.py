"""Goals of a search: figures of the report to minimise or maximise, and their limits."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from venice import _native
from venice._native import UsageError
from venice.report.figure_paths import figure
from venice.sweep.definition import SweepError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from venice.report import Report

Goal = Literal["min", "max"]

_FORM = re.compile(r"^ *form +(.*)$", re.MULTILINE)
_UNIT = re.compile(r"^ *unit +(.*)$", re.MULTILINE)
_MOST_OBJECTIVES = 6
"""Largest number of objectives; with more, nearly all random points are on the front."""


@dataclass(frozen=True)
class Objective:
    """A figure to minimise or maximise.

    Attributes
    ----------
    figure
        Path of the figure in reports, with dots (``venice report explain NAME``).
    goal
        ``"min"`` or ``"max"``.
    """

    figure: str
    goal: Goal = "min"

    def to_minimise(self, value: float) -> float:
        """Return the value, negated if the figure is to be maximised."""
        return value if self.goal == "min" else -value


@dataclass(frozen=True)
class Constraint:
    """Limits of a figure.

    Attributes
    ----------
    figure
        Path of the figure in reports, with dots.
    at_most, at_least
        Upper and lower limit of the figure.
    """

    figure: str
    at_most: float | None = None
    at_least: float | None = None

    def violation(self, value: float) -> float:
        """Return the excess over a limit, relative to the limit; 0 or less if the limit is met."""
        misses = []
        if self.at_most is not None:
            misses.append((value - self.at_most) / (abs(self.at_most) or 1.0))
        if self.at_least is not None:
            misses.append((self.at_least - value) / (abs(self.at_least) or 1.0))
        return max(misses)

    def __str__(self) -> str:
        limits = [
            f"{self.figure} {sign} {limit:g}"
            for sign, limit in (("<=", self.at_most), (">=", self.at_least))
            if limit is not None
        ]
        return " and ".join(limits)


@dataclass(frozen=True)
class Goals:
    """Objectives and constraints of a search."""

    objectives: tuple[Objective, ...]
    constraints: tuple[Constraint, ...] = ()

    @property
    def figures(self) -> tuple[str, ...]:
        """Figures of all goals, each once."""
        return tuple(
            dict.fromkeys(
                [
                    *(one.figure for one in self.objectives),
                    *(one.figure for one in self.constraints),
                ]
            )
        )

    def read(self, report: Report) -> dict[str, float] | str:
        """Return the figures of a report, or a message about the first missing figure."""
        found = {}
        for name in self.figures:
            value = figure(report, name)
            if value is None or not math.isfinite(value):
                return f"its report has no `{name}`"
            found[name] = float(value)
        return found

    def values(self, figures: Mapping[str, float]) -> tuple[float, ...]:
        """Return the values of the objectives, negated where larger is better."""
        return tuple(one.to_minimise(figures[one.figure]) for one in self.objectives)

    def violations(self, figures: Mapping[str, float]) -> tuple[float, ...]:
        """Return the relative excess over each limit; 0 or less where a limit is met."""
        return tuple(one.violation(figures[one.figure]) for one in self.constraints)

    def are_met(self, figures: Mapping[str, float]) -> bool:
        """Return true if the figures satisfy all constraints."""
        return all(one <= 0 for one in self.violations(figures))


def checked_goals(objectives: Sequence[Objective], constraints: Sequence[Constraint]) -> Goals:
    """Return the goals of a search after checking them.

    Raises
    ------
    SweepError
        If there is no objective, or too many, or a figure is not a number of the report.
    """
    if not 1 <= len(objectives) <= _MOST_OBJECTIVES:
        raise SweepError(
            f"there are {len(objectives)} objectives; give from 1 to {_MOST_OBJECTIVES}, "
            'for instance figure = "latency_us.all.p99"'
        )
    names = [one.figure for one in objectives]
    for name in names:
        if names.count(name) > 1:
            raise SweepError(f"objective `{name}` is given twice; expected: once")
    for objective in objectives:
        if objective.goal not in ("min", "max"):
            raise SweepError(f'objective `{objective.figure}`: `goal` should be "min" or "max"')
    for constraint in constraints:
        if constraint.at_most is None and constraint.at_least is None:
            raise SweepError(
                f"constraint `{constraint.figure}` has no limit; expected: `at_most` or `at_least`"
            )
    goals = Goals(tuple(objectives), tuple(constraints))
    for name in goals.figures:
        _check_figure(name)
    return goals


def unit_of(name: str) -> str:
    """Return a figure's unit; empty for a figure without a unit."""
    found = _UNIT.search(_native.explain_figure(name))
    return "" if found is None or found[1] == "none" else found[1]


def _check_figure(name: str) -> None:
    try:
        form = _FORM.search(_native.explain_figure(name))
    except UsageError as error:
        raise SweepError(str(error)) from None
    if not name or form is None or "number" not in form[1] or "[]" in name:
        raise SweepError(
            f"`{name}` is not a number of the report; expected: a figure with a numeric value; see "
            f"`venice report explain {name}`"
        )
