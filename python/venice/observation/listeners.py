"""Receivers of the rows of requests: listeners, files, and several of both."""

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
    """Receivers of the rows of requests."""

    listener: Listener | None = None
    """Function called with each table of rows."""
    columns: Sequence[str] = ()
    """Columns of the listener's rows."""
    files: Sequence[RequestSink] = ()
    """Files that rows are written to, each with its own columns."""


def log_targets(log: Log | None) -> LogTargets:
    """Return the receivers of a log.

    A listener may name its columns in an attribute `columns`.
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
    """Several logs combined; each listener receives the union of the columns, in declared order."""

    def __init__(self, logs: Sequence[Log]) -> None:
        targets = [log_targets(log) for log in logs]
        self.files = [file for one in targets for file in one.files]
        self._listeners = [one.listener for one in targets if one.listener is not None]
        wanted = {name for one in targets for name in one.columns}
        self.columns = [name for name in declared() if name in wanted]

    def __call__(self, rows: Table) -> None:
        """Pass rows to every listener."""
        for listener in self._listeners:
            listener(rows)


def wrapped(listener: Listener | None) -> Callable[[_native.Table], object] | None:
    """Return the listener in the form in which the engine calls it."""
    return None if listener is None else lambda rows: listener(Table(rows))
