"""Columns of requests' rows: their names, and the choice among them."""

from __future__ import annotations

from difflib import get_close_matches
from functools import cache
from typing import TYPE_CHECKING, Literal

from venice._native import UsageError, request_columns

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

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
    """Return every column, with true if it is a usual one."""
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
