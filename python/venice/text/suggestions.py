"""Suggestions of similar names, for error messages."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_CLOSE = 0.75
"""Similarity from which a path is suggested, 0 to 1."""
_MOST_NAMED = 3


def suggestion(name: str, known: Iterable[str]) -> str:
    """Return a suggestion of the most similar known name; empty if there is none.

    Examples
    --------
    >>> suggestion("fabirc", ["fabric", "drive"])
    '; did you mean `fabric`?'
    >>> suggestion("colour", ["fabric", "drive"])
    ''
    """
    near = get_close_matches(name, known, n=1)
    return f"; did you mean `{near[0]}`?" if near else ""


def path_suggestion(name: str, known: Iterable[str]) -> str:
    """Return a suggestion of the most similar dotted paths; empty if there are none.

    A path that contains the last part of the name as one of its own parts is preferred to a path
    with similar spelling.

    Examples
    --------
    >>> paths = ["latency_us.all.p99", "latency_us.read.p99", "iops"]
    >>> path_suggestion("p99", paths)
    '; did you mean `latency_us.all.p99` or `latency_us.read.p99`?'
    >>> path_suggestion("latency_us.al.p99", paths)
    '; did you mean `latency_us.all.p99`?'
    >>> path_suggestion("latency_us.all.p9", paths), path_suggestion("colour", paths)
    ('; did you mean `latency_us.all.p99`?', '')
    """
    paths = [*known]
    is_whole = "." in name
    near = get_close_matches(name, paths, n=1, cutoff=_CLOSE) if is_whole else []
    if not near:
        last = name.rpartition(".")[2].lower()
        alike = [path for path in paths if last in path.lower().split(".")]
        near = sorted(alike, key=len)[:_MOST_NAMED]
    if not near:
        ends = {path.rpartition(".")[2]: path for path in reversed(paths)}
        near = [ends[end] for end in get_close_matches(name, ends, n=1, cutoff=_CLOSE)]
    alternatives = " or ".join(f"`{path}`" for path in near)
    return f"; did you mean {alternatives}?" if alternatives else ""
