"""Progress and finished runs in a database of results, as sent to the live page."""

from __future__ import annotations

import json
from contextlib import closing
from typing import TYPE_CHECKING, Any

from venice.sweep.store.database import FILE_NAME, StoreError, explained, open_to_read, sql_name
from venice.sweep.store.status import status

if TYPE_CHECKING:
    from pathlib import Path
    from sqlite3 import Connection

    from venice.sweep.store.status import Progress

FIGURES = (
    "latency_us.all.mean",
    "latency_us.all.p99",
    "latency_us.read.mean",
    "latency_us.read.p99",
    "latency_us.write.mean",
    "latency_us.write.p99",
    "iops",
    "bandwidth_mb_per_s",
    "write_amplification",
    "utilisation.chip_pct",
    "energy_uj.total",
)
"""Figures that the page can plot."""
MOST_RUNS = 2_000
"""Maximum number of runs in a response; later requests return the others."""
_MOST_REASONS = 5
_RUNS = f"""
SELECT finished.id, sweeps.name, points.choices, {", ".join(map(sql_name, FIGURES))}
FROM finished JOIN points USING (key) JOIN sweeps ON sweeps.id = points.sweep
WHERE finished.id > ? AND finished.id <= ? ORDER BY finished.id
"""  # noqa: S608 our names
_LAST = "SELECT max(id) FROM (SELECT id FROM finished WHERE id > ? ORDER BY id LIMIT ?)"
_REASONS = """
SELECT reason, count(*) FROM attempts WHERE outcome IN ('failed', 'refused')
GROUP BY reason ORDER BY max(id) DESC LIMIT ?
"""


def progress_of(folder: Path, after: int = 0) -> dict[str, Any]:
    """Return the progress of a database of results, and the runs that finished after run `after`.

    If there is no database, the reason is in ``error``.
    """
    try:
        now = status(folder)
        with explained(folder / FILE_NAME), closing(open_to_read(folder)) as database:
            last, runs = _runs(database, after)
            reasons = database.execute(_REASONS, (_MOST_REASONS,)).fetchall()
    except StoreError as error:
        return {"error": str(error)}
    return {
        "sweeps": [_sweep(one) for one in now.sweeps],
        "processes": now.processes,
        "runs_per_s": now.runs_per_s,
        "left_s": now.left_s,
        "figures": FIGURES,
        "last": last,
        "runs": runs,
        "reasons": [{"reason": str(reason), "runs": count} for reason, count in reasons],
    }


def _sweep(one: Progress) -> dict[str, Any]:
    return {**one._asdict(), "left": one.left}


def _runs(database: Connection, after: int) -> tuple[int, list[dict[str, Any]]]:
    """Return the number of the last run, and a row for each run, by sweep."""
    last = database.execute(_LAST, (after, MOST_RUNS)).fetchone()[0]
    if last is None:
        return after, []
    rows = database.execute(_RUNS, (after, last))
    return int(last), [
        {"sweep": sweep, **json.loads(choices), **dict(zip(FIGURES, figures, strict=True))}
        for _, sweep, choices, *figures in rows
    ]
