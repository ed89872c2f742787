"""Types of option values: conversion, named files, and shell completion."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

from venice.cli.files import STANDARD_STREAM, file_itself
from venice.cli.usage import WrongValueError
from venice.text.unicode import fault_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    Names = Iterable[str] | Mapping[str, Sequence[str]]
    """Names that shells complete; for settings, each key with the words that its value may be."""
    _ParamType = click.ParamType[Any]
    Paths = Callable[[Any, Mapping[str, Any]], Iterable[str | Path]]
    """Function that returns paths of files for the value of a parameter and the values of all
    parameters.
    """
else:
    _ParamType = click.ParamType

_STANDARD_OUTPUT_PATHS = ("/dev/stdout", "/dev/fd/1", "/proc/self/fd/1")


class Text(_ParamType):
    """Type of a text in UTF-8; shells complete the names in `values`."""

    name = "text"

    def __init__(self, values: Callable[[], Names] | None = None) -> None:
        self.values = values

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:  # noqa: ANN401 as click has it
        """Return the text of the value.

        Raises
        ------
        WrongValueError
            If the text is not UTF-8.
        """
        if fault := fault_of(value):
            raise WrongValueError(value, f"{fault}; expected text in UTF-8", param, ctx)
        return value

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Complete a name; in a comma-separated list, the last one."""
        _ = ctx, param
        return [CompletionItem(word) for word in self._words(incomplete)]

    def _words(self, incomplete: str) -> Iterator[str]:
        names = () if self.values is None else self.values()
        if isinstance(names, Mapping):
            key, equals, value = incomplete.partition("=")
            if not equals:
                yield from (f"{name}=" for name in names if name.startswith(key))
                return
            names, incomplete, before = names.get(key, ()), value, f"{key}="
        else:
            before = ""
        listed, comma, last = incomplete.rpartition(",")
        yield from (f"{before}{listed}{comma}{name}" for name in names if name.startswith(last))


class Pattern(Text):
    """Type of an arbitrary text, even one that resembles an option."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:  # noqa: ANN401 as click has it
        """Return the value unchanged."""
        _ = param, ctx
        return value


class FileType(Text):
    """Type of a path, which may consist of arbitrary bytes.

    `reads` and `writes` return the paths of the files that a command reads and writes for a value.
    `defines` is the kind of definition file that the value may name.
    """

    name = "file"

    def __init__(
        self,
        *,
        reads: Paths | None = None,
        writes: Paths | None = None,
        values: Callable[[], Names] | None = None,
        path_type: type[str | Path] = str,
        defines: str | None = None,
    ) -> None:
        super().__init__(values)
        self.reads = reads
        self.writes = writes
        self.path_type = path_type
        self.defines = defines

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:  # noqa: ANN401 as click has it
        """Return the path."""
        _ = param, ctx
        return self.path_type(value)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Complete names, or files if no name matches."""
        return super().shell_complete(ctx, param, incomplete) or [
            CompletionItem(incomplete, type="file")
        ]


class InputFile(FileType):
    """Type of an input file; `reads` returns further files that the file refers to."""

    def __init__(self, reads: Paths = file_itself, **others: Any) -> None:  # noqa: ANN401 as above
        super().__init__(reads=reads, **others)


class OutputFile(FileType):
    """Type of an output file; `writes` returns further files that the command writes."""

    def __init__(self, writes: Paths = file_itself, **others: Any) -> None:  # noqa: ANN401 as above
        super().__init__(writes=writes, **others)


class OutputStream(OutputFile):
    """Type of an output file, or ``-`` for standard output.

    Examples
    --------
    >>> [OutputStream().convert(name, None, None) for name in ("/dev/stdout", "-", "out.json")]
    ['-', '-', 'out.json']
    """

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:  # noqa: ANN401 as click has it
        """Return the path, or ``-`` if the path is a name of standard output."""
        return (
            STANDARD_STREAM
            if value in _STANDARD_OUTPUT_PATHS
            else super().convert(value, param, ctx)
        )


class Number(_ParamType):
    """Type of a number that is `least` or more."""

    name = "number"
    title = "a number"
    number: type[float] = float

    def __init__(self, least: float | None = None) -> None:
        self.least = least

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:  # noqa: ANN401 as click has it
        """Parse the number.

        Raises
        ------
        WrongValueError
            If the text is not a number, or the number is too small.
        """
        bound = "" if self.least is None else f" of {self.least:g} or more"
        try:
            read = self.number(value)
        except ValueError:
            raise WrongValueError(value, f"{self.title}{bound}", param, ctx) from None
        if self.least is not None and not read >= self.least:
            raise WrongValueError(value, f"{self.title}{bound}", param, ctx)
        return read


class Integer(Number):
    """Type of a whole number that is `least` or more."""

    name = "integer"
    title = "a whole number"
    number = int


class Keyword(click.Choice[str]):
    """Type of a keyword from a list."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:  # noqa: ANN401 as click has it
        """Return the keyword.

        Raises
        ------
        WrongValueError
            If the keyword is not in the list.
        """
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter:
            words = ", ".join(f"`{word}`" for word in self.choices)
            raise WrongValueError(value, f"one of {words}", param, ctx) from None
