"""Registry of experiments; a new experiment needs a file and a line in this module."""

from __future__ import annotations

from typing import TYPE_CHECKING

from venice._native import UsageError
from venice.papers.experiments import (
    ablation,
    circuits,
    claims,
    collection,
    equal_wires,
    equal_wires_map,
    faults,
    fig4,
    fig8,
    fig11,
    fig12,
    fig13,
    fig15,
    fit,
    gathering,
    holds,
    hot_channel,
    load,
    pif,
    pif_sweeps,
    piq,
    related,
    sensitivity,
    skew,
    tab4,
    together,
)
from venice.papers.experiments.fig9 import FIG9A, FIG9B
from venice.papers.experiments.fig10 import FIG10A, FIG10B
from venice.papers.experiments.fig14 import FIG14A, FIG14B
from venice.text.suggestions import suggestion

if TYPE_CHECKING:
    from collections.abc import Sequence

    from venice.papers.experiment import Experiment

EXPERIMENTS: tuple[Experiment, ...] = (
    claims.EXPERIMENT,
    fig4.EXPERIMENT,
    fig8.EXPERIMENT,
    FIG9A,
    FIG9B,
    FIG10A,
    FIG10B,
    fig11.EXPERIMENT,
    fig12.EXPERIMENT,
    fig13.EXPERIMENT,
    FIG14A,
    FIG14B,
    fig15.EXPERIMENT,
    tab4.EXPERIMENT,
    fit.EXPERIMENT,
    holds.EXPERIMENT,
    hot_channel.EXPERIMENT,
    load.EXPERIMENT,
    skew.EXPERIMENT,
    equal_wires.EXPERIMENT,
    equal_wires_map.EXPERIMENT,
    ablation.EXPERIMENT,
    sensitivity.EXPERIMENT,
    collection.EXPERIMENT,
    circuits.EXPERIMENT,
    gathering.EXPERIMENT,
    faults.EXPERIMENT,
    related.EXPERIMENT,
    *piq.EXPERIMENTS,
    *pif.EXPERIMENTS,
    *pif_sweeps.EXPERIMENTS,
    together.EXPERIMENT,
)
"""Experiments in the order of runs and results."""


_RENAMED = {"when": "hot-channel"}
"""Current names of renamed experiments, by earlier name."""


_REPLAYED = frozenset({"piq", "claims", "fig13"})
"""Suite and experiments that replay real traces."""
_SYNTHETIC = frozenset({"piq-fig5", "piq-fig6", "piq-fig7", "piq-collection"})
"""Experiments of such a suite whose requests are synthetic."""


def replays_traces(experiment: Experiment) -> bool:
    """Return true if an experiment replays real traces when they are available."""
    own = {experiment.name, experiment.group}
    return bool(_REPLAYED & own) and not _SYNTHETIC & own


def choose(names: Sequence[str]) -> list[Experiment]:
    """Return experiments by name; a suite's name selects its experiments, ``all`` everything.

    Raises
    ------
    UsageError
        If there is no such experiment.
    """
    known = {experiment.name for experiment in EXPERIMENTS}
    groups = {experiment.group for experiment in EXPERIMENTS}
    for name in names:
        if name in _RENAMED:
            raise UsageError(f"`{name}` is called `{_RENAMED[name]}` now; write that")
        if name not in known | groups | {"all"}:
            raise UsageError(
                f"`{name}` is not an experiment{suggestion(name, known | groups)}; "
                f"expected: one of {', '.join(sorted(groups))} (whole suites), "
                f"{', '.join(experiment.name for experiment in EXPERIMENTS)}, or all"
            )
    requested = set(names)
    return [
        experiment
        for experiment in EXPERIMENTS
        if requested & {experiment.name, experiment.group, "all"}
    ]
