"""Comparison of two drives seed by seed.

A ratio of two drives is the mean of their ratios with each seed, and a difference is the mean of
their differences. Variation between seeds that both drives share affects neither. The interval is
Student's t on these paired values, so a drive compared with itself has the ratio 1 and an interval
of length 0.
"""

from __future__ import annotations

from math import exp, fsum, log
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeVar

from venice.stats.confidence import CONFIDENCE_PCT
from venice.stats.estimate import mean_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from venice.stats.estimate import Estimate

Seed: TypeAlias = "int | tuple[int, int]"
"""Seed of a run, or the seeds of the run and its trace."""
Sample: TypeAlias = "Mapping[Any, float]"
"""Values of a figure by seed."""


class Seeded(Protocol):
    """Object with a seed, such as a :class:`venice.Report`."""

    @property
    def seed(self) -> int:
        """Seed of the run that the object describes."""
        ...


_Run = TypeVar("_Run", bound=Seeded)


def sample(
    reports: Iterable[_Run], figure: Callable[[_Run], float | None]
) -> dict[Seed, float] | None:
    """Return a figure of each report, by seed; ``None`` if a report lacks the figure."""
    found: dict[Seed, float] = {}
    for report in reports:
        value = figure(report)
        if value is None:
            return None
        found[report.seed] = float(value)
    return found or None


def difference(
    own: Sample, base: Sample, confidence_pct: float = CONFIDENCE_PCT
) -> Estimate | None:
    """Return the mean difference from a base, paired by seed; ``None`` without a common seed.

    Examples
    --------
    >>> difference({1: 11.0}, {1: 10.0})
    Estimate(mean=1.0, half=None, seeds=1)
    """
    values = [one - other for _, one, other in _pairs(own, base)]
    return mean_of(values, confidence_pct) if values else None


def ratio(own: Sample, base: Sample, confidence_pct: float = CONFIDENCE_PCT) -> Estimate | None:
    """Return the mean ratio to a base, paired by seed.

    The result is ``None`` if there is no common seed, or if the base is 0 with one of them.

    Examples
    --------
    >>> ratio({1: 11.0, 2: 22.0}, {1: 10.0, 2: 20.0})
    Estimate(mean=1.1, half=0.0, seeds=2)
    """
    found = _ratios(own, base)
    return mean_of(list(found.values()), confidence_pct) if found else None


def geometric_mean(
    pairs: Sequence[tuple[Sample, Sample]], confidence_pct: float = CONFIDENCE_PCT
) -> Estimate | None:
    """Return the geometric mean over workloads of the ratios to a base, paired by seed.

    Parameters
    ----------
    pairs
        Figures of a drive and of the base, for each workload.

    Returns
    -------
    Estimate or None
        Estimate over the seeds that all workloads have in common; ``None`` without such seeds, or
        if a ratio is not above 0.
    """
    by_workload = [_ratios(own, base) for own, base in pairs]
    seeds = [seed for seed in by_workload[0] if all(seed in one for one in by_workload)]
    if not seeds or any(one[seed] <= 0 for one in by_workload for seed in seeds):
        return None
    means = [exp(fsum(log(one[seed]) for one in by_workload) / len(pairs)) for seed in seeds]
    return mean_of(means, confidence_pct)


def _ratios(own: Sample, base: Sample) -> dict[Seed, float]:
    """Return the ratios by seed; empty if the base is 0 for any seed."""
    pairs = list(_pairs(own, base))
    if not all(other for _, _, other in pairs):
        return {}
    return {seed: one / other for seed, one, other in pairs}


def _pairs(own: Sample, base: Sample) -> Iterator[tuple[Seed, float, float]]:
    return ((seed, value, base[seed]) for seed, value in own.items() if seed in base)
