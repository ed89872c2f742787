"""End of an attempt at a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from venice.report import Report


class Ending(NamedTuple):
    """End of an attempt at a run.

    Attributes
    ----------
    attempt
        Which attempt.
    key
        Which run.
    report
        What the run says, or why it failed.
    is_refused
        Whether it failed by what was asked for.
    """

    attempt: int
    key: str
    report: Report | str
    is_refused: bool = False
