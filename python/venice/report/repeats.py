"""Detection of seeds that do not affect the result, so that runs are not independent samples."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from venice.report.report import Report

import hashlib
import json
from typing import TYPE_CHECKING

from venice.text import counts

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from venice.report.report import Report

_NOT_RESULTS = frozenset({"config", "seed", "wall_s", "events", "venice_version", "build"})
"""Keys of a report that describe the run instead of its result."""
_REMEDY = (
    "an interval over seeds says nothing then; of a trace, --trace-resample offset or blocks "
    "(trace_resample) draws another sample of the same load with each seed"
)


def seed_note(groups: Iterable[Sequence[Report]]) -> str | None:
    """Return a note if the seed does not affect the results.

    The reports of a group differ only in the seed. Groups of one report are ignored.

    Examples
    --------
    >>> from venice.report import Report
    >>> equal = [Report({"seed": 1, "iops": 7.0}), Report({"seed": 2, "iops": 7.0})]
    >>> (seed_note([equal]) or "").partition(";")[0]
    'the seed changes nothing for these runs: 2 runs, 1 distinct result'
    >>> seed_note([[Report({"seed": 1, "iops": 7.0}), Report({"seed": 2, "iops": 7.1})]])
    """
    compared = [[result_of(report) for report in group] for group in groups if len(group) > 1]
    equal = [results for results in compared if len(set(results)) == 1]
    if not equal:
        return None
    runs, distinct = sum(map(len, equal)), len(equal)
    few = "these" if len(equal) == len(compared) else f"{runs:,} of the"
    counted = f"{counts.of(runs, 'run')}, {counts.of(distinct, 'distinct result')}"
    return f"the seed changes nothing for {few} runs: {counted}; {_REMEDY}"


def result_of(report: Report) -> str:
    """Return a hash of the results in a report."""
    content = report.content
    found = {key: value for key, value in content.items() if key not in _NOT_RESULTS}
    return hashlib.sha256(json.dumps(found, sort_keys=True).encode()).hexdigest()


def distinct_results(reports: Iterable[Report]) -> int:
    """Return the number of different results among reports.

    Two runs have the same result if their reports agree in all figures of the simulated drive. If
    there are fewer results than seeds, the seed has no influence, as with a trace.

    Examples
    --------
    >>> from venice.report import Report
    >>> distinct_results([Report({"seed": 1, "iops": 5.0}), Report({"seed": 2, "iops": 5.0})])
    1
    """
    return len({result_of(report) for report in reports})


def have_equal_results(one: Report, other: Report) -> bool:
    """Return true if two reports agree in all figures of the simulated drive."""
    return result_of(one) == result_of(other)
