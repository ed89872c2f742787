"""Statistics over seeds, for tables, pictures and frames.

Runs with different seeds are independent samples. Runs of two drives with one seed have the same
requests (common random numbers), so drives are compared seed by seed: a paired-t confidence
interval (A. M. Law, Simulation Modeling and Analysis, 5th ed. 2015, §10.2.1 and §11.2).
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from venice.stats.confidence import CONFIDENCE_PCT

if TYPE_CHECKING:
    from venice.stats.estimate import Estimate, mean_of
    from venice.stats.paired_comparison import Sample, difference, geometric_mean, ratio, sample
    from venice.stats.student import half_width, quantile

__all__ = [
    "CONFIDENCE_PCT",
    "Estimate",
    "Sample",
    "difference",
    "geometric_mean",
    "half_width",
    "mean_of",
    "quantile",
    "ratio",
    "sample",
]

_HOMES = {
    "Estimate": "estimate",
    "Sample": "paired_comparison",
    "difference": "paired_comparison",
    "geometric_mean": "paired_comparison",
    "half_width": "student",
    "mean_of": "estimate",
    "quantile": "student",
    "ratio": "paired_comparison",
    "sample": "paired_comparison",
}
"""Module of each name that is imported on first access, as in :mod:`venice`."""


def __getattr__(name: str) -> Any:  # noqa: ANN401 whatever it is
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'venice.stats' has no attribute {name!r}")

    found = globals()[name] = getattr(import_module(f"venice.stats.{home}"), name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
