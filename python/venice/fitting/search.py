"""Search for the parameter values of lowest cost: Optuna's TPE, then steps along each axis.

The tree-structured Parzen estimator (TPE) finds the region. The steps refine the result, and show
how well each parameter is determined.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from math import exp
from typing import TYPE_CHECKING, Any, NamedTuple

from venice._native import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from venice.fitting.objective import Evaluation, Objective
    from venice.fitting.parameters import Parameter

_BY_TREES = 0.6
"""Share of the trials that the TPE chooses."""
_RANDOM = 0.3
"""Share of the TPE's trials that are random."""
_FIRST_STEP, _LAST_STEP = 0.2, 0.01
"""First and last step along an axis, as logarithms of a factor."""
_PROFILE = (0.5, 0.8, 0.9, 0.95, 1.05, 1.1, 1.25, 2.0)
"""Factors on the best value of a parameter at which the cost is evaluated for its profile."""
PROFILE_RUNS = len(_PROFILE)
"""Number of settings evaluated for the profile of a parameter."""
_WORSE = 1.1
"""Ratio to the lowest cost from which a value counts as excluded by the measurements."""
_NOTICEABLE = 0.002
"""Difference to the lowest cost from which a value counts as excluded, if that cost is nearly 0."""


class Profile(NamedTuple):
    """Range in which a parameter's value fits the measurements almost as well as the best value."""

    key: str
    value: float
    low: float | None
    """Nearest excluded value below the best one; ``None`` if none is excluded."""
    high: float | None
    """Nearest excluded value above the best one; ``None`` if none is excluded."""

    @property
    def is_determined(self) -> bool:
        """True if some smaller and some larger value are excluded."""
        return self.low is not None and self.high is not None


def require_optuna() -> None:
    """Refuse to fit if the optimiser is not installed.

    Raises
    ------
    UsageError
        The message names the command that installs it.
    """
    if find_spec("optuna") is None:
        raise UsageError(
            "fits need Optuna, which is not installed; install it with: pip install "
            "'venice-ssd[explore]'"
        )


def search(objective: Objective, trials: int, seed: int) -> None:
    """Evaluate at most `trials` sets of values; :attr:`Objective.best` is then the result."""
    parameters = objective.parameters
    objective.evaluate([one.start for one in parameters])
    by_trees = round(_BY_TREES * trials)
    optuna: Any = import_module("optuna")
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    sampler = optuna.samplers.TPESampler(
        seed=seed, n_startup_trials=max(4, round(_RANDOM * by_trees)), multivariate=True
    )
    study = optuna.create_study(sampler=sampler)
    study.enqueue_trial({one.key: one.start for one in parameters})
    for _ in range(by_trees):
        trial = study.ask()
        values = [trial.suggest_float(one.key, one.low, one.high, log=True) for one in parameters]
        study.tell(trial, objective.evaluate(values).cost)
    _descend(objective, trials)


def _descend(objective: Objective, trials: int) -> None:
    """Step along each axis from the best setting; halve the steps until no step helps."""
    step = _FIRST_STEP
    while step > _LAST_STEP and len(objective.evaluations) < trials:
        before = objective.best.cost
        for place in range(len(objective.parameters)):
            for sign in (1, -1):
                if len(objective.evaluations) < trials:
                    objective.evaluate(_moved(objective, place, exp(sign * step)))
        if objective.best.cost >= before:
            step /= 2


def _moved(objective: Objective, place: int, factor: float) -> Sequence[float]:
    values = list(objective.best.values)
    values[place] = _clipped(objective.parameters[place], values[place] * factor)
    return values


def _clipped(parameter: Parameter, value: float) -> float:
    return min(max(value, parameter.low), parameter.high)


def profiles_of(objective: Objective) -> list[Profile]:
    """Return the profile of each parameter around the best setting, with the others fixed.

    If a profile finds a better setting, all profiles are computed again around that setting.
    """
    while True:
        best = objective.best
        found = [_profile(objective, best, place) for place in range(len(objective.parameters))]
        if objective.best is best:
            return found


def _profile(objective: Objective, best: Evaluation, place: int) -> Profile:
    parameter, value = objective.parameters[place], best.values[place]
    bound = max(best.cost * _WORSE, best.cost + _NOTICEABLE)
    excluded = []
    for factor in _PROFILE:
        moved = list(best.values)
        moved[place] = value * factor
        is_inside = parameter.low <= moved[place] <= parameter.high
        if is_inside and objective.evaluate(moved).cost > bound:
            excluded.append(moved[place])
    below = (one for one in excluded if one < value)
    above = (one for one in excluded if one > value)
    return Profile(parameter.key, value, max(below, default=None), min(above, default=None))
