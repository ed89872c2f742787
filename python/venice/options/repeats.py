"""Detection of values that are given twice, even in different notations, such as 3 and 3.0."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence


def repeated(values: Sequence[object]) -> tuple[object, object] | None:
    """Return the first two equal values, the earlier one first; ``None`` if all values differ.

    Examples
    --------
    >>> repeated(["bus", 3, "3.0"])
    (3, '3.0')
    >>> repeated([True, 1, "true story"]) is None
    True
    """
    first: dict[Hashable, object] = {}
    for value in values:
        compared = _compared(value)
        if compared in first:
            return first[compared], value
        first[compared] = value
    return None


def _compared(value: object) -> Hashable:
    """Return a value in the form in which it is compared; texts are read as TOML values."""
    if isinstance(value, str):
        try:
            parsed = tomllib.loads(f"value = {value}")
        except tomllib.TOMLDecodeError:
            return str, value
        if parsed.keys() != {"value"} or isinstance(parsed["value"], str):
            return str, value
        value = parsed["value"]
    if isinstance(value, dict):
        return dict, tuple((key, _compared(one)) for key, one in value.items())
    if isinstance(value, list | tuple):
        return list, tuple(_compared(one) for one in value)
    # A number of another type is equal, but not a truth value, which Python takes for a number.
    return isinstance(value, bool), value
