"""Mean over seeds with its confidence interval."""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING, NamedTuple

from venice.stats.confidence import CONFIDENCE_PCT
from venice.stats.student import half_width

if TYPE_CHECKING:
    from collections.abc import Sequence


class Estimate(NamedTuple):
    """Mean over seeds with half the length of its confidence interval."""

    mean: float
    """Mean over seeds."""
    half: float | None
    """Half the length of the confidence interval (Student's t); ``None`` if there is one seed."""
    seeds: int = 1
    """Number of distinct seeds."""

    @property
    def low(self) -> float | None:
        """Lower end of the confidence interval; ``None`` for a single seed."""
        return None if self.half is None else self.mean - self.half

    @property
    def high(self) -> float | None:
        """Upper end of the confidence interval; ``None`` for a single seed."""
        return None if self.half is None else self.mean + self.half


def mean_of(values: Sequence[float], confidence_pct: float = CONFIDENCE_PCT) -> Estimate:
    """Return the mean of independent values, one for each seed, with its confidence interval.

    Examples
    --------
    >>> mean_of([2.0])
    Estimate(mean=2.0, half=None, seeds=1)
    """
    return Estimate(fmean(values), half_width(values, confidence_pct), len(values))
