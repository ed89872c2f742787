"""Columns of request tables: names and selection."""

from __future__ import annotations

from difflib import get_close_matches
from functools import cache
from typing import TYPE_CHECKING, Literal

from venice._native import UsageError, request_columns

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    Columns = Literal["usual", "all"] | Sequence[str]


def chosen(columns: Columns) -> list[str]:
    """Return the selected columns of a request table.

    Parameters
    ----------
    columns
        ``"usual"`` for the columns that do not slow down the run; ``"all"`` for all, including
        ``chip_wait_behind_ps``, ``owes_most_to`` and ``chip``; or names, in any order.

    Raises
    ------
    UsageError
        If a column does not exist or is named twice, or none is named.

    Examples
    --------
    >>> chosen(["number", "latency_ps"])
    ['number', 'latency_ps']
    >>> sorted(set(chosen("all")) - set(chosen("usual")))
    ['chip', 'chip_wait_behind_ps', 'owes_most_to']
    """
    if columns == "all":
        return list(declared())
    if columns == "usual":
        return [name for name, is_usual in declared().items() if is_usual]
    names = [columns] if isinstance(columns, str) else list(columns)
    if not names:
        raise UsageError("no column of requests is named; expected: names, `usual` or `all`")
    for place, name in enumerate(names):
        _check(name, names[:place])
    return names


@cache
def declared() -> dict[str, bool]:
    """Return all columns; the value is true for the usual ones, which do not slow down a run."""
    return dict(request_columns())


def _check(name: str, before: Iterable[str]) -> None:
    if name in before:
        raise UsageError(f"the column `{name}` of requests is named twice; expected: once")
    if name not in declared():
        near = get_close_matches(name, declared(), n=1)
        hint = f"did you mean `{near[0]}`? " if near else ""
        raise UsageError(
            f"requests have no column `{name}`; {hint}expected: {', '.join(declared())}"
        )
