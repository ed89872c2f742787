"""Sample of the requests of a run, taken during the run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from venice.observation.table import Table

MOST = 2000
"""Maximum number of requests in the sample; a longer run has at least half as many."""

_STAGES = (
    "queue",
    "mapping",
    "path_wait",
    "transfer",
    "array",
    "host_link",
    "cache",
    "firmware",
    "decoding",
)
_COLUMNS: dict[str, Literal["B", "H", "I", "Q", "i"]] = {
    "number": "Q",
    "queue": "H",
    "op": "B",
    "start_sector": "Q",
    "sectors": "I",
    "chip": "i",
    "arrival_ps": "Q",
    "completed_ps": "Q",
    "chip_wait_ps": "Q",
    "chip_wait_behind_ps": "Q",
    "queue_ps": "Q",
    "mapping_ps": "Q",
    "path_wait_ps": "Q",
    "transfer_ps": "Q",
    "array_ps": "Q",
    "host_link_ps": "Q",
    "cache_ps": "Q",
    "firmware_ps": "Q",
    "decoding_ps": "Q",
}
"""Stored columns, with the format characters of their types for ``memoryview.cast``."""

_OPERATIONS = (
    *("read", "write", "trim", "flush"),
    *("write_fua", "write_zeroes", "write_zeroes_deac", "trim_range", "search"),
)
"""Values of the column `op`."""
_SECTOR_BYTES = 512


class Sample:
    """Sample of every n-th request in order of completion; n doubles whenever the sample is full.

    An object of this class is a `log` of :func:`venice.run`. The same run gives the same sample.

    Examples
    --------
    >>> import venice
    >>> sample = Sample()
    >>> report = venice.run(workload="random-read", requests=3000, log=sample)
    >>> len(sample.rows())
    1500
    """

    columns = tuple(_COLUMNS)
    """Columns of the request table that the sample needs."""

    def __init__(self) -> None:
        self._kept: list[tuple[int, ...]] = []
        self._every = 1
        self._skip = 0

    def __call__(self, rows: Table) -> None:
        """Add a table of completed requests."""
        views = [memoryview(rows.to_bytes(name)).cast(kind) for name, kind in _COLUMNS.items()]
        place = self._skip
        while place < len(views[0]):
            self._kept.append(tuple(view[place] for view in views))
            if len(self._kept) > MOST:
                self._kept = self._kept[::2]
                self._every *= 2
            place += self._every
        self._skip = place - len(views[0])

    def rows(self, first: int = 0) -> list[dict[str, Any]]:
        """Return the requests of the sample from number `first` on, in the form of a report."""
        return [_row(kept) for kept in self._kept if kept[0] >= first]


def _row(kept: Sequence[int]) -> dict[str, Any]:
    values = dict(zip(_COLUMNS, kept, strict=True))
    stages = {stage: values[f"{stage}_ps"] / 1e6 for stage in _STAGES}
    for option in ("firmware", "decoding"):
        if not stages[option]:
            del stages[option]
    return {
        "number": values["number"],
        "queue": values["queue"],
        "operation": _OPERATIONS[values["op"]],
        "start_sector": values["start_sector"],
        "size_bytes": values["sectors"] * _SECTOR_BYTES,
        "arrival_us": values["arrival_ps"] / 1e6,
        "latency_us": (values["completed_ps"] - values["arrival_ps"]) / 1e6,
        "stages_us": {**stages, "chip_wait": values["chip_wait_ps"] / 1e6},
        "chip_wait_behind_us": {"own_work": values["chip_wait_behind_ps"] / 1e6},
        "chip": None if values["chip"] < 0 else values["chip"],
    }
