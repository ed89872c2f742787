"""Choice of the next point by Optuna, which is imported when a search begins.

The import takes a second.
"""

from __future__ import annotations

import warnings
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from venice._native import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from venice.exploration.definition import Exploration
    from venice.exploration.front import Values
    from venice.exploration.space import Place

STARTED_BY = 20
"""Number of random points before the optimiser chooses."""
_VIOLATIONS = "violations"
_IMPOSSIBLE = 1000.0
"""Constraint violation reported for an impossible drive, larger than that of any possible one."""


def require_optuna() -> None:
    """Raise an error if Optuna is not installed.

    Raises
    ------
    UsageError
        The message names the command that installs it.
    """
    if find_spec("optuna") is None:
        raise UsageError(
            "explorations need Optuna, which is not installed; install it with: pip install "
            "'venice-ssd[explore]'"
        )


class Sampler:
    """Optuna's multi-objective tree-structured Parzen estimator (TPE) over the axes of a space.

    The sampler models all parameters jointly, and treats running points as bad ones, so that it
    does not choose them again.
    """

    def __init__(self, exploration: Exploration) -> None:
        optuna: Any = import_module("optuna")
        optuna.logging.set_verbosity(optuna.logging.WARNING)
        self._axes = exploration.space.axes
        self._failed = optuna.trial.TrialState.FAIL
        self._has_constraints = hasattr(optuna.trial.Trial, "set_constraint")
        # Optuna before version 5 takes constraints from a function; later versions deprecate this.
        constraint_options = {} if self._has_constraints else {"constraints_func": _violations_of}
        objectives = exploration.goals.objectives
        with _quiet():
            sampler = optuna.samplers.TPESampler(
                seed=exploration.search.seed,
                n_startup_trials=STARTED_BY,
                multivariate=True,
                constant_liar=True,
                **constraint_options,
            )
            self._study = optuna.create_study(
                directions=["minimize"] * len(objectives), sampler=sampler
            )
        self._worst: Values = (0.0,) * len(objectives)

    def ask(self, place: Place | None = None) -> tuple[Any, Place]:
        """Return the given point, or one chosen by the optimiser, with its Optuna trial."""
        with _quiet():
            if place is not None:
                names = (axis.name for axis in self._axes)
                self._study.enqueue_trial(dict(zip(names, place, strict=True)))
            trial = self._study.ask()
            return trial, tuple(axis.suggest(trial) for axis in self._axes)

    def tell(self, trial: Any, values: Values, violations: Sequence[float]) -> None:  # noqa: ANN401
        """Report the figures of a point and its constraint violations to the optimiser."""
        self._worst = tuple(map(max, self._worst, values))
        # All constraints are passed as one value, so that impossible drives have as many as
        # possible ones.
        self._tell(trial, values, max([*violations, -1.0]))

    def tell_impossible(self, trial: Any) -> None:  # noqa: ANN401 Optuna's
        """Report to the optimiser that the drive of a point is impossible."""
        self._tell(trial, self._worst, _IMPOSSIBLE)

    def drop(self, trial: Any) -> None:  # noqa: ANN401 Optuna's
        """Discard the trial of a point whose run failed or whose result is known."""
        self._study.tell(trial, state=self._failed)

    def _tell(self, trial: Any, values: Values, violation: float) -> None:  # noqa: ANN401 Optuna's
        with _quiet():
            if self._has_constraints:
                trial.set_constraint(_VIOLATIONS, violation)
            else:
                trial.set_user_attr(_VIOLATIONS, [violation])
            self._study.tell(trial, list(values))


def _violations_of(trial: Any) -> Sequence[float]:  # noqa: ANN401 Optuna's
    found: Sequence[float] = trial.user_attrs[_VIOLATIONS]
    return found


@contextmanager
def _quiet() -> Iterator[None]:
    """Suppress Optuna's warnings about experimental features."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
