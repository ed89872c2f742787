"""Student's t distribution, for confidence intervals of means of few values."""

from __future__ import annotations

from functools import cache
from math import cos, pi, sin, sqrt, tan
from statistics import stdev
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_HALVINGS = 64
"""Number of halvings of [0, π/2] until its ends are neighbouring floating-point numbers."""


@cache
def quantile(confidence_pct: float, degrees: int) -> float:
    """Return the two-sided quantile of t for a confidence level.

    Parameters
    ----------
    confidence_pct
        Probability of a value between -t and t, in %.
    degrees
        Degrees of freedom, at least 1.

    Examples
    --------
    >>> round(quantile(95, 1), 3), round(quantile(95, 4), 3), round(quantile(99, 30), 3)
    (12.706, 2.776, 2.75)
    """
    low, high = 0.0, pi / 2
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if _probability_within(middle, degrees) * 100 < confidence_pct:
            low = middle
        else:
            high = middle
    return sqrt(degrees) * tan(high)


def _probability_within(angle: float, degrees: int) -> float:
    """Compute P(abs(T) < t) at t = sqrt(degrees) * tan(angle).

    The series is finite for whole degrees of freedom: M. Abramowitz and I. A. Stegun, Handbook of
    Mathematical Functions (1964), 26.7.3 for odd and 26.7.4 for even degrees.
    """
    is_odd = degrees % 2 == 1
    term = cos(angle) if is_odd else 1.0
    total = 0.0
    for power in range(1 if is_odd else 0, degrees - 1, 2):
        total += term
        term *= (power + 1) / (power + 2) * cos(angle) ** 2
    if is_odd:
        return 2 / pi * (angle + sin(angle) * total)
    return sin(angle) * total


def half_width(values: Sequence[float], confidence_pct: float) -> float | None:
    """Return half the length of a mean's confidence interval; ``None`` for a single value.

    Examples
    --------
    >>> round(half_width([1.0, 3.0], 95), 3)
    12.706
    >>> half_width([2.0], 95)
    """
    if len(values) < 2:  # noqa: PLR2004 one value has no spread
        return None
    return quantile(confidence_pct, len(values) - 1) * stdev(values) / sqrt(len(values))
