"""Predicates on single columns that a condition implies.

Unsupported parts of a condition count as true: DuckDB alone evaluates them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from venice.pif.columns import MOST_PATTERNS, value_pattern

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import pyarrow as pa

    from venice.pif.columns import Column

Rows = np.ndarray
"""A truth value for each row."""


@dataclass(frozen=True)
class Leaf:
    """A comparison of a column with constants.

    Attributes
    ----------
    column
        Index of the column.
    least, greatest
        Bounds of the values that satisfy it, inclusive; ``None`` for none.
    values
        Set of values that satisfy it; ``None`` without such a set.
    parts
        Patterns that a text must all contain.
    """

    column: int
    least: Any = None
    greatest: Any = None
    values: tuple[Any, ...] | None = None
    parts: tuple[bytes, ...] = ()

    def may_hold(self, zone: tuple[Any, Any] | None) -> bool:
        """Return true if a page of this zone may hold a row that satisfies the predicate."""
        if zone is None:
            return True
        low, high = zone
        if low is None:
            # The page contains only NULL, for which no comparison is true.
            return False
        if self.values is not None:
            return any(low <= value <= high for value in self.values)
        return (self.least is None or high >= self.least) and (
            self.greatest is None or low <= self.greatest
        )

    def groups(self, column: Column) -> list[list[bytes]]:
        """Return groups of patterns for the chips: a page must contain one of each group."""
        if column.is_whole:
            return []
        if self.values is not None:
            patterns = [value_pattern(column, value) for value in self.values]
            found = list(dict.fromkeys(one for one in patterns if one is not None))
            usable = len(patterns) and None not in patterns and len(found) <= MOST_PATTERNS
            return [found] if usable else []
        return [[part] for part in self.parts]


@dataclass(frozen=True)
class And:
    """Conjunction (``AND``)."""

    parts: tuple[Node, ...]


@dataclass(frozen=True)
class Or:
    """Disjunction (``OR``)."""

    parts: tuple[Node, ...]


Node = Leaf | And | Or | None
"""A predicate, a combination of predicates, or ``None`` for no restriction."""


@dataclass(frozen=True)
class Conjunct:
    """A part of a condition that every row must satisfy.

    Attributes
    ----------
    node
        Supported part of the condition.
    keep
        Function that returns the rows of its column that satisfy it, if it is a comparison.
    """

    node: Node
    keep: Callable[[pa.Table], Rows] | None = field(default=None, compare=False)


def candidates(node: Node, columns: Sequence[Column], rows: int) -> Rows:
    """Return the rows that zone maps do not exclude."""
    match node:
        case Leaf(column=index):
            column = columns[index]
            found = np.ones(rows, bool)
            for page, zone in enumerate(column.zones):
                if not node.may_hold(zone):
                    found[column.starts[page] : column.starts[page + 1]] = False
            return found
        case And(parts=parts):
            each = [candidates(part, columns, rows) for part in parts]
            return np.asarray(np.logical_and.reduce(each))
        case Or(parts=parts):
            each = [candidates(part, columns, rows) for part in parts]
            return np.asarray(np.logical_or.reduce(each))
        case _:
            return np.ones(rows, bool)
