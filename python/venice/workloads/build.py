"""Creation of workload objects from tables of TOML or JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar, get_args, get_type_hints

from venice.schema_classes.section import Section
from venice.schema_classes.values import Law

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_ALWAYS = "synthetic"
"""Key that is always true in files and has no keyword in Python."""
_OWN_NAMES = {"extends": "base"}
"""Keys of a file that have a different name in Python."""

_T = TypeVar("_T", bound=Section | Law)


def built(kind: type[_T], table: Mapping[str, Any]) -> _T:
    """Return a section or distribution with the values of a table; unknown names are refused."""
    hints = get_type_hints(kind)
    renamed = {
        _OWN_NAMES.get(name, name): value for name, value in table.items() if name != _ALWAYS
    }
    return kind(**{name: _value(hints.get(name), value) for name, value in renamed.items()})


def _value(hint: object, value: Any) -> Any:  # noqa: ANN401 any TOML value
    classes = list(_classes(hint))
    if isinstance(value, list):
        return [_value(hint, one) for one in value]
    if not isinstance(value, dict):
        return value
    for kind in classes:
        if issubclass(kind, Law) and kind.TAG and kind.TAG in value:
            inner = value[kind.TAG]
            return built(kind, inner if isinstance(inner, dict) else {"value": inner})
    whole = [kind for kind in classes if issubclass(kind, Section) or not kind.TAG]
    return built(whole[0], value) if whole else value


def _classes(hint: object) -> Iterator[type[Any]]:
    """Yield the sections and distributions that a type allows as values or list items."""
    if isinstance(hint, type) and issubclass(hint, Section | Law):
        yield hint
    for inner in get_args(hint):
        yield from _classes(inner)
