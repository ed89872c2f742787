"""The PIQ paper's figures, in their order.

Which of Figures 8 to 17 shows what is assumed: the topics of the paper's evaluation are numbered in
their order. Figures 1 (conflicts), 3 (use), 18 (length of the queue) and 19 (number of units) are
meant to be the paper's.
"""

from __future__ import annotations

from venice.reproduce.experiments import piq_fabrics, piq_load, piq_schemes
from venice.reproduce.experiments.piq_conflicts import FIG1, FIG3
from venice.reproduce.experiments.piq_plus import FIG13, FIG14
from venice.reproduce.experiments.piq_settings import FIG15, FIG16, FIG17, FIG18, FIG19

EXPERIMENTS = (
    FIG1,
    FIG3,
    *piq_schemes.EXPERIMENTS,
    FIG13,
    FIG14,
    FIG15,
    FIG16,
    FIG17,
    FIG18,
    FIG19,
    piq_load.EXPERIMENT,
    *piq_fabrics.EXPERIMENTS,
)
