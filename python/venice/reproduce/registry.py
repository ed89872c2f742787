"""The experiments there are. A new one is its file and a line here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from venice._native import UsageError
from venice.reproduce.experiments import tab4
from venice.reproduce.experiments.fig9 import FIG9A, FIG9B

if TYPE_CHECKING:
    from collections.abc import Sequence

    from venice.reproduce.experiment import Experiment

EXPERIMENTS: tuple[Experiment, ...] = (FIG9A, FIG9B, tab4.EXPERIMENT)
"""In the order in which they are run and told."""


def choose(names: Sequence[str]) -> list[Experiment]:
    """Find experiments by name; the name of a suite stands for all of it, ``all`` for all.

    Raises
    ------
    UsageError
        If there is no such experiment.
    """
    known = {experiment.name for experiment in EXPERIMENTS}
    groups = {experiment.group for experiment in EXPERIMENTS}
    for name in names:
        if name not in known | groups | {"all"}:
            raise UsageError(
                f"`{name}` is no experiment; there are {', '.join(sorted(groups))} (whole suites), "
                f"{', '.join(experiment.name for experiment in EXPERIMENTS)}, and all"
            )
    asked = set(names)
    return [
        experiment
        for experiment in EXPERIMENTS
        if asked & {experiment.name, experiment.group, "all"}
    ]
