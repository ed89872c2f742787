"""Real block traces in the Venice paper's experiments, replayed at their own arrival times.

The first 7,000 requests of each trace in the folder of `--traces` or `VENICE_TRACES` are run.
Addresses are wrapped around the drive's capacity. The drive is `venice-performance-1000`, whose
channels of 1.0 GB/s correspond to the 4 µs for 4 KB in §3.1. A mean over a few traces depends on
their selection, so it is stated with its range when each trace in turn is left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from venice.papers.experiments import study, suite
from venice.papers.experiments.designs import find, point
from venice.papers.experiments.unstated_settings import SLOW_CHANNEL
from venice.papers.size import QUICK
from venice.papers.traces import named_traces

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from venice.papers.experiments.study import Study
    from venice.papers.experiments.suite import Regime
    from venice.papers.size import Size
    from venice.sweep import Point

REQUESTS = 7_000
"""Maximum number of requests of a trace in one run, except at test sizes; fewer would be another
load."""
NAME = "windows"
STUDIES = (study.PERFORMANCE, study.COST, study.WIDE, study.TALL)
"""Studies that are also run with real traces; those with the mixes of Table 3 are not."""


def traces(size: Size) -> dict[str, Path]:
    """Return the traces in the user's folder, by their names in tables."""
    return named_traces(size).traces


def regime(size: Size) -> Regime:
    """Return the load (regime) with which the user's traces are run."""
    count = len(traces(size))
    many = "1 trace at its" if count == 1 else f"{count} traces at their"
    text = f"{many} own times, {REQUESTS:,} requests of each at most, channels of 1.0 GB/s"
    return suite.Regime(NAME, text, drive=(SLOW_CHANNEL,))


def names(size: Size, volume: str | None = None) -> list[str]:
    """Return the names of all traces, or of the traces of one volume."""
    every = traces(size)
    if volume is None:
        return list(every)
    return [name for name in every if name == volume or name.startswith(f"{volume}_")]


def points(on: Study, size: Size) -> list[Point]:
    """Return the runs of every trace on every design."""
    chosen = regime(size)
    return [
        point(
            {
                "study": on.name,
                "workload": name,
                "regime": NAME,
                "fabric": design,
                "seed": study.FIRST_SEED,
            },
            (*on.sets, *chosen.sets(on.rows, find(design).fabric)),
            drive=on.drive,
            trace=str(path),
            fold=True,
            requests=size.requests if size.requests < QUICK.requests else REQUESTS,
            seed=study.FIRST_SEED,
        )
        for name, path in traces(size).items()
        for design in on.designs
    ]


class Spread(NamedTuple):
    """Mean of values, with its minimum and maximum when one value at a time is left out."""

    mean: float | None
    least: float | None
    most: float | None

    def shown(self, digits: int = 1) -> str:
        """Return the mean and its range as text."""
        if self.mean is None:
            return "–"
        if self.least is None or self.most is None:
            return f"{self.mean:.{digits}f}"
        return f"{self.mean:.{digits}f} ({self.least:.{digits}f} to {self.most:.{digits}f})"


def spread(values: Sequence[float | None]) -> Spread:
    """Return the mean of the known values, and its range when each in turn is left out.

    Examples
    --------
    >>> spread([1.0, None, 2.0, 6.0])
    Spread(mean=3.0, least=1.5, most=4.0)
    >>> spread([2.0])
    Spread(mean=2.0, least=None, most=None)
    """
    known = [value for value in values if value is not None]
    left = [suite.mean([*known[:place], *known[place + 1 :]]) for place in range(len(known))]
    means = [value for value in left if value is not None]
    return Spread(suite.mean(known), min(means, default=None), max(means, default=None))
