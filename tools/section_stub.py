"""Prints the definitions of drives and of workloads as a type stub."""

from __future__ import annotations

import textwrap
from functools import singledispatch
from typing import TYPE_CHECKING

from venice.schema_classes.definitions import Changes, Choice, ClassDefinition, Keyword

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from venice.schema_classes.definitions import Definition

_HEAD = '''"""{what} for type checkers; generated from the engine's schema by `make stubs`."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from os import PathLike
from typing import Literal, Self, TypeAlias, TypedDict, Unpack

from venice.schema_classes.values import Value
{imports}

__all__ = [
{names}
]
'''


def section_stub(what: str, definitions: Sequence[Definition], others: Sequence[type]) -> str:
    """Return the text of a stub, which also exports the classes `others`."""
    parents = {one.parent for one in definitions if isinstance(one, ClassDefinition)}
    classes = [(one.__module__, one.__name__) for one in {*parents, *others}]
    imports = [f"from {module} import {name} as {name}" for module, name in classes]
    names = sorted(one.name for one in definitions)
    head = _HEAD.format(
        what=what,
        imports="\n".join(sorted(imports)),
        names="\n".join(f'    "{name}",' for name in names),
    )
    return "\n".join([head, *map(_printed, definitions)])


@singledispatch
def _printed(definition: Definition) -> str:
    raise NotImplementedError(definition)


@_printed.register
def _(choice: Choice) -> str:
    words = "\n".join(f'    "{word}",' for word in choice.words)
    literal = [f"Literal[\n{words}\n]"] if words else []
    about = f"{_quoted(textwrap.fill(choice.about, 96))}\n" if choice.about else ""
    return f"{choice.name}: TypeAlias = {' | '.join([*literal, *choice.kinds])}\n{about}"


@_printed.register
def _(kind: ClassDefinition) -> str:
    options = ["frozen=True", *["kw_only=True"] * kind.kw_only, *["repr=False"] * (not kind.repr)]
    body = [_quoted(kind.document()), "", *map(_field, kind.keywords), *_methods(kind)]
    text = textwrap.indent("\n".join(body), "    ")
    return f"@dataclass({', '.join(options)})\nclass {kind.name}({kind.parent.__name__}):\n{text}\n"


@_printed.register
def _(changes: Changes) -> str:
    fields = [f"{name}: {kind}" for name, kind in changes.kinds().items()]
    text = textwrap.indent("\n".join([_quoted(changes.document()), "", *fields]), "    ")
    return f"class {changes.name}(TypedDict, total=False):\n{text}\n"


def _field(keyword: Keyword) -> str:
    line = f"{keyword.name}: {keyword.kind}"
    if keyword.is_positional:
        default = f"default={keyword.default!r}, " if keyword.is_optional else ""
        return f"{line} = field({default}kw_only=False)"
    return f"{line} = ..." if keyword.is_optional else line


def _methods(kind: ClassDefinition) -> Iterator[str]:
    if kind.has_changes:
        yield f"def with_(self, **changes: Unpack[{kind.name}Changes]) -> Self:"
        yield '    """Return a copy with changes; values of a section are changed one by one."""'


def _quoted(text: str) -> str:
    return f'"""{text}"""'
