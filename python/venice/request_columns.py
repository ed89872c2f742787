"""Which columns a row of a request has: those that are asked for, which is what a run pays for."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Literal

from venice._native import UsageError, request_columns

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from venice.table import Table

    Log = Callable[[Table], object]
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


def wanted_by(log: Log) -> list[str]:
    """Name the columns that a listener to rows asks for, by an attribute `columns`."""
    columns: Columns = getattr(log, "columns", "usual")
    return chosen(columns)


class AllOf:
    """Several listeners: each gets rows with the columns of all, in their declared order."""

    def __init__(self, logs: Sequence[Log]) -> None:
        self._logs = logs
        wanted = {name for log in logs for name in wanted_by(log)}
        self.columns = [name for name in _declared() if name in wanted]

    def __call__(self, rows: Table) -> None:
        """Take further rows."""
        for log in self._logs:
            log(rows)


@cache
def _declared() -> dict[str, bool]:
    """Give every column, and whether it is a usual one."""
    return dict(request_columns())


def _check(name: str, before: Iterable[str]) -> None:
    if name in before:
        raise UsageError(f"the column `{name}` of requests is named twice; once is enough")
    if name not in _declared():
        from difflib import get_close_matches  # noqa: PLC0415 for mistakes alone

        near = get_close_matches(name, _declared(), n=1)
        hint = f"did you mean `{near[0]}`? " if near else ""
        raise UsageError(
            f"requests have no column `{name}`; {hint}there are: {', '.join(_declared())}"
        )
