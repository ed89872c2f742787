"""From the words of a command line to what a command's function is called with."""

from __future__ import annotations

import sys
from optparse import BadOptionError, OptionParser
from typing import TYPE_CHECKING, Any, NoReturn

from venice._native import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from optparse import Option as Rule

    from venice.cli.declared import Command, Option, Parameter


class WrongWordsError(Exception):
    """Words that the command does not take."""

    def __init__(self, what: str, where: str = "", *notes: str) -> None:
        """Take what is wrong, the words that are, and what is expected instead."""
        super().__init__(what)
        self.where = where
        self.notes = notes

    def with_usage(self, usage: str, path: str) -> WrongWordsError:
        """Return the same error with how the command `path` is called."""
        where = f"{path} {self.where}" if self.where else path
        advice = f"`{path} --help` explains what it takes"
        expected = [] if _says_expected(self.notes) else [f"expected: {usage}"]
        return WrongWordsError(str(self), where, *self.notes, *expected, advice)


def _says_expected(notes: Sequence[str]) -> bool:
    return any(note.startswith("expected: ") for note in notes)


class HelpAskedError(Exception):
    """``--help`` is among the words."""


def read(command: Command, words: Sequence[str]) -> dict[str, Any]:
    """Read the words of a command.

    Raises
    ------
    WrongWordsError
        If it does not take them.
    HelpAskedError
        If they ask for help.
    """
    parser = _Parser(command)
    _, placed = parser.parse_args([*words])
    given = {**parser.given, **_placed(command, placed)}
    return {one.name: _value(one, given.get(one.name)) for one in command.parameters}


class _Parser(OptionParser):
    """A parser that collects values as they stand, and takes names in full alone."""

    def __init__(self, command: Command) -> None:
        super().__init__(add_help_option=False)
        self.given: dict[str, list[Any]] = {}
        self._command = command
        self.add_option("--help", action="callback", callback=_ask_for_help)
        for parameter, option in command.options:
            self._add(parameter, option, on=True)
            if option.off is not None:
                self._add(parameter, option.off, on=False)

    def _add(self, parameter: Parameter, option: Option, *, on: bool) -> None:
        def take(_rule: Rule, name: str, text: str | None, _parser: OptionParser) -> None:
            # An option of one letter may have any text, as a pattern has.
            if text in self._long_opt and name.startswith("--"):
                raise _without_value(name)
            self.given.setdefault(parameter.name, []).append(on if text is None else text)

        self.add_option(
            *option.names,
            action="callback",
            callback=take,
            type=None if parameter.is_flag else "string",
        )

    def _match_long_opt(self, opt: str) -> str:
        if opt not in self._long_opt:
            raise BadOptionError(opt)
        return opt

    def error(self, msg: str) -> NoReturn:
        error = sys.exc_info()[1]
        if not isinstance(error, BadOptionError):
            raise _refused_by_parser(msg) from None
        if error.opt_str in self._command.lacks:
            raise UsageError(self._command.lacks[error.opt_str]) from None
        raise unknown("option", error.opt_str, self._command.names) from None


def _ask_for_help(*_: object) -> NoReturn:
    raise HelpAskedError


def unknown(kind: str, name: str, names: Iterable[str]) -> WrongWordsError:
    """Return the error for a name that does not exist, with the names that are like it."""
    from difflib import get_close_matches  # noqa: PLC0415 for mistakes alone

    near = " or ".join(f"`{one}`" for one in sorted(get_close_matches(name, names)))
    notes = [f"did you mean {near}?"] if near else []
    return WrongWordsError(f"unknown {kind} `{name}`", name, *notes)


def _refused_by_parser(message: str) -> WrongWordsError:
    """Return the error for an option with a value too few or too many."""
    name = message.split(maxsplit=1)[0]
    if "does not take" in message:
        return WrongWordsError(f"`{name}` takes no value", name)
    return _without_value(name)


def _without_value(name: str) -> WrongWordsError:
    return WrongWordsError(f"`{name}` has no value", name, f"expected: a value behind `{name}`")


def _placed(command: Command, words: Sequence[str]) -> dict[str, list[str]]:
    """Deal out what is given by its place; a list takes all that is left."""
    left = [*words]
    placed = {}
    for argument in command.arguments:
        count = len(left) if argument.is_list else 1
        placed[argument.name], left = left[:count], left[count:]
    if left:
        extra = " ".join(left)
        raise WrongWordsError(f"unexpected argument `{extra}`", extra, *_meant(command, left[0]))
    return placed


def _meant(command: Command, word: str) -> list[str]:
    """Name the option of which a word that stands alone is a value."""
    from venice.hints import kind_of_file  # noqa: PLC0415 for mistakes alone

    kind = kind_of_file(word)
    for _, option in command.options:
        is_named = option.values is not None and word in option.values()
        if is_named or (kind is not None and option.files == kind):
            return [f"did you mean `{option.names[0]} {word}`?"]
    return []


def _value(parameter: Parameter, given: Sequence[Any] | None) -> object:
    if not given:
        if parameter.is_required:
            kind = "argument" if parameter.is_placed else "option"
            raise WrongWordsError(f"missing {kind} {parameter.title}")
        return parameter.default
    if parameter.is_flag:
        return given[-1]
    if parameter.is_list:
        return [_read(parameter, text) for text in given]
    return _read(parameter, given[-1])


def _read(parameter: Parameter, text: str) -> object:
    try:
        return parameter.read(text)
    except ValueError as error:
        where = text if parameter.is_placed else f"{parameter.names[0]} {text}"
        raise WrongWordsError(
            f"{parameter.title} is `{text}`", where, f"expected: {error}"
        ) from None
