"""What rows that satisfy a condition must hold, as patterns for the chips."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow as pa
from sqlglot import exp

from venice.pif.rows import MOST_PATTERNS, best, pattern

if TYPE_CHECKING:
    from collections.abc import Iterable

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
        compared by ``LIKE``, and what ``AND`` and ``OR`` make of these.
        """
        found: list[bytes] = []
        # By name, as some classes inherit from others that mean something else.
        match type(condition).__name__, condition:
            case "Paren", exp.Paren(this=inner):
                found = self.patterns(inner)
            case "And", exp.And(left=left, right=right):
                found = best((self.patterns(left), self.patterns(right)))
            case "Or", exp.Or(left=left, right=right):
                found = _any_of((self.patterns(left), self.patterns(right)))
            case "EQ", exp.EQ(left=left, right=right):
                found = self._equal(left, right) or self._equal(right, left)
            case "In", exp.In(this=column, expressions=values) if values:
                found = _any_of(self._equal(column, value) for value in values)
            case "Like", exp.Like(left=column, right=value):
                found = self._like(column, value)
        return found

    def _equal(self, column: exp.Expr, value: exp.Expr) -> list[bytes]:
        kind = self._type_of(column)
        text = None if kind is None else _as_stored(value, kind)
        return [] if text is None else [pattern(text)]

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
        """Give the type of what is a column and nothing else."""
        if not isinstance(column, exp.Column) or column.table not in ("", self.name):
            return None
        named = [field for field in self.schema if field.name.lower() == column.name.lower()]
        return named[0].type if len(named) == 1 else None


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
