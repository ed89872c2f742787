"""How far a mean over seeds may be from that over all seeds."""

from __future__ import annotations

from math import sqrt
from statistics import stdev
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_T_975 = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228)
"""Student's t for 95 % on both sides, by degrees of freedom from 1 on (NIST/SEMATECH e-Handbook of
Statistical Methods, §1.3.6.7.2); more of them are taken for ten, which errs on the safe side."""


def half_interval(values: Sequence[float]) -> float | None:
    """Give half of the 95 % confidence interval of a mean; ``None`` of a single value.

    Examples
    --------
    >>> half_interval([1.0, 3.0])
    12.706
    >>> half_interval([2.0])
    """
    if len(values) < 2:  # noqa: PLR2004 one value has no spread
        return None
    t = _T_975[min(len(values) - 1, len(_T_975)) - 1]
    return t * stdev(values) / sqrt(len(values))
