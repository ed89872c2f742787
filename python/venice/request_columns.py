"""Which columns a row of a request has: those that are asked for, which is what a run pays for."""

from __future__ import annotations

from difflib import get_close_matches
from functools import cache
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias, cast

from venice._native import RequestSink, UsageError, request_columns

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from venice.request_log import RequestLog
    from venice.table import Table

    Listener: TypeAlias = Callable[[Table], object]
    Log: TypeAlias = Listener | RequestLog
    Columns = Literal["usual", "all"] | Sequence[str]


def chosen(columns: Columns) -> list[str]:
    """Name columns of requests' rows.

    Parameters
    ----------
    columns
        ``"usual"`` for what a run knows of its requests in any case; ``"all"`` for that and what
        it has to look for, which takes time: ``chip_wait_behind_ps``, ``owes_most_to``, ``chip``.
        Or names, in any order.

    Raises
    ------
    UsageError
        If there is no such column, or one is named twice, or none.

    Examples
    --------
    >>> chosen(["number", "latency_ps"])
    ['number', 'latency_ps']
    >>> sorted(set(chosen("all")) - set(chosen("usual")))
    ['chip', 'chip_wait_behind_ps', 'owes_most_to']
    """
    if columns == "all":
        return list(_declared())
    if columns == "usual":
        return [name for name, is_usual in _declared().items() if is_usual]
    names = [columns] if isinstance(columns, str) else list(columns)
    if not names:
        raise UsageError("a row of a request needs a column; name one, or take `usual` or `all`")
    for place, name in enumerate(names):
        _check(name, names[:place])
    return names


class Asked(NamedTuple):
    """What a run is asked to do with rows of requests."""

    listener: Listener | None = None
    """Who hears of them."""
    columns: Sequence[str] = ()
    """Which columns the listener gets."""
    files: Sequence[RequestSink] = ()
    """Files that get rows, too, each with columns of its own."""


def asked_by(log: Log | None) -> Asked:
    """Say what a log asks for: a file's rows, or by an attribute `columns` those that it hears."""
    if log is None:
        return Asked()
    if isinstance(log, AllOf):
        return Asked(log if log.columns else None, log.columns, log.files)
    file = getattr(log, "rows", None)
    if isinstance(file, RequestSink):
        return Asked(files=[file])
    listener = cast("Listener", log)
    columns: Columns = getattr(listener, "columns", "usual")
    return Asked(listener, chosen(columns))


class AllOf:
    """Several logs: listeners each get rows with the columns of all, in their declared order."""

    def __init__(self, logs: Sequence[Log]) -> None:
        asked = [asked_by(log) for log in logs]
        self.files = [file for one in asked for file in one.files]
        self._listeners = [one.listener for one in asked if one.listener is not None]
        wanted = {name for one in asked for name in one.columns}
        self.columns = [name for name in _declared() if name in wanted]

    def __call__(self, rows: Table) -> None:
        """Take further rows."""
        for listener in self._listeners:
            listener(rows)


@cache
def _declared() -> dict[str, bool]:
    """Give every column, and whether it is a usual one."""
    return dict(request_columns())


def _check(name: str, before: Iterable[str]) -> None:
    if name in before:
        raise UsageError(f"the column `{name}` of requests is named twice; once is enough")
    if name not in _declared():
        near = get_close_matches(name, _declared(), n=1)
        hint = f"did you mean `{near[0]}`? " if near else ""
        raise UsageError(
            f"requests have no column `{name}`; {hint}there are: {', '.join(_declared())}"
        )
