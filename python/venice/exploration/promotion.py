"""Promotion of points from short runs to longer ones.

Figures of short runs differ from those of full runs, so only points with equally short runs are
compared. Points with both runs show how reliable the order of short runs is: for each figure, the
*margin* is the largest lead in short runs that full runs have reversed so far. A point is
*hopeless* if

- it is worse, by more than the margin of every objective, than some point with a full run that
  meets all constraints; or
- it is worse, by more than the margin of a constrained figure, than some point whose full run
  missed that limit.

The first points all have full runs, which give the first margins. Full runs never reverse the order
of a figure that does not depend on the requests, such as an area: its margin is zero, and equal
values count as worse.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, log
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from venice.exploration.goals import Goals

LEARNED_FROM = 16
"""Number of points with full runs before short runs decide: they give 120 pairs to compare."""


@dataclass(frozen=True)
class _RunPair:
    """Figures of a point in a short and in a full run."""

    short: Mapping[str, float]
    full: Mapping[str, float]
    is_within: bool


class Stage:
    """Short runs of one length, and the full runs of the same points.

    Parameters
    ----------
    goals
        Objectives and constraints of the search.
    """

    def __init__(self, goals: Goals) -> None:
        self._goals = goals
        self._pairs: list[_RunPair] = []
        self._margins = dict.fromkeys(goals.figures, 0.0)

    def add(self, short: Mapping[str, float], full: Mapping[str, float]) -> None:
        """Record the figures of a point that had both runs."""
        new = _RunPair(short, full, self._goals.are_met(full))
        for name, margin in self._margins.items():
            turned = (_turned(name, new, other) for other in self._pairs)
            self._margins[name] = max(margin, *turned, 0.0)
        self._pairs.append(new)

    def judge(self) -> Judge:
        """Return a judge that uses the runs and margins so far."""
        return Judge(self._goals, self._pairs, len(self._pairs), dict(self._margins))


@dataclass(frozen=True)
class Judge:
    """Comparison of a point's short run with the runs known when the point was chosen.

    Attributes
    ----------
    goals
        Objectives and constraints of the search.
    pairs
        Figures of points in a short and a full run; only the first `count` are used.
    count
        Number of pairs when the point was chosen.
    margins
        Largest lead in short runs that full runs reversed, for each figure, as the logarithm of a
        ratio.
    """

    goals: Goals
    pairs: list[_RunPair]
    count: int
    margins: Mapping[str, float]

    def is_hopeless(self, short: Mapping[str, float]) -> bool:
        """Return true if the figures of a point's short run are too poor for a longer run."""
        if self.count < LEARNED_FROM:
            return False
        return any(
            self._misses_as(short, other) or (other.is_within and self._is_behind(short, other))
            for other in self.pairs[: self.count]
        )

    def expected(self, short: Mapping[str, float]) -> dict[str, float]:
        """Return the expected figures of a full run, scaled like the most similar point."""
        return {name: self._expected(name, value) for name, value in short.items()}

    def _is_behind(self, short: Mapping[str, float], other: _RunPair) -> bool:
        """Return true if a point is worse than another one in every objective."""
        return all(
            self._is_larger(one.figure, short, other.short)
            if one.goal == "min"
            else self._is_larger(one.figure, other.short, short)
            for one in self.goals.objectives
        )

    def _misses_as(self, short: Mapping[str, float], other: _RunPair) -> bool:
        """Return true if a point is worse, in a limited figure, than one that missed the limit."""
        return any(
            (
                one.at_most is not None
                and other.full[one.figure] > one.at_most
                and self._is_larger(one.figure, short, other.short)
            )
            or (
                one.at_least is not None
                and other.full[one.figure] < one.at_least
                and self._is_larger(one.figure, other.short, short)
            )
            for one in self.goals.constraints
        )

    def _is_larger(self, name: str, large: Mapping[str, float], small: Mapping[str, float]) -> bool:
        """Return true if a figure is larger by more than the margin of short runs."""
        margin = self.margins[name]
        return large[name] >= small[name] and (
            margin == 0 or _lead(small[name], large[name]) > margin
        )

    def _expected(self, name: str, value: float) -> float:
        alike = min(
            self.pairs[: self.count],
            key=lambda other: _lead(*sorted((other.short[name], value))),
        )
        before, after = alike.short[name], alike.full[name]
        return after * value / before if before else after


def _turned(name: str, one: _RunPair, other: _RunPair) -> float:
    """Return the lead of one point in short runs if full runs reverse this lead, else 0."""
    less, more = sorted((one, other), key=lambda both: both.short[name])
    if less.full[name] <= more.full[name]:
        return 0.0
    return _lead(less.short[name], more.short[name])


def _lead(small: float, large: float) -> float:
    """Return the difference of two figures as the logarithm of their ratio."""
    if small == large:
        return 0.0
    if small > 0:
        return log(large / small)
    return log(small / large) if large < 0 else inf
