"""Targets of request tables: listener functions and files."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias, cast

from venice._native import RequestSink
from venice.observation.request_columns import chosen, declared
from venice.observation.table import Table

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from venice import _native
    from venice.observation.request_columns import Columns
    from venice.observation.request_log import RequestLog

    Listener: TypeAlias = Callable[[Table], object]
    Log: TypeAlias = Listener | RequestLog


class LogTargets(NamedTuple):
    """Targets that receive the tables of completed requests."""

    listener: Listener | None = None
    """Function called with each table."""
    columns: Sequence[str] = ()
    """Columns of the tables for the listener."""
    files: Sequence[RequestSink] = ()
    """Files to which the requests are written, each with its own columns."""


def log_targets(log: Log | None) -> LogTargets:
    """Return the targets of a log.

    A listener may select columns in an attribute `columns`.
    """
    if log is None:
        return LogTargets()
    if isinstance(log, CombinedLog):
        return LogTargets(log if log.columns else None, log.columns, log.files)
    file = getattr(log, "rows", None)
    if isinstance(file, RequestSink):
        return LogTargets(files=[file])
    listener = cast("Listener", log)
    columns: Columns = getattr(listener, "columns", "usual")
    return LogTargets(listener, chosen(columns))


class CombinedLog:
    """Several logs combined; each listener receives the columns of all, in their usual order."""

    def __init__(self, logs: Sequence[Log]) -> None:
        targets = [log_targets(log) for log in logs]
        self.files = [file for one in targets for file in one.files]
        self._listeners = [one.listener for one in targets if one.listener is not None]
        wanted = {name for one in targets for name in one.columns}
        self.columns = [name for name in declared() if name in wanted]

    def __call__(self, rows: Table) -> None:
        """Pass a table to every listener."""
        for listener in self._listeners:
            listener(rows)


def wrapped(listener: Listener | None) -> Callable[[_native.Table], object] | None:
    """Return a function for the engine that calls the listener with a :class:`Table`."""
    return None if listener is None else lambda rows: listener(Table(rows))
