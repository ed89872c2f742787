"""From the words of a command line to what a command's function is called with."""

from __future__ import annotations

import sys
from optparse import BadOptionError, OptionParser

from venice._native import UsageError
from venice.typed import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from optparse import Option as Rule
    from typing import Any, NoReturn

    from venice.cli.declared import Command, Option, Parameter


class WrongWordsError(Exception):
    """The words are none that the command takes; the text says why."""


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
                raise WrongWordsError(f"{name} option requires 1 argument")
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
            raise WrongWordsError(msg) from None
        if error.opt_str in self._command.lacks:
            raise UsageError(self._command.lacks[error.opt_str]) from None
        raise WrongWordsError(
            f"No such option: {error.opt_str}{_possible(error.opt_str, self._command.names)}"
        ) from None


def _ask_for_help(*_: object) -> NoReturn:
    raise HelpAskedError


def _possible(name: str, names: Sequence[str]) -> str:
    from difflib import get_close_matches  # noqa: PLC0415 for mistakes alone

    near = sorted(get_close_matches(name, names))
    return f" (Possible options: {', '.join(near)})" if near else ""


def _placed(command: Command, words: Sequence[str]) -> dict[str, list[str]]:
    """Deal out what is given by its place; a list takes all that is left."""
    left = [*words]
    placed = {}
    for argument in command.arguments:
        count = len(left) if argument.is_list else 1
        placed[argument.name], left = left[:count], left[count:]
    if left:
        raise WrongWordsError(
            f"Got unexpected extra argument(s) ({' '.join(left)}){_meant(command, left[0])}"
        )
    return placed


def _meant(command: Command, word: str) -> str:
    """Name the option of which a word that stands alone is a value."""
    from venice.hints import kind_of_file  # noqa: PLC0415 for mistakes alone

    kind = kind_of_file(word)
    for _, option in command.options:
        is_named = option.values is not None and word in option.values()
        if is_named or (kind is not None and option.files == kind):
            return f". Did you mean '{option.names[0]} {word}'?"
    return ""


def _value(parameter: Parameter, given: Sequence[Any] | None) -> object:
    if not given:
        if parameter.is_required:
            kind = "argument" if parameter.is_placed else "option"
            raise WrongWordsError(f"Missing {kind} {parameter.title}.")
        return parameter.default
    if parameter.is_flag:
        return given[-1]
    try:
        if parameter.is_list:
            return [parameter.read(text) for text in given]
        return parameter.read(given[-1])
    except ValueError as error:
        raise WrongWordsError(f"Invalid value for {parameter.title}: {error}") from None
