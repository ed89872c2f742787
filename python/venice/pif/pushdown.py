"""What rows that satisfy a condition must hold, as patterns for the chips."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import count, takewhile
from typing import TYPE_CHECKING

import pyarrow as pa
from sqlglot import exp

from venice.pif.rows import MOST_PATTERNS, best, pattern

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_NUMBER = re.compile(r"\d+(\.\d+)?")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")


_UNDERSTOOD: dict[type[exp.Expression], frozenset[str]] = {
    exp.Paren: frozenset({"this"}),
    exp.And: frozenset({"this", "expression"}),
    exp.Or: frozenset({"this", "expression"}),
    exp.EQ: frozenset({"this", "expression"}),
    exp.In: frozenset({"this", "expressions"}),
    exp.Like: frozenset({"this", "expression"}),
    exp.Column: frozenset({"this", "table"}),
    exp.Literal: frozenset({"this", "is_string"}),
    exp.Cast: frozenset({"this", "to"}),
    exp.DataType: frozenset({"this"}),
}
"""What is understood: a class itself, not those that inherit from it, and which of its arguments.

What an argument that is not here means, nobody knows: releases of sqlglot differ in whether ``NOT
LIKE`` is a node around ``Like`` or an argument of it.
"""


def understood(node: exp.Expression) -> bool:
    """Say whether a node is of a known class and none of its other arguments says anything."""
    known = _UNDERSTOOD.get(type(node))
    said = {name for name, value in node.args.items() if value not in (None, False, [], "")}
    return known is not None and said <= known


@dataclass(frozen=True)
class Pushdown:
    """A table whose rows are searched for.

    Attributes
    ----------
    schema
        Its columns.
    name
        What conditions may call it.
    """

    schema: pa.Schema
    name: str

    def patterns(self, condition: exp.Expression) -> list[bytes]:
        """Give patterns of which every row that satisfies the condition holds one, or nothing.

        Taken up are texts, whole numbers, decimals and dates compared by ``=`` or ``IN``, texts
        compared by ``LIKE``, and what ``AND`` and ``OR`` make of these; values of columns side by
        side that ``AND`` joins are one pattern.
        """
        found: list[bytes] = []
        if not understood(condition):
            return found
        match condition:
            case exp.Paren(this=inner):
                found = self.patterns(inner)
            case exp.And():
                parts = list(_conjuncts(condition))
                found = best((*map(self.patterns, parts), *self._neighbours(parts)))
            case exp.Or(this=left, expression=right):
                found = _any_of((self.patterns(left), self.patterns(right)))
            case exp.EQ(this=left, expression=right):
                found = self._equal(left, right)
            case exp.In(this=column, expressions=values) if values:
                found = _any_of(self._equal(column, value) for value in values)
            case exp.Like(this=column, expression=value):
                found = self._like(column, value)
        return found

    def _neighbours(self, parts: Iterable[exp.Expression]) -> Iterator[list[bytes]]:
        """Give a pattern for each run of columns side by side that have one value each."""
        equal = (part for part in parts if type(part) is exp.EQ and understood(part))
        values = dict(
            value
            for part in equal
            if (value := self._value(part.args["this"], part.args["expression"]))
        )
        for first in values:
            if first - 1 not in values:
                run = takewhile(values.__contains__, count(first))
                yield [pattern(*(values[column] for column in run))]

    def _value(self, *sides: exp.Expression) -> tuple[int, str] | None:
        """Give the column and the value, as it is stored, where a column equals a constant."""
        for column, value in (sides, sides[::-1]):
            index = self._index_of(column)
            text = None if index is None else _as_stored(value, self.schema.field(index).type)
            if index is not None and text is not None:
                return index, text
        return None

    def _equal(self, *sides: exp.Expression) -> list[bytes]:
        found = self._value(*sides)
        return [pattern(found[1])] if found else []

    def _like(self, column: exp.Expression, value: exp.Expression) -> list[bytes]:
        is_text = understood(value) and isinstance(value, exp.Literal) and value.is_string
        # What a backslash means there is not the same everywhere.
        if not is_text or "\\" in value.name or not _is_text(self._type_of(column)):
            return []
        parts = re.split("[%_]", value.name)
        last = len(parts) - 1
        choices = (
            [pattern(part, begins=index == 0, ends=index == last)]
            for index, part in enumerate(parts)
            if part or last == 0
        )
        return best(choices)

    def _type_of(self, column: exp.Expression) -> pa.DataType | None:
        index = self._index_of(column)
        return None if index is None else self.schema.field(index).type

    def _index_of(self, column: exp.Expression) -> int | None:
        """Give the place of what is a column and nothing else."""
        if not (understood(column) and type(column) is exp.Column):
            return None
        if column.table not in ("", self.name):
            return None
        names = [name.lower() for name in self.schema.names]
        return names.index(column.name.lower()) if names.count(column.name.lower()) == 1 else None


def _conjuncts(condition: exp.Expression) -> Iterator[exp.Expression]:
    """Give what ``AND`` joins, within parentheses too."""
    within = condition
    while type(within) is exp.Paren and understood(within):
        within = within.args["this"]
    if type(within) is exp.And and understood(within):
        yield from _conjuncts(within.args["this"])
        yield from _conjuncts(within.args["expression"])
    else:
        yield within


def _any_of(choices: Iterable[list[bytes]]) -> list[bytes]:
    """Join patterns of alternatives; nothing if one has none or they are too many."""
    held = list(choices)
    joined = list(dict.fromkeys(one for patterns in held for one in patterns))
    return joined if all(held) and len(joined) <= MOST_PATTERNS else []


def _is_text(kind: pa.DataType | None) -> bool:
    return kind is not None and (pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _as_stored(value: exp.Expression, kind: pa.DataType) -> str | None:
    """Write a constant as a column of this type stores it, if it has one such writing."""
    if type(value) is exp.Cast and understood(value) and pa.types.is_date32(kind):
        to = value.args["to"]
        if not understood(to) or to.this != exp.DataType.Type.DATE:
            return None
        value = value.this
    if not (type(value) is exp.Literal and understood(value)):
        return None
    if _is_text(kind):
        return value.name if value.is_string else None
    number = pa.types.is_integer(kind) or pa.types.is_decimal(kind)
    form = _NUMBER if number else _DATE if pa.types.is_date32(kind) else None
    if form is None or not form.fullmatch(value.name):
        return None
    try:
        return str(pa.scalar(value.name).cast(kind).cast(pa.string()))
    except pa.ArrowException:
        return None
