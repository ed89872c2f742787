"""Reproduction of published figures and tables, with a scorecard of their claims.

An experiment is a file in :mod:`venice.papers.experiments` and a line in
:mod:`venice.papers.registry`.

>>> from venice.papers import EXPERIMENTS
>>> "tab4" in [experiment.name for experiment in EXPERIMENTS]
True
"""

from venice.papers.experiment import Experiment, Finding, Runs
from venice.papers.registry import EXPERIMENTS, choose
from venice.papers.runner import Reproduction, reproduce
from venice.papers.scorecard import Claim
from venice.papers.size import FULL, GOLDEN, QUICK, Size

__all__ = [
    "EXPERIMENTS",
    "FULL",
    "GOLDEN",
    "QUICK",
    "Claim",
    "Experiment",
    "Finding",
    "Reproduction",
    "Runs",
    "Size",
    "choose",
    "reproduce",
]
