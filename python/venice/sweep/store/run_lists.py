"""Lists of runs that grow, such as those of a search.

In the store such a list is a sweep, so that status, tables and SQL include it.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from venice.sweep.store.database import transaction
from venice.sweep.store.plan import PUT_POINT, point_row, sweep_row

if TYPE_CHECKING:
    from collections.abc import Iterable
    from sqlite3 import Connection

    from venice.sweep.store.plan import Row


class RunList:
    """List of runs in a store.

    Attributes
    ----------
    sweep
        Number of the list's row in the store.
    """

    def __init__(
        self, database: Connection, name: str, content: str, keys: Iterable[str], expected: int
    ) -> None:
        self._database = database
        self._header = name, json.dumps(list(keys))
        with transaction(database):
            self.sweep = sweep_row(database, self._header, content, expected)

    def put(self, rows: Iterable[Row]) -> None:
        """Store runs at their positions, which are the same if a search is repeated."""
        with transaction(self._database):
            self._database.executemany(
                f"INSERT OR REPLACE {PUT_POINT}",
                [point_row(self.sweep, self._header, row) for row in rows],
            )

    def end(self, count: int) -> None:
        """Store the final number of runs in the list."""
        with transaction(self._database):
            self._database.execute(
                "DELETE FROM points WHERE sweep = ? AND place >= ?", (self.sweep, count)
            )
            self._database.execute("UPDATE sweeps SET points = ? WHERE id = ?", (count, self.sweep))
