"""Result of a search of a design space."""

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
    """Point with the figures of its full run.

    Attributes
    ----------
    point
        Values on the axes.
    figures
        Objectives and constrained figures, by their paths in reports.
    is_within
        True if the point meets all constraints.
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
        Space, goals and budget.
    points
        Points with a full run, in the order of their choice.
    spent
        Cost in full runs, runs of earlier calls included.
    given_up
        Number of points that had only short runs.
    found
        Number of runs made by earlier calls or other processes.
    impossible
        Points whose drive is impossible, each with the reason.
    failed
        Points with a failed run, each with the reason.
    refused
        Number of failed points with an invalid scenario, such as a wrong trace.
    results, front_results
        Points with their reports, read on access: all points with a full run, and those of the
        front.
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
        """Non-dominated points that meet all constraints, in order of the first objective.

        Of points with equal objectives, the front contains the one that was found first.
        """
        return front_points(self.exploration, self.points)

    def hypervolume(self, reference: Mapping[str, float]) -> float:
        """Return the hypervolume between the front and a reference value of each objective.

        Parameters
        ----------
        reference
            Value of each objective, worse than those of all points of interest.
        """
        goals = self.exploration.goals
        values = [goals.values(found.figures) for found in self.front]
        return hypervolume(values, goals.values(reference))

    def nearest(self) -> Found | None:
        """Return the point with the smallest violation of the constraints, if any."""
        goals = self.exploration.goals
        return min(
            self.points,
            key=lambda found: max(goals.violations(found.figures), default=0.0),
            default=None,
        )


def front_points(exploration: Exploration, points: Sequence[Found]) -> list[Found]:
    """Return the non-dominated points among the points that meet all constraints."""
    within = [found for found in points if found.is_within]
    values: list[Values] = [exploration.goals.values(found.figures) for found in within]
    return [within[place] for place in front_of(values)]
