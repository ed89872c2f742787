"""Point of a search, with the state of its runs."""

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
    """Point with its runs so far: short runs, then the full one.

    Attributes
    ----------
    optuna_trial
        Optuna's trial of the point.
    place, point
        Coordinates in the space, and the point.
    judges
        Judge for each length of its short runs, as of the time of the choice.
    keys
        Keys of the runs that were begun.
    results
        Results of the finished runs.
    impossible
        Reason why the drive is impossible; ``None`` if it is possible.
    is_over
        True if no further run follows.
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
        """Return the options of a run of the point; ``None`` requests for the full run."""
        options = self.point.options
        return options if requests is None else replace(options, requests=requests)
