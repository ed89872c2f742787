"""Figure 4: speed-up of earlier designs, and of a drive without path conflicts, over Baseline."""

from __future__ import annotations

from venice.papers.experiments import study
from venice.papers.experiments.speed_up import speed_ups

EXPERIMENT = speed_ups(
    "fig4",
    "Earlier designs and the ideal drive",
    "Venice, Figure 4",
    study.PERFORMANCE,
    besides=[study.MIXES],
)
