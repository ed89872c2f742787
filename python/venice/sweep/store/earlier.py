"""Results of versions that kept a JSON file for each run, in ``runs/``.

They are taken into the store when it is opened, once for each state of that folder, and are not
touched. A file that holds no report is passed over: its run counts as not done.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from venice.report import Report
from venice.report.files import ReportError
from venice.report.table import folded_pct
from venice.scenario import MOST_FOLDED_PCT
from venice.sweep.store.database import transaction

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from sqlite3 import Connection

FOLDER = "runs"
_NOTE = "folder runs taken up"


def take_up(database: Connection, folder: Path, keep: Callable[[str, Report], bool]) -> int:
    """Take what is in ``runs/``; say how many runs were new."""
    runs = folder / FOLDER
    if not runs.is_dir():
        return 0
    state = str(runs.stat().st_mtime_ns)
    row = database.execute("SELECT value FROM notes WHERE name = ?", (_NOTE,)).fetchone()
    if row is not None and row[0] == state:
        return 0
    with transaction(database):
        taken = sum(_take(path, keep) for path in sorted(runs.glob("*.json")))
        database.execute("INSERT OR REPLACE INTO notes VALUES (?, ?)", (_NOTE, state))
    return taken


def _take(path: Path, keep: Callable[[str, Report], bool]) -> bool:
    try:
        report = Report.load(path)
        # Its name does not tell that folding was insisted on, which is another run today.
        return folded_pct(report) <= MOST_FOLDED_PCT and keep(path.stem, report)
    except (OSError, ReportError, KeyError):
        return False
