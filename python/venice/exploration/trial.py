"""Point of a search, with the progress of its runs."""

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
    """Point of a search and its runs so far: short runs, then the full one.

    Attributes
    ----------
    optuna_trial
        Optuna's trial of the point.
    place, point
        Position in the space, and the values of the keys there.
    judges
        Criteria for a longer run after each short run, with the results known when the point was
        chosen.
    keys
        Keys of the runs that have been started.
    results
        Results of the finished runs.
    impossible
        Reason why the drive is impossible; ``None`` if it is possible.
    is_over
        True if the point gets no further run.
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
        """Figures of the last finished run, or the reason why there are no figures."""
        return self.results[-1].figures

    def options(self, requests: int | None) -> RunOptions:
        """Return the options of a run of the point; if `requests` is ``None``, of all requests."""
        options = self.point.options
        return options if requests is None else replace(options, requests=requests)
