"""Size of an experiment: number of runs and requests."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_Value = TypeVar("_Value")


@dataclass(frozen=True)
class Size:
    """Number of runs and requests of an experiment.

    Attributes
    ----------
    name
        Name of the size.
    requests
        Number of requests of an ordinary run.
    most_values
        Maximum number of values on an axis; ``None`` for all.
    traces
        Folder of traces for experiments that replay real traces, if given.
    seeds
        Number of seeds of the comparisons with the Venice paper.
    regimes
        Names of the regimes of ``claims``; ``None`` for all.
    """

    name: str
    requests: int
    most_values: int | None = None
    traces: Path | None = None
    seeds: int = 1
    regimes: tuple[str, ...] | None = None

    def some(self, values: Sequence[_Value]) -> Sequence[_Value]:
        """Return the values to run: all or, if too many, some values from the first to the last.

        Examples
        --------
        >>> Size("tiny", 10, most_values=3).some([1, 2, 3, 4, 5])
        [1, 3, 5]
        """
        if self.most_values is None or len(values) <= self.most_values:
            return values
        last = self.most_values - 1
        return [values[place * (len(values) - 1) // last] for place in range(self.most_values)]


FULL = Size("full", 100_000, seeds=3)
"""Full size, which takes hours on two cores."""

QUICK = Size("quick", 1_000, seeds=3)
"""Quick size, with which all experiments end within minutes."""

GOLDEN = Size("golden", 120, most_values=3)
"""Size of the golden tests; the documentation does not quote its results."""
