"""Experiments on the PIQ paper: its claims, its figures in their order, and additional ones."""

from __future__ import annotations

from venice.papers.experiments import (
    piq_claims,
    piq_collection,
    piq_examples,
    piq_fabrics,
    piq_figures,
    piq_load,
    piq_paths,
    piq_settings,
)

_FIG1, *_FIGURES = piq_figures.EXPERIMENTS
_BEFORE_THE_EXAMPLES = 2
"""Number of figures that precede the worked examples: Figures 3a and 3b."""

EXPERIMENTS = (
    piq_claims.EXPERIMENT,
    _FIG1,
    *_FIGURES[:_BEFORE_THE_EXAMPLES],
    *piq_examples.EXPERIMENTS,
    *_FIGURES[_BEFORE_THE_EXAMPLES:],
    *piq_settings.EXPERIMENTS,
    piq_load.EXPERIMENT,
    *piq_fabrics.EXPERIMENTS,
    piq_paths.EXPERIMENT,
    piq_collection.EXPERIMENT,
)
