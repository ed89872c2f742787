"""Predicates on single columns, implied by a condition.

Unsupported parts of a condition count as true, because DuckDB evaluates the whole condition later.
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
"""Array with a boolean for each row."""


@dataclass(frozen=True)
class Leaf:
    """Comparison of a column with constants.

    Attributes
    ----------
    column
        Index of the column.
    least, greatest
        Inclusive bounds of the values that satisfy the comparison; ``None`` for no bound.
    values
        Values that satisfy the comparison; ``None`` if they are not listed.
    parts
        Byte patterns all of which a text must contain.
    """

    column: int
    least: Any = None
    greatest: Any = None
    values: tuple[Any, ...] | None = None
    parts: tuple[bytes, ...] = ()

    def may_hold(self, zone: tuple[Any, Any] | None) -> bool:
        """Return true if a page with this zone may contain a row that satisfies the comparison."""
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
        """Return groups of patterns for the chips; a page must contain one of each group."""
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
    """Conjunction of predicates (``AND``)."""

    parts: tuple[Node, ...]


@dataclass(frozen=True)
class Or:
    """Disjunction of predicates (``OR``)."""

    parts: tuple[Node, ...]


Node = Leaf | And | Or | None
"""Comparison, conjunction or disjunction; ``None`` restricts nothing."""


@dataclass(frozen=True)
class Conjunct:
    """Part of a condition that every row must satisfy.

    Attributes
    ----------
    node
        Predicates on single columns that the part implies.
    keep
        Function that returns the rows of a column that satisfy the part, if it is a comparison.
    """

    node: Node
    keep: Callable[[pa.Table], Rows] | None = field(default=None, compare=False)


def candidates(node: Node, columns: Sequence[Column], rows: int) -> Rows:
    """Return the rows that zone maps cannot exclude."""
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
