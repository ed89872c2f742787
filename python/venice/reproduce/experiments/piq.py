"""The PIQ paper's figures, in their order.

The text of the paper says what its evaluation shows, not always in which of Figures 8 to 17; there
the numbers are in the order of the text's topics. Figures 1, 3, 18 and 19 are the paper's.
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
    piq_fabrics.EXPERIMENT,
)
