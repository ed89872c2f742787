"""Engines that executed the runs of a store; runs of engines other than the current are stale."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

from venice import version

if TYPE_CHECKING:
    from collections.abc import Iterable
    from sqlite3 import Connection

_OF_SWEEPS = """
SELECT engine, count(DISTINCT finished.id)
FROM sweeps JOIN points ON points.sweep = sweeps.id JOIN finished USING (key)
"""
_BY_ENGINE = "GROUP BY engine ORDER BY engine"


class Engine(NamedTuple):
    """Engine that made runs of a store.

    Attributes
    ----------
    digest
        Digest of the engine; ``None`` for versions that did not record it.
    runs
        Number of finished runs.
    """

    digest: str | None
    runs: int

    @property
    def is_current(self) -> bool:
        """True if the engine is the one of this process."""
        return self.digest == version.engine_digest()

    def __str__(self) -> str:
        return self.digest or "not recorded"


def engines_of(database: Connection) -> list[Engine]:
    """Return the engines of all runs in a store, the current one first."""
    rows = database.execute(f"SELECT engine, count(*) FROM finished {_BY_ENGINE}")  # noqa: S608
    return sorted((Engine(*row) for row in rows), key=lambda engine: not engine.is_current)


def visible_stale_engines(database: Connection) -> list[Engine]:
    """Return the engines other than the current one whose runs belong to sweeps."""
    rows = database.execute(f"{_OF_SWEEPS} {_BY_ENGINE}")
    return [engine for engine in map(Engine._make, rows) if not engine.is_current]


def stale_of(database: Connection, sweeps: Iterable[str]) -> list[Engine]:
    """Return the other engines whose runs in these sweeps have not been replaced yet."""
    named = "WHERE name IN (SELECT value FROM json_each(?))"
    rows = database.execute(f"{_OF_SWEEPS} {named} {_BY_ENGINE}", (json.dumps(list(sweeps)),))
    engines = [Engine(*row) for row in rows]
    stale = [engine for engine in engines if not engine.is_current]
    fresh = sum(engine.runs for engine in engines if engine.is_current)
    return stale if sum(engine.runs for engine in stale) > fresh else []
