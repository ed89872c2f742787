"""Published figures and tables, drawn again, and a scorecard of what they claim.

An experiment is a file in :mod:`venice.reproduce.experiments` and a line in
:mod:`venice.reproduce.registry`.

>>> from venice.reproduce import EXPERIMENTS
>>> "tab4" in [experiment.name for experiment in EXPERIMENTS]
True
"""

from venice.reproduce.experiment import Experiment, Finding, Runs
from venice.reproduce.registry import EXPERIMENTS, choose
from venice.reproduce.runner import Reproduction, reproduce
from venice.reproduce.scorecard import Claim
from venice.reproduce.size import FULL, GOLDEN, QUICK, Size

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
