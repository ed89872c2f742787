"""Suggestions of known names, for messages."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def suggestion(name: str, known: Iterable[str]) -> str:
    """Return a suggestion of the nearest known name for a message; empty without one.

    Examples
    --------
    >>> suggestion("fabirc", ["fabric", "drive"])
    '; did you mean `fabric`?'
    >>> suggestion("colour", ["fabric", "drive"])
    ''
    """
    near = get_close_matches(name, known, n=1)
    return f"; did you mean `{near[0]}`?" if near else ""
