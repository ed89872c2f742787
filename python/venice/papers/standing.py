"""Claims that a design, a shape of the array or a mix is better than all alternatives.

Such a claim has no number. Its value is the share of comparisons that are won, minus the share that
are lost: 1 if the claim holds, -1 if its opposite does.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import TYPE_CHECKING

from venice.papers.experiments.suite import RIVALS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from venice.papers.experiments.study import StudyRatios
    from venice.papers.experiments.suite import Regime

SHAPE_RIVALS = ("bus", "pssd", "nossd")
"""Designs with which Figure 15 compares Venice; pnSSD supports square arrays only."""


class Others(enum.Enum):
    """Alternatives over which a claim states an advantage, and how they are compared."""

    DESIGNS = enum.auto()
    """Other designs, compared on each workload."""
    SHAPES = enum.auto()
    """Other shapes of the array, compared by the gain over each rival."""
    WORKLOADS = enum.auto()
    """Other workloads, compared by the gain over Baseline."""


@dataclass(frozen=True)
class Standing:
    """Numbers of comparisons that are won and lost.

    Attributes
    ----------
    ahead
        Number of comparisons that are won.
    behind
        Number of comparisons that are lost; others are ties or undecided.
    of
        Number of all comparisons.
    """

    ahead: int
    behind: int
    of: int

    @property
    def value(self) -> float:
        """Share of comparisons that are won, minus the share that are lost.

        Examples
        --------
        >>> Standing(3, 0, 3).value, Standing(1, 1, 4).value
        (1.0, 0.0)
        """
        return (self.ahead - self.behind) / self.of


@dataclass(frozen=True)
class Judge:
    """Comparison of one variant of Venice with other designs by one measure.

    Attributes
    ----------
    metric
        Name of a figure in reports for which less is better.
    regime
        Regime of the runs.
    venice
        Name of the design that represents Venice.
    """

    metric: str
    regime: Regime
    venice: str

    def on_each_workload(self, found: StudyRatios, fewest_share: float) -> Standing | None:
        """Count the workloads on which Venice is faster than all rivals, and slower than all.

        The result is ``None`` if too few workloads have a value for every competing design.
        """
        rows = [self._gains(found, workload) for workload in found.workloads]
        known = [row for row in rows if row is not None]
        if not known or len(known) < fewest_share * len(rows):
            return None
        return _standing((min(row) > 1) - (max(row) < 1) for row in known)

    def of_shape(self, own: StudyRatios, others: Sequence[StudyRatios]) -> Standing | None:
        """Count the comparisons won: pairs with a larger gain over a rival in this shape."""
        pairs = [
            (self._mean(own, rival), self._mean(other, rival))
            for rival in SHAPE_RIVALS
            for other in others
        ]
        return _compared(pairs)

    def of_workload(self, found: StudyRatios, workload: str) -> Standing | None:
        """Count the other workloads on which Venice gains less over Baseline."""
        own = found.gain(self.metric, workload, self.regime, "bus", self.venice)
        others = (name for name in found.workloads if name != workload)
        gains = [found.gain(self.metric, name, self.regime, "bus", self.venice) for name in others]
        return _compared([(own, gain) for gain in gains])

    def _gains(self, found: StudyRatios, workload: str) -> list[float] | None:
        gains = [
            found.gain(self.metric, workload, self.regime, rival, self.venice) for rival in RIVALS
        ]
        known = [gain for gain in gains if gain is not None]
        return known if len(known) == len(gains) else None

    def _mean(self, found: StudyRatios, rival: str) -> float | None:
        return found.mean_gain(self.metric, self.regime, rival, self.venice)


def _compared(pairs: Sequence[tuple[float | None, float | None]]) -> Standing | None:
    """Count the pairs whose first value is larger or smaller; ``None`` if a value is missing."""
    known = [(one, other) for one, other in pairs if one is not None and other is not None]
    if not known or len(known) < len(pairs):
        return None
    return _standing((one > other) - (one < other) for one, other in known)


def _standing(signs: Iterable[int]) -> Standing:
    every = list(signs)
    return Standing(every.count(1), every.count(-1), len(every))
