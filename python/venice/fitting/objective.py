"""Disagreement between a drive and measurements, as one number to minimise."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import log, sqrt
from typing import TYPE_CHECKING

from venice.validation.simulation import simulate

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from venice.fitting.parameters import Parameter
    from venice.options.run_options import RunOptions
    from venice.validation.load import Scene
    from venice.validation.rows import Figures
    from venice.validation.simulation import Rates
    from venice.validation.summary import LoadPoint

_P99_WEIGHT = 0.5
_TURN = 0.2
"""Logarithm of a ratio above which the cost is linear instead of quadratic. Points that no setting
can reproduce then do not dominate."""
_MISSING = 3.0
"""Cost of a point that cannot be simulated."""


@dataclass
class Evaluation:
    """Values of the parameters with their cost and the simulated figures of the loads."""

    values: tuple[float, ...]
    cost: float
    figures: Sequence[Figures | None]


@dataclass
class Objective:
    """Cost function of the parameters, which evaluates each combination of values once."""

    drive: RunOptions
    parameters: Sequence[Parameter]
    loads: Sequence[LoadPoint]
    scenes: Mapping[Scene, Rates]
    workers: int | None = None
    progress: Callable[[int], object] | None = None
    evaluations: dict[tuple[str, ...], Evaluation] = field(default_factory=dict)

    def evaluate(self, values: Sequence[float]) -> Evaluation:
        """Return the evaluation of parameter values, cached if they were evaluated before."""
        sets = tuple(one.setting(value) for one, value in zip(self.parameters, values, strict=True))
        if sets not in self.evaluations:
            self.evaluations[sets] = self._run(sets, tuple(values))
            if self.progress is not None:
                self.progress(len(self.evaluations))
        return self.evaluations[sets]

    def settings(self, evaluation: Evaluation) -> list[str]:
        """Return the parameter values of an evaluation as settings ``"key=value"``."""
        pairs = zip(self.parameters, evaluation.values, strict=True)
        return [parameter.setting(value) for parameter, value in pairs]

    @property
    def best(self) -> Evaluation:
        """Evaluation with the lowest cost so far."""
        return min(self.evaluations.values(), key=lambda one: one.cost)

    def _run(self, sets: tuple[str, ...], values: tuple[float, ...]) -> Evaluation:
        drive = replace(self.drive, sets=(*self.drive.sets, *sets))
        results = simulate(drive, self.scenes, workers=self.workers)
        figures = [
            results[one.point.load.scene].of(one.point.load, one.point.row.operation)
            for one in self.loads
        ]
        costs = [
            cost_of(one.measured, found) for one, found in zip(self.loads, figures, strict=True)
        ]
        return Evaluation(values, sum(costs) / len(costs), figures)


def cost_of(measured: Figures, simulated: Figures | None) -> float:
    """Return the cost of a load, from the ratios of its means and of its 99th percentiles.

    Examples
    --------
    >>> from venice.validation.rows import Figures
    >>> cost_of(Figures(mean_us=100), Figures(mean_us=100))
    0.0
    """
    if simulated is None:
        return _MISSING
    mean = _bent(measured.mean_us, simulated.mean_us)
    return mean + _P99_WEIGHT * _bent(measured.p99_us, simulated.p99_us)


def _bent(measured: float | None, simulated: float | None) -> float:
    """Return the pseudo-Huber loss of the logarithm of a ratio; 0 if one value is unknown."""
    if not measured or not simulated:
        return 0.0
    return sqrt(1 + (log(simulated / measured) / _TURN) ** 2) - 1
