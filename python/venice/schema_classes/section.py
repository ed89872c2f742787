"""Base class of the sections of a drive's configuration and of a workload."""

from __future__ import annotations

from dataclasses import fields
from functools import wraps
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar

from venice._native import UsageError, explain
from venice.schema_classes.values import to_immutable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from dataclasses import Field

_T = TypeVar("_T", bound="Section")


class Section:
    """Section of a configuration; a value of ``None`` stands for the preset's or the default.

    The engine checks the values when the drive or workload is resolved.
    """

    KEY: ClassVar[str] = ""
    """Name of the section's table in a file; empty for the top level."""

    if TYPE_CHECKING:
        __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    def __post_init__(self) -> None:
        for field in fields(self):
            value = to_immutable(getattr(self, field.name))
            if isinstance(field.default, Section) and not isinstance(value, type(field.default)):
                kind = type(field.default)
                wanted = f"{kind.__module__}.{kind.__name__}"
                key = key_of(self, field.name)
                raise UsageError(f"`{key}` is {value!r}; it should be a {wanted}")
            object.__setattr__(self, field.name, value)

    def __repr__(self) -> str:
        assignments = ", ".join(f"{name}={value!r}" for name, value in self._set_values())
        return f"{type(self).__name__}({assignments})"

    def __or__(self, other: Self) -> Self:
        """Return these values, overridden by the values that another section of the class sets."""
        if type(other) is not type(self):
            return NotImplemented
        values = {**dict(self._set_values()), **dict(other._set_values())}
        for name, value in self._set_values():
            if isinstance(value, Section):
                values[name] = value | getattr(other, name)
        return type(self)(**values)

    def items(self) -> Iterator[tuple[str, object]]:
        """Yield the values that are set, with their full keys."""
        for name, value in self._set_values():
            if isinstance(value, Section):
                yield from value.items()
            else:
                yield key_of(self, name), value

    def _set_values(self) -> Iterator[tuple[str, Any]]:
        """Yield the values of fields that differ from their defaults."""
        for field in fields(self):
            value = getattr(self, field.name)
            if value != field.default:
                yield field.name, value


def section(key: str, refuse: Callable[[str], object] = explain) -> Callable[[type[_T]], type[_T]]:
    """Return a decorator that sets the key of a section's class and refuses unknown names.

    `refuse` is called with the full key if a name does not exist.
    """

    def decorate(kind: type[_T]) -> type[_T]:
        kind.KEY = key
        known = {field.name for field in fields(kind)}
        build = kind.__init__

        @wraps(build)
        def checked(self: _T, *values: object, **named: object) -> None:
            for name in named:
                if name not in known:
                    refuse(key_of(self, name))
            build(self, *values, **named)

        setattr(kind, "__init__", checked)  # noqa: B010 a type checker keeps to the fields
        return kind

    return decorate


def key_of(part: Section, name: str) -> str:
    """Return the full key of a field, such as ``flash.t_read_us``."""
    return f"{part.KEY}.{name}".removeprefix(".")
