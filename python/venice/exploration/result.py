"""Result of a search."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from venice.exploration.front import front_of, hypervolume

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from venice.exploration.definition import Exploration
    from venice.exploration.front import Values
    from venice.sweep.definition import Point
    from venice.sweep.store import Results


@dataclass(frozen=True)
class Found:
    """A point that had a full run.

    Attributes
    ----------
    point
        The point.
    figures
        The objectives, and the figures that are constrained, by their names in reports.
    is_within
        Whether it meets all constraints.
    """

    point: Point
    figures: Mapping[str, float]
    is_within: bool


@dataclass
class Explored:
    """Result of an exploration.

    Attributes
    ----------
    exploration
        What was searched for, and where.
    points
        The points that had a full run, in the order in which they were chosen.
    spent
        What the search took, in runs of all requests; runs that were there before count, too.
    given_up
        Points that had short runs alone.
    found
        Runs that were there before, or were done by another process meanwhile.
    impossible
        Points whose drive is impossible, each with the reason.
    failed
        Points of which a run failed, each with the reason.
    refused
        How many of these failed by what was asked for: a wrong trace, for instance.
    results, front_results
        Points and whole reports, read from the store when they are asked for: of all points, and
        of those on the front, in their order.
    """

    exploration: Exploration
    results: Results
    front_results: Results
    points: list[Found] = field(default_factory=list)
    spent: float = 0.0
    given_up: int = 0
    found: int = 0
    impossible: list[tuple[Point, str]] = field(default_factory=list)
    failed: list[tuple[Point, str]] = field(default_factory=list)
    refused: int = 0

    @cached_property
    def front(self) -> list[Found]:
        """The points than which none is better, the best in the first objective first.

        They meet all constraints; of points with equal objectives, the first that was found.
        """
        return front_points(self.exploration, self.points)

    def hypervolume(self, reference: Mapping[str, float]) -> float:
        """Measure how much the front dominates, up to a value of each objective.

        Parameters
        ----------
        reference
            For each objective a value that is worse than those of interest.
        """
        goals = self.exploration.goals
        values = [goals.values(found.figures) for found in self.front]
        return hypervolume(values, goals.values(reference))

    def nearest(self) -> Found | None:
        """Return the point that misses the constraints by least, where none meets them."""
        goals = self.exploration.goals
        return min(
            self.points,
            key=lambda found: max(goals.violations(found.figures), default=0.0),
            default=None,
        )


def front_points(exploration: Exploration, points: Sequence[Found]) -> list[Found]:
    """Return the points than which none is better, of those that meet all constraints."""
    within = [found for found in points if found.is_within]
    values: list[Values] = [exploration.goals.values(found.figures) for found in within]
    return [within[place] for place in front_of(values)]
