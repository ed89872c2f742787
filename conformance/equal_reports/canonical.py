"""Canonical form of a report, which is independent of renamed keys, run times and build fields.

A canonical report maps the path of each figure (``queues[0].latency_us.read.p99``) to its value.
The names are those of the time when the rows were written; ``renames.toml`` maps them to the
present names. Whole numbers are written without a point, all others as Python writes them (the
shortest decimal text that reads back as the same 64-bit number).
"""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

Leaf: TypeAlias = str | int | float | bool | list[object] | dict[str, object] | None
Figures: TypeAlias = dict[str, Leaf]

_INDEX = re.compile(r"\[\d+\]")
_DIGEST_DIGITS = 16
"""Length of a digest in hexadecimal digits: 64 bits of a SHA-256."""


def flatten(value: object, path: str = "") -> Iterator[tuple[str, Leaf]]:
    """Yield the path and the value of each leaf; an empty list or table is a leaf."""
    if isinstance(value, dict) and value:
        for key, inner in value.items():
            yield from flatten(inner, f"{path}.{key}" if path else key)
    elif isinstance(value, list) and value:
        for index, inner in enumerate(value):
            yield from flatten(inner, f"{path}[{index}]")
    else:
        yield path, _number_or_other(value)


def _number_or_other(value: object) -> Leaf:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value  # type: ignore[return-value] # a value of JSON or TOML


def without_indexes(path: str) -> str:
    """Return the path of a list's figures: `queues[].pages` for `queues[3].pages`."""
    return _INDEX.sub("[]", path)


@dataclass(frozen=True)
class Names:
    """Content of ``renames.toml``.

    Attributes
    ----------
    renamed
        Pairs of the name in the rows and the present name, each a path or a single key.
    left_out
        Paths and single keys of figures that are not compared.
    """

    renamed: tuple[tuple[str, str], ...]
    left_out: frozenset[str]

    @classmethod
    def read(cls, path: Path) -> Names:
        """Read the file."""
        content = tomllib.loads(path.read_text())
        pairs = flatten(content["renamed"]) if content["renamed"] else ()
        renamed = tuple((_INDEX.sub("", old), str(new)) for old, new in pairs)
        left_out = (path.replace("[]", "") for path, _ in flatten(content["left_out"]))
        return cls(renamed, frozenset(left_out))

    def canonical(self, report: Mapping[str, object]) -> Figures:
        """Return the report's figures in the order of their canonical paths."""
        named = ((self._in_rows(path), value) for path, value in flatten(report))
        return dict(sorted((path, value) for path, value in named if not self._is_left_out(path)))

    def _in_rows(self, path: str) -> str:
        """Return the name in the rows for a present name."""
        for old, new in self.renamed:
            if "." in old + new:
                path = _with_start(path, new, old)
            else:
                path = re.sub(rf"(?<![^.]){re.escape(new)}(?![^.\[])", old, path)
        return path

    def _is_left_out(self, path: str) -> bool:
        names = _INDEX.sub("", path).split(".")
        starts = (".".join(names[: end + 1]) for end in range(len(names)))
        return not self.left_out.isdisjoint([*names, *starts])


def _with_start(path: str, start: str, other: str) -> str:
    """Return the path with its prefix replaced, with the indexes kept, if it has this prefix."""
    pattern = re.escape(start).replace(r"\[\]", r"(\[\d+\])")
    found = re.match(rf"{pattern}(?![^.\[])", path)
    if found is None:
        return path
    indexes = iter(found.groups())
    return re.sub(r"\[\]", lambda _: next(indexes), other) + path[found.end() :]


def digest(figures: Figures) -> str:
    """Return the hash of a canonical report."""
    text = json.dumps(figures, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:_DIGEST_DIGITS]
