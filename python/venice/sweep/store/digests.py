"""Digests of files that runs have read, stored so that a large trace is hashed only once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from venice.sweep.store.database import transaction

if TYPE_CHECKING:
    from sqlite3 import Connection

    from venice.sweep.content import Stamp


class KeptDigests:
    """Digests in a store: for each path, the digest of the last version that was read."""

    def __init__(self, database: Connection) -> None:
        self._database = database

    def get(self, stamp: Stamp) -> str | None:
        """Return the digest of a version of a file, if it is known."""
        row = self._database.execute(
            "SELECT digest FROM digests WHERE path = ? AND size = ? AND changed_ns = ?", stamp
        ).fetchone()
        return None if row is None else str(row[0])

    def put(self, stamp: Stamp, digest: str) -> None:
        """Store the digest of a version of a file."""
        with transaction(self._database):
            self._database.execute(
                "INSERT OR REPLACE INTO digests VALUES (?, ?, ?, ?)", (*stamp, digest)
            )
