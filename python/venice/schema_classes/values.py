"""Conversion of Python values to TOML."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import date, time
from typing import Any, ClassVar, Generic, TypeAlias, TypeVar

from venice._native import UsageError

_T = TypeVar("_T")


@dataclass(frozen=True)
class Sourced(Generic[_T]):
    """Value with its source, as in complete drive files.

    Attributes
    ----------
    value
        Value of the parameter.
    source
        Source, for instance a data sheet and its page.

    Examples
    --------
    >>> Sourced(5, "data sheet, page 12")
    Sourced(value=5, source='data sheet, page 12')
    """

    value: _T
    source: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "value", to_immutable(self.value))


class Law:
    """Distribution, which files identify by a tag: ``{ zipf = { theta = 0.9 } }``."""

    TAG: ClassVar[str] = ""
    """Tag of the distribution; empty for a part of a distribution."""

    __dataclass_fields__: ClassVar[dict[str, Any]]

    def __post_init__(self) -> None:
        for field in fields(self):
            object.__setattr__(self, field.name, to_immutable(getattr(self, field.name)))

    def to_plain(self) -> object:
        """Return the form in a file: a table, or the only value of the distribution."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        plain = values["value"] if set(values) == {"value"} else values
        return {self.TAG: plain} if self.TAG else plain


Value: TypeAlias = _T | Sourced[_T] | None
"""A value, a value with its source, or ``None`` for the preset's value or the default."""


def to_immutable(value: object) -> object:
    """Return a value as Python's immutable types: lists as tuples, NumPy values as numbers.

    Examples
    --------
    >>> to_immutable([[0, 3], [1]])
    ((0, 3), (1,))
    """
    plain = getattr(value, "tolist", None)
    if plain is not None:
        return to_immutable(plain())
    if isinstance(value, list | tuple):
        return tuple(to_immutable(one) for one in value)
    return value


def to_toml(value: object) -> str:
    """Return a value as TOML text.

    Raises
    ------
    UsageError
        If TOML cannot represent the value.

    Examples
    --------
    >>> to_toml(("off", True, Sourced(5.0, "ours")))
    '["off", true, { value = 5.0, source = "ours" }]'
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, date | time):
        return value.isoformat()
    return _nested(value)


def _nested(value: object) -> str:
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(to_toml, value))}]"
    if isinstance(value, Law):
        return to_toml(value.to_plain())
    if isinstance(value, Sourced):
        value = {"value": value.value, "source": value.source}
    if isinstance(value, Mapping):
        return f"{{ {', '.join(f'{key} = {to_toml(one)}' for key, one in value.items())} }}"
    raise UsageError(f"TOML has no value {value!r}; give a number, a text, a boolean or a list")
