"""Consistency checks that every run of an experiment must pass."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from venice.report import Report

ROUNDING = 1e-9
"""Relative rounding tolerance of a sum of a dozen doubles."""


def energy_gap(report: Report) -> float:
    """Return the relative difference between the sum of the components' energies and the total.

    Examples
    --------
    >>> from venice.report import Report
    >>> energy_gap(Report({"energy_uj": {"links": 1.0, "dram": 2.0, "total": 4.0}}))
    0.25
    """
    energies = dict(report.energy_uj)
    total = energies.pop("total")
    return abs(math.fsum(energies.values()) - total) / total if total else 0.0


def complaint(report: Report) -> str | None:
    """Return a description of the first check that a run fails; ``None`` if the run passes all."""
    gap = energy_gap(report)
    if gap > ROUNDING:
        return f"the energies of its components miss their total by {gap:.2e}"
    lost = report.requests.submitted - report.requests.completed
    return f"{lost} requests were not completed" if lost else None
