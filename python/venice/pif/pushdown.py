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

    def patterns(self, condition: exp.Expr) -> list[bytes]:
        """Give patterns of which every row that satisfies the condition holds one, or nothing.

        Taken up are texts, whole numbers, decimals and dates compared by ``=`` or ``IN``, texts
        compared by ``LIKE``, and what ``AND`` and ``OR`` make of these; values of columns side by
        side that ``AND`` joins are one pattern.
        """
        found: list[bytes] = []
        # By name, as some classes inherit from others that mean something else.
        match type(condition).__name__, condition:
            case "Paren", exp.Paren(this=inner):
                found = self.patterns(inner)
            case "And", exp.And():
                parts = list(_conjuncts(condition))
                found = best((*map(self.patterns, parts), *self._neighbours(parts)))
            case "Or", exp.Or(left=left, right=right):
                found = _any_of((self.patterns(left), self.patterns(right)))
            case "EQ", exp.EQ(left=left, right=right):
                found = self._equal(left, right)
            case "In", exp.In(this=column, expressions=values) if values:
                found = _any_of(self._equal(column, value) for value in values)
            case "Like", exp.Like(left=column, right=value):
                found = self._like(column, value)
        return found

    def _neighbours(self, parts: Iterable[exp.Expr]) -> Iterator[list[bytes]]:
        """Give a pattern for each run of columns side by side that have one value each."""
        equal = (part for part in parts if type(part) is exp.EQ)
        values = dict(value for part in equal if (value := self._value(part.left, part.right)))
        for first in values:
            if first - 1 not in values:
                run = takewhile(values.__contains__, count(first))
                yield [pattern(*(values[column] for column in run))]

    def _value(self, *sides: exp.Expr) -> tuple[int, str] | None:
        """Give the column and the value, as it is stored, where a column equals a constant."""
        for column, value in (sides, sides[::-1]):
            index = self._index_of(column)
            text = None if index is None else _as_stored(value, self.schema.field(index).type)
            if index is not None and text is not None:
                return index, text
        return None

    def _equal(self, *sides: exp.Expr) -> list[bytes]:
        found = self._value(*sides)
        return [pattern(found[1])] if found else []

    def _like(self, column: exp.Expr, value: exp.Expr) -> list[bytes]:
        is_text = isinstance(value, exp.Literal) and value.is_string
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

    def _type_of(self, column: exp.Expr) -> pa.DataType | None:
        index = self._index_of(column)
        return None if index is None else self.schema.field(index).type

    def _index_of(self, column: exp.Expr) -> int | None:
        """Give the place of what is a column and nothing else."""
        if not isinstance(column, exp.Column) or column.table not in ("", self.name):
            return None
        names = [name.lower() for name in self.schema.names]
        return names.index(column.name.lower()) if names.count(column.name.lower()) == 1 else None


def _conjuncts(condition: exp.Expr) -> Iterator[exp.Expr]:
    """Give what ``AND`` joins, within parentheses too."""
    within = condition.unnest()
    if type(within) is exp.And:
        yield from _conjuncts(within.left)
        yield from _conjuncts(within.right)
    else:
        yield within


def _any_of(choices: Iterable[list[bytes]]) -> list[bytes]:
    """Join patterns of alternatives; nothing if one has none or they are too many."""
    held = list(choices)
    joined = list(dict.fromkeys(one for patterns in held for one in patterns))
    return joined if all(held) and len(joined) <= MOST_PATTERNS else []


def _is_text(kind: pa.DataType | None) -> bool:
    return kind is not None and (pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _as_stored(value: exp.Expr, kind: pa.DataType) -> str | None:
    """Write a constant as a column of this type stores it, if it has one such writing."""
    if isinstance(value, exp.Cast) and pa.types.is_date32(kind) and value.is_type("date"):
        value = value.this
    if not isinstance(value, exp.Literal):
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
