"""Access to nested figures by attribute or by key."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import GenericAlias
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any, Generic, TypeVar

    _Value = TypeVar("_Value")
    _Base = Mapping[str, Any]
else:
    _Base = Mapping


class Figures(_Base):
    """Read-only view of a JSON object: ``figures.read.mean`` is ``figures["read"]["mean"]``."""

    __slots__ = ("_values",)

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._values = values

    def __getitem__(self, key: str) -> Any:  # noqa: ANN401 a JSON value
        return _view(self._values[key])

    # Type checkers read the stub `venice.report.figure_types` instead.
    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:  # noqa: ANN401 a JSON value
            if name.startswith("__") or name == "_values":
                raise AttributeError(name)
            try:
                return self[name]
            except KeyError:
                return _absent(name, self._values)

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._values]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({dict(self._values)!r})"


if TYPE_CHECKING:

    class Named(Figures, Generic[_Value]):
        """Figures of one kind by name, such as stages or components."""

        def __getitem__(self, key: str) -> _Value: ...

        def __getattr__(self, name: str) -> _Value: ...
else:

    class Named(Figures):
        """Figures of one kind by name, such as stages or components."""

        __slots__ = ()
        __class_getitem__ = classmethod(GenericAlias)


def _view(value: Any) -> Any:  # noqa: ANN401 a JSON value
    if isinstance(value, dict):
        return Figures(value)
    if isinstance(value, list):
        return [_view(item) for item in value]
    return value


def _absent(name: str, values: Mapping[str, Any]) -> None:
    """Return ``None`` for an optional figure that the run lacks; raise for an unknown figure."""
    from venice.report.optional_figures import optional_figures  # noqa: PLC0415 seldom wanted

    if name not in optional_figures():
        known = ", ".join(values)
        raise AttributeError(f"no figure is called {name!r}; there are: {known}") from None
