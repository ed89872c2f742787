"""What a command takes, as its function's signature declares it.

Every parameter is an option or an argument::

    seed: Annotated[int | None, Option("--seed", metavar="S", help="Seed of the draws.")] = None

The type says how the text is read, the default what holds where nothing is given; a parameter
without a default must be given.

A parameter whose type is a named tuple is an option set: it stands for the options that the fields
of the tuple declare, and several commands share it.
"""

from __future__ import annotations

import sys
from types import NoneType
from typing import TYPE_CHECKING

from venice.unicode import fault_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path
    from typing import Any

    Names = Sequence[str] | Mapping[str, Sequence[str]]
    """Of values; where a value is a key and another behind a ``=``, by the key."""
    Values = Callable[[], Names] | None
    Paths = Callable[[Any, Mapping[str, Any]], Iterable[str | Path]] | None
    """From a parameter's value and those of all parameters to paths of files."""
    File = Path
else:

    class File:
        """The type of a file's path; a run that is given none does without ``pathlib``."""

        def __new__(cls, text: str) -> File:
            """Give the path, of :class:`pathlib.Path`."""
            from pathlib import Path  # noqa: PLC0415 up to Python 3.12 it brings urllib

            return Path(text)


_NOTHING = object()
_KINDS: dict[type, str] = {int: "a whole number", float: "a number"}
"""What messages call the types whose values a text may not be."""


class Option:
    """A parameter that is given by name; of type ``bool``, by its name alone."""

    def __init__(
        self,
        *names: str,
        help: str = "",  # noqa: A002 what it is everywhere
        metavar: str | None = None,
        least: float | None = None,
        off: Option | None = None,
        values: Values = None,
        files: str | None = None,
        reads: Paths = None,
        writes: Paths = None,
        any_bytes: bool = False,
    ) -> None:
        """Take its names, and what stands in the help.

        `metavar` stands for the value; `least` is the lowest that is taken. `off` says the
        opposite of a ``bool``, whichever came last; it has a line of its own if it has a help.
        `values` gives those that have names, among others, for shells to complete; `files` says
        what a file defines that may be the value: a drive, or a workload. `reads` and `writes` give
        the files that the command reads and writes for a value. Such a value need not be UTF-8, nor
        need one with `any_bytes`, a pattern.
        """
        self.names = names
        self.help = help
        self.metavar = metavar
        self.least = least
        self.off = off
        self.values = values
        self.files = files
        self.reads = reads
        self.writes = writes
        self.any_bytes = any_bytes or reads is not None or writes is not None


class Argument:
    """A parameter that is given by its place; a list takes all there are."""

    def __init__(
        self,
        *,
        metavar: str,
        help: str,  # noqa: A002 what it is everywhere
        values: Values = None,
        reads: Paths = None,
        writes: Paths = None,
        any_bytes: bool = False,
    ) -> None:
        self.metavar = metavar
        self.help = help
        self.values = values
        self.reads = reads
        self.writes = writes
        self.any_bytes = any_bytes or reads is not None or writes is not None


class Parameter:
    """An option or argument of a command, and how its text is read."""

    def __init__(self, name: str, hint: Any, default: object) -> None:  # noqa: ANN401 any type
        (declared,) = hint.__metadata__
        one = _without_none(hint.__origin__)
        self.name = name
        self.declared: Option | Argument = declared
        self.is_required = default is _NOTHING
        self.default = None if self.is_required else default
        self.is_list = getattr(one, "__origin__", None) is list
        self.kind: Any = one.__args__[0] if self.is_list else one
        self.choices = _choices(self.kind)

    @property
    def is_flag(self) -> bool:
        """Whether it is given by its name alone."""
        return self.kind is bool

    @property
    def is_placed(self) -> bool:
        """Whether it is given by its place."""
        return isinstance(self.declared, Argument)

    @property
    def names(self) -> Sequence[str]:
        """The names of an option, the placeholder of an argument."""
        declared = self.declared
        return declared.names if isinstance(declared, Option) else (declared.metavar,)

    @property
    def title(self) -> str:
        """Its names in messages: ```-o` / `--output```, ```FILE```."""
        return " / ".join(f"`{name}`" for name in self.names)

    def read(self, text: str) -> object:
        """Read a value.

        Raises
        ------
        ValueError
            With the values that are accepted.
        """
        if self.kind is str and not self.declared.any_bytes and (fault := fault_of(text)):
            raise ValueError(f"{fault}; expected text in UTF-8.")
        if self.choices and text not in self.choices:
            raise ValueError(f"one of {', '.join(f'`{one}`' for one in self.choices)}")
        if _is_literal(self.kind):
            return text
        try:
            value = self.kind(text)
        except ValueError:
            raise ValueError(_KINDS[self.kind]) from None
        least = getattr(self.declared, "least", None)
        if least is not None and not value >= least:
            raise ValueError(f"{_KINDS[self.kind]} of {least} or more")
        return value


class Command:
    """A function that is called with what the command line says."""

    def __init__(
        self, path: str, function: Callable[..., int | None], lacks: Mapping[str, str]
    ) -> None:
        self.path = path
        """The words before its options: ``venice trace info``."""
        self.function = function
        self.lacks = lacks
        """What is said of options that others of its kind have."""
        self.parameters: list[Parameter] = []
        self._sets: dict[str, Any] = {}
        for name, hint, default in _declared(function):
            self._add(name, hint, default)

    def _add(self, name: str, hint: Any, default: object) -> None:  # noqa: ANN401 any type
        if hasattr(hint, "_fields"):
            self._sets[name] = hint
            self.parameters += _fields(hint)
        else:
            self.parameters.append(Parameter(name, hint, default))

    def call(self, values: Mapping[str, object]) -> int | None:
        """Call the function with the values of its parameters."""
        given = dict(values)
        for name, kind in self._sets.items():
            given[name] = kind(**{field: given.pop(field) for field in kind._fields})
        return self.function(**given)

    @property
    def options(self) -> list[tuple[Parameter, Option]]:
        """What is given by name."""
        return [(one, one.declared) for one in self.parameters if isinstance(one.declared, Option)]

    @property
    def arguments(self) -> list[Parameter]:
        """What is given by its place."""
        return [one for one in self.parameters if one.is_placed]

    @property
    def names(self) -> list[str]:
        """The names of all its options."""
        options = [option for _, option in self.options]
        options += [option.off for option in options if option.off is not None]
        return ["--help", *(name for option in options for name in option.names)]


def _fields(kind: Any) -> Iterator[Parameter]:  # noqa: ANN401 any named tuple
    """Give the parameters of an option set."""
    names = sys.modules[kind.__module__].__dict__
    for name in kind._fields:
        hint = _meant_by(kind.__annotations__[name], names)
        yield Parameter(name, hint, kind._field_defaults.get(name, _NOTHING))


def _declared(function: Callable[..., object]) -> Iterator[tuple[str, Any, object]]:
    """Give the name, the type and the default of each parameter of a function."""
    # `inspect.signature` would say the same, and takes as long to import as all else.
    code: Any = function.__code__
    positional = code.co_varnames[: code.co_argcount]
    usual: tuple[object, ...] = function.__defaults__ or ()
    defaults = dict(zip(reversed(positional), reversed(usual), strict=False))
    defaults |= function.__kwdefaults__ or {}
    for name in code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]:
        hint = _meant_by(function.__annotations__[name], function.__globals__)
        yield name, hint, defaults.get(name, _NOTHING)


def _meant_by(annotation: object, names: Mapping[str, Any]) -> Any:  # noqa: ANN401 any type
    """Give what an annotation says; mostly that is a name, which is found faster than computed."""
    annotation = getattr(annotation, "__forward_arg__", annotation)
    if not isinstance(annotation, str):
        return annotation
    first, *rest = annotation.split(".")
    if not all(map(str.isidentifier, (first, *rest))):
        return eval(annotation, dict(names))  # noqa: S307 of our own commands, as `typing` does it
    found = names[first]
    for name in rest:
        found = getattr(found, name)
    return found


def _without_none(of: Any) -> Any:  # noqa: ANN401 any type
    parts = getattr(of, "__args__", ())
    if NoneType not in parts:
        return of
    (one,) = (part for part in parts if part is not NoneType)
    return one


def _choices(kind: Any) -> tuple[str, ...]:  # noqa: ANN401 any type
    if _is_literal(kind):
        return tuple(kind.__args__)
    # Of an enumeration.
    return tuple(one.value for one in getattr(kind, "__members__", {}).values())


def _is_literal(kind: object) -> bool:
    typing = sys.modules.get("typing")
    return typing is not None and getattr(kind, "__origin__", None) is typing.Literal
