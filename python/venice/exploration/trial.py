"""A point of a search, and how far it has come."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from venice.exploration.promotion import Judge
    from venice.exploration.runs import RunResult
    from venice.exploration.space import Place
    from venice.options.run_options import RunOptions
    from venice.sweep.definition import Point


@dataclass
class Trial:
    """A point, and its runs so far: short ones, then the full one.

    Attributes
    ----------
    optuna_trial
        What the optimiser calls it.
    place, point
        Where it is in the space, and what it is.
    judges
        What was known when it was chosen, for each length of its short runs.
    keys
        The key of each run that was begun.
    results
        What each run that has ended has said.
    impossible
        Why its drive is, if it is.
    is_over
        Whether it has no further run.
    """

    optuna_trial: Any
    place: Place
    point: Point
    judges: Sequence[Judge]
    keys: list[str] = field(default_factory=list)
    results: list[RunResult] = field(default_factory=list)
    impossible: str | None = None
    is_over: bool = False

    @property
    def last(self) -> Mapping[str, float] | str:
        """Figures of the last run."""
        return self.results[-1].figures

    def options(self, requests: int | None) -> RunOptions:
        """Return the options of its run with this number of requests, its own if none."""
        options = self.point.options
        return options if requests is None else replace(options, requests=requests)
