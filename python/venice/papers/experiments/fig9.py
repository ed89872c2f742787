"""Figure 9: speed-up of each design over the baseline, on both drives."""

from __future__ import annotations

from venice.papers.experiments import study
from venice.papers.experiments.speed_up import speed_ups

FIG9A = speed_ups(
    "fig9a", "Speed-up: performance-optimised drive", "Venice, Figure 9(a)", study.PERFORMANCE
)
FIG9B = speed_ups("fig9b", "Speed-up: cost-optimised drive", "Venice, Figure 9(b)", study.COST)
