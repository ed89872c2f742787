"""Figure 12: mixes of workloads."""

from __future__ import annotations

from venice.papers.experiments import study
from venice.papers.experiments.speed_up import speed_ups

EXPERIMENT = speed_ups("fig12", "Mixes of workloads", "Venice, Figure 12", study.MIXES)
