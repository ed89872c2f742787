"""Outcome of an attempt at a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from venice.report import Report


class RunOutcome(NamedTuple):
    """Outcome of an attempt to execute a run.

    Attributes
    ----------
    attempt
        Number of the attempt.
    key
        Key of the run.
    report
        Report of the run, or the reason of its failure.
    is_refused
        True if the scenario was invalid.
    """

    attempt: int
    key: str
    report: Report | str
    is_refused: bool = False
