"""Extraction of predicates from a condition in SQL: comparisons of single columns with constants.

sqlglot parses the condition. A node is used only if its class is supported *and* its other
arguments are empty, because some releases of sqlglot represent ``NOT LIKE`` as a node around
``Like``, others as an argument of ``Like``. Unsupported nodes restrict nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from sqlglot import exp

from venice.pif import duckdb_conditions
from venice.pif.columns import is_text, part_pattern
from venice.pif.predicates import And, Conjunct, Leaf, Or

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from venice.pif.predicates import Node, Rows

DIALECT = "duckdb"

_PAIR = frozenset({"this", "expression"})
_SUPPORTED_ARGUMENTS: dict[type[exp.Expression], frozenset[str]] = {
    exp.Paren: frozenset({"this"}),
    exp.And: _PAIR,
    exp.Or: _PAIR,
    exp.EQ: _PAIR,
    exp.GT: _PAIR,
    exp.GTE: _PAIR,
    exp.LT: _PAIR,
    exp.LTE: _PAIR,
    exp.Between: frozenset({"this", "low", "high"}),
    exp.In: frozenset({"this", "expressions"}),
    exp.Like: _PAIR,
    exp.Column: frozenset({"this", "table"}),
    exp.Identifier: frozenset({"this", "quoted"}),
    exp.Literal: frozenset({"this", "is_string"}),
    exp.Neg: frozenset({"this"}),
    exp.Add: _PAIR,
    exp.Sub: _PAIR,
    exp.Mul: _PAIR,
    exp.Cast: frozenset({"this", "to"}),
    exp.DataType: frozenset({"this"}),
    exp.Interval: frozenset({"this", "unit"}),
    exp.Var: frozenset({"this"}),
}
"""Supported classes of nodes, which exclude subclasses, with the supported arguments of each."""
_OF_CONSTANTS = (
    exp.Paren, exp.Literal, exp.Neg, exp.Add, exp.Sub, exp.Mul, exp.Cast, exp.DataType,
    exp.Interval, exp.Var,
)  # fmt: skip
_TIMES = (exp.DataType.Type.DATE, exp.DataType.Type.TIMESTAMP)
_WHOLE = re.compile(r"[+-]?\d{1,30}")
_NUMBER = re.compile(r"\d+(\.\d+)?|\.\d+")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_TIMESTAMP = re.compile(r"\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}(\.\d{1,6})?")


def is_supported(node: exp.Expression) -> bool:
    """Return true if a node's class and all of its arguments are supported."""
    known = _SUPPORTED_ARGUMENTS.get(type(node))
    set_arguments = {
        name for name, value in node.args.items() if value not in (None, False, [], "")
    }
    return known is not None and set_arguments <= known


@dataclass(frozen=True)
class Pushdown:
    """Extraction of predicates from conditions on one table.

    Attributes
    ----------
    schema
        Columns of the table.
    names
        Names by which conditions refer to the table.
    """

    schema: pa.Schema
    names: tuple[str, ...]

    def conjuncts(self, condition: exp.Expression) -> list[Conjunct]:
        """Return the conjuncts of a condition from which predicates can be extracted."""
        parts = list(_conjuncts(condition))
        return [self._conjunct(part) for part in parts]

    def _conjunct(self, part: exp.Expression) -> Conjunct:
        node = self.node(part)
        if not isinstance(node, Leaf):
            return Conjunct(node)
        name = self.schema.field(node.column).name
        column = exp.column(name, quoted=True)
        bare = part.transform(lambda inner: column.copy() if type(inner) is exp.Column else inner)
        text = bare.sql(dialect=DIALECT)
        return Conjunct(node, lambda table: _truths(text, table))

    def node(self, condition: exp.Expression) -> Node:  # noqa: PLR0911 a class each
        """Return the predicates that a condition implies; ``None`` if its form is unsupported."""
        if not is_supported(condition):
            return None
        match condition:
            case exp.Paren(this=inner):
                return self.node(inner)
            case exp.And(this=left, expression=right):
                return And((self.node(left), self.node(right)))
            case exp.Or(this=left, expression=right):
                return Or((self.node(left), self.node(right)))
            case exp.In(this=column, expressions=values) if values:
                return self._values(column, values)
            case exp.Between(args={"this": column, "low": low, "high": high}):
                return self._bounds(column, low, high)
            case exp.Like(this=column, expression=value):
                return self._like(column, value)
        return self._compare(condition)

    def _compare(self, condition: exp.Expression) -> Node:
        left, right = condition.args.get("this"), condition.args.get("expression")
        if left is None or right is None:
            return None
        turned = self._index_of(left) is None
        column, value = (right, left) if turned else (left, right)
        kind = type(condition)
        if kind is exp.EQ:
            return self._values(column, [value])
        if kind in (exp.GT, exp.GTE, exp.LT, exp.LTE):
            is_least = (kind in (exp.GT, exp.GTE)) != turned
            return (
                self._bounds(column, value, None) if is_least else self._bounds(column, None, value)
            )
        return None

    def _values(self, column: exp.Expression, values: Sequence[exp.Expression]) -> Node:
        index = self._index_of(column)
        if index is None:
            return None
        found = [_of_type(constant(value), self.schema.field(index).type) for value in values]
        return None if None in found else Leaf(index, values=tuple(found))

    def _bounds(
        self, column: exp.Expression, low: exp.Expression | None, high: exp.Expression | None
    ) -> Node:
        index = self._index_of(column)
        if index is None:
            return None
        kind = self.schema.field(index).type
        least, greatest = (
            None if bound is None else _of_type(constant(bound), kind) for bound in (low, high)
        )
        is_known = (low is None or least is not None) and (high is None or greatest is not None)
        return Leaf(index, least=least, greatest=greatest) if is_known else None

    def _like(self, column: exp.Expression, value: exp.Expression) -> Node:
        index = self._index_of(column)
        is_literal = type(value) is exp.Literal and is_supported(value) and value.is_string
        # SQL dialects differ in the meaning of a backslash.
        if index is None or not is_literal or "\\" in value.name:
            return None
        if not is_text(self.schema.field(index).type):
            return None
        parts = re.split("[%_]", value.name)
        last = len(parts) - 1
        if not last:
            return Leaf(index, values=(value.name,))
        patterns = (
            part_pattern(part, begins=at == 0, ends=at == last)
            for at, part in enumerate(parts)
            if part
        )
        return Leaf(index, parts=tuple(dict.fromkeys(patterns)))

    def _index_of(self, column: exp.Expression) -> int | None:
        """Return the index of the column to which a node refers; ``None`` for other nodes."""
        if not (type(column) is exp.Column and is_supported(column)):
            return None
        if column.table and column.table.lower() not in (name.lower() for name in self.names):
            return None
        names = [name.lower() for name in self.schema.names]
        return names.index(column.name.lower()) if names.count(column.name.lower()) == 1 else None


def _conjuncts(condition: exp.Expression) -> Iterator[exp.Expression]:
    """Yield the operands of ``AND``, also within parentheses."""
    within = condition
    while type(within) is exp.Paren and is_supported(within):
        within = within.args["this"]
    if type(within) is exp.And and is_supported(within):
        yield from _conjuncts(within.args["this"])
        yield from _conjuncts(within.args["expression"])
    else:
        yield within


def constant(node: exp.Expression) -> Any:  # noqa: ANN401 of any type
    """Return the value of an expression without columns and functions; otherwise ``None``."""
    if type(node) is exp.Literal and is_supported(node):
        if node.is_string:
            return node.name
        return _number(node.name)
    parts: Any = node.walk()
    if not all(type(part) in _OF_CONSTANTS and is_supported(part) for part in parts):
        return None
    kinds = node.find_all(exp.DataType)
    if any(kind.this not in _TIMES for kind in kinds):
        return None
    return _evaluated(node.sql(dialect=DIALECT))


def _number(text: str) -> int | Decimal | None:
    if not _NUMBER.fullmatch(text):
        return None
    return int(text) if text.isdigit() else Decimal(text)


@cache
def _evaluated(text: str) -> Any:  # noqa: ANN401 of any type
    return duckdb_conditions.value(text)


def _truths(text: str, table: pa.Table) -> Rows:
    """Return the rows for which a condition is true."""
    query = f"SELECT coalesce({text}, false) AS is_true FROM rows"  # noqa: S608 understood
    found = duckdb_conditions.answer(query, "rows", table)
    return np.asarray(found.column(0).to_pylist(), dtype=bool)


def _of_type(value: Any, kind: pa.DataType) -> Any:  # noqa: ANN401, PLR0911 a type each
    """Return a constant as a column's type; ``None`` if the two cannot be compared safely.

    A timestamp that is compared with a column of dates is reduced to its day, which is safe for
    bounds and for equality.
    """
    if value is None or isinstance(value, bool):
        return None
    if is_text(kind):
        return value if isinstance(value, str) else None
    if pa.types.is_integer(kind) or pa.types.is_decimal(kind):
        if isinstance(value, str):
            return int(value) if _WHOLE.fullmatch(value) else None
        return value if isinstance(value, (int, Decimal)) else None
    is_date = pa.types.is_date32(kind)
    if not (is_date or (pa.types.is_timestamp(kind) and kind.tz is None)):
        return None
    if isinstance(value, str):
        if not (_DATE.fullmatch(value) or (not is_date and _TIMESTAMP.fullmatch(value))):
            return None
        try:
            value = datetime.fromisoformat(value)
        except ValueError:
            return None
    if not isinstance(value, date) or (isinstance(value, datetime) and value.tzinfo):
        return None
    at = value if isinstance(value, datetime) else datetime.combine(value, datetime.min.time())
    return at.date() if is_date else at
