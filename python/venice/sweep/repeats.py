"""Detection of seeds that do not affect the results of a sweep."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

from venice.report.repeats import seed_note

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from venice.report.report import Report

SEEDS = ("seed", "trace_seed")
"""Keys of the axes that are seeds."""

MOST_COMPARED = 10_000
"""Maximum number of runs that are compared, which takes ten seconds at a millisecond each."""


def note_of_seeds(
    results: Iterable[tuple[Mapping[str, Any], Report]],
) -> str | None:
    """Return a note if a sweep has an axis of seeds that do not affect the results.

    Parameters
    ----------
    results
        Values on the axes, and the report, of each run.
    """
    groups: dict[tuple[tuple[str, Any], ...], list[Report]] = {}
    for choices, report in islice(results, MOST_COMPARED):
        if not any(key in SEEDS for key in choices):
            return None
        place = tuple((key, value) for key, value in choices.items() if key not in SEEDS)
        groups.setdefault(place, []).append(report)
    return seed_note(groups.values())
