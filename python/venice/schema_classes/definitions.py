"""Definitions of classes and types from a schema, built at run time and printed as stubs."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, dataclass, field
from os import PathLike
from typing import Any, Literal, TypeAlias, TypedDict, Union

from venice.schema_classes.values import Value

_WIDTH = 100
ANNOTATION_NAMES: dict[str, Any] = {
    "Literal": Literal,
    "PathLike": PathLike,
    "Sequence": Sequence,
    "Value": Value,
}
"""Names that annotations may use in addition to those of the definitions."""
_TYPED_DICT: Any = TypedDict


def build_all(definitions: Sequence[Definition], module: str) -> dict[str, Any]:
    """Return the classes and types of a module's definitions, by name."""
    names: dict[str, Any] = {}
    for one in definitions:
        names[one.name] = one.build(names, module)
    return names


@dataclass(frozen=True)
class Choice:
    """Type alias for several words or classes.

    Attributes
    ----------
    name
        Name of the definition.
    words
        Allowed words, if any.
    kinds
        Names of the allowed classes, if any.
    about
        Docstring, if any.
    """

    name: str
    words: Sequence[str] = ()
    kinds: Sequence[str] = ()
    about: str = ""

    def build(self, names: Mapping[str, Any], module: str) -> Any:  # noqa: ANN401, ARG002 a type
        """Build the type alias; `names` contains the classes that it may include."""
        words = [Literal[tuple(self.words)]] if self.words else []
        return Union[tuple(words + [names[kind] for kind in self.kinds])]  # noqa: UP007 a list


@dataclass(frozen=True)
class Keyword:
    """Keyword of a class that is built from a schema.

    Attributes
    ----------
    name
        Name of the keyword.
    kind
        Type, as source text.
    about
        Paragraphs of the keyword's documentation.
    default
        Default value; `MISSING` if the keyword is required.
    is_section
        True if the default is an instance of the class that `kind` names.
    is_positional
        True if the value may be given without the name.
    """

    name: str
    kind: str
    about: Sequence[str]
    default: object = None
    is_section: bool = False
    is_positional: bool = False

    @property
    def is_optional(self) -> bool:
        """True if the keyword may be left out."""
        return self.default is not MISSING

    def document(self) -> str:
        """Return the keyword's entry under "Attributes"."""
        lines = [_filled(line.replace("\\", "\\\\"), "    ") for line in self.about]
        return "\n".join([self.name, *lines])

    def field(self, names: Mapping[str, Any]) -> Any:  # noqa: ANN401 what a dataclass takes
        """Return the default, or the field, that a dataclass has for the keyword."""
        default = names[self.kind]() if self.is_section else self.default
        return field(default=default, kw_only=False) if self.is_positional else default


@dataclass(frozen=True)
class ClassDefinition:
    """Frozen dataclass that is built from a schema.

    Attributes
    ----------
    name, parent, about, keywords
        Name, base class, first part of the docstring, and keywords.
    decorate
        Function applied to the finished class.
    tag
        Tag of a distribution in files.
    kw_only, repr
        Options of the dataclass.
    has_changes
        True if the class has a method `with_` and a dictionary type of its keywords.
    """

    name: str
    parent: type
    about: str
    keywords: Sequence[Keyword]
    decorate: Callable[[type[Any]], type[Any]] | None = None
    tag: str = ""
    kw_only: bool = True
    repr: bool = False
    has_changes: bool = False

    def document(self) -> str:
        """Return the docstring of the class."""
        first, _, rest = self.about.rstrip(".").partition(". ")
        head = [_filled(f"{first}."), ""] + [_filled(f"{rest}."), ""] * bool(rest)
        entries = [keyword.document() for keyword in self.keywords]
        return "\n".join([*head, "Attributes", "----------", *entries, ""])

    def build(self, names: Mapping[str, Any], module: str) -> type[Any]:
        """Build the class; `names` contains the classes of its sections."""
        body: dict[str, Any] = {
            "__annotations__": {keyword.name: keyword.kind for keyword in self.keywords},
            "__doc__": self.document(),
            "__module__": module,
        }
        fields = {keyword.name: keyword.field(names) for keyword in self.keywords}
        body |= {name: default for name, default in fields.items() if default is not MISSING}
        body |= {"TAG": self.tag} if self.tag else {}
        body |= {"with_": _with} if self.has_changes else {}
        kind: type[Any] = type(self.name, (self.parent,), body)
        kind = dataclass(frozen=True, kw_only=self.kw_only, repr=self.repr)(kind)
        return kind if self.decorate is None else self.decorate(kind)


@dataclass(frozen=True)
class Changes:
    """Dictionary type for the keywords of a class's method `with_`.

    Attributes
    ----------
    of
        Class that has the method.
    """

    of: ClassDefinition

    @property
    def name(self) -> str:
        """Name of the dictionary type."""
        return f"{self.of.name}Changes"

    def document(self) -> str:
        """Return the docstring of the dictionary type."""
        return f"Keywords of :meth:`{self.of.name}.with_`."

    def kinds(self) -> dict[str, str]:
        """Return the type of each keyword, which excludes ``None``."""
        return {keyword.name: keyword.kind.removesuffix(" | None") for keyword in self.of.keywords}

    def build(self, names: Mapping[str, Any], module: str) -> Any:  # noqa: ANN401, ARG002 a type
        """Build the dictionary type."""
        kind = _TYPED_DICT(self.name, self.kinds(), total=False)
        kind.__doc__, kind.__module__ = self.document(), module
        return kind


Definition: TypeAlias = Choice | ClassDefinition | Changes


def _with(self: Any, **changes: object) -> Any:  # noqa: ANN401 an object of its class
    """Return a copy with changes; sections are merged value by value.

    Examples
    --------
    >>> import venice
    >>> from venice.config import Flash
    >>> drive = venice.Drive(flash=Flash(t_read_us=5, t_prog_us=200))
    >>> drive.with_(flash=Flash(t_read_us=3))
    Drive('venice-performance', flash=Flash(t_prog_us=200, t_read_us=3))
    """
    return self | type(self)(**{"base": self.base, **changes})


def _filled(text: str, indent: str = "") -> str:
    return textwrap.fill(
        text,
        _WIDTH - 4,
        initial_indent=indent,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
