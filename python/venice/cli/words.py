"""From the words of a command line to what a command's function is called with."""

from __future__ import annotations

from venice._native import UsageError
from venice.typed import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from venice.cli.declared import Command, Parameter


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
    parting = _Parting(command, words)
    given = {**parting.given, **_placed(command, parting.placed)}
    return {one.name: _value(one, given.get(one.name)) for one in command.parameters}


class _Parting:
    """Parts words into options and the rest: ``--name value``, ``--name=value``, ``-nvalue``.

    That is what POSIX and GNU have them be: options of one letter may be written together, options
    and arguments stand in any order, and behind ``--`` all are arguments. Names are taken in full
    alone: a beginning that is unambiguous now may not be one day.
    """

    def __init__(self, command: Command, words: Sequence[str]) -> None:
        self.given: dict[str, list[Any]] = {}
        """The texts of each option, in order; of a flag whether it was said or its opposite."""
        self.placed: list[str] = []
        self._command = command
        self._options = dict(_by_name(command))
        self._left = iter(words)
        for word in self._left:
            self._part(word)

    def _part(self, word: str) -> None:
        if word == "--":
            self.placed += self._left
        elif word.startswith("--"):
            name, is_valued, value = word.partition("=")
            self._take(name, value if is_valued else None)
        elif word.startswith("-") and word != "-":
            self._part_letters(word[1:])
        else:
            self.placed.append(word)

    def _part_letters(self, letters: str) -> None:
        while letters:
            name, letters = f"-{letters[0]}", letters[1:]
            if letters and not self._is_flag(name):
                self._take(name, letters)
                return
            self._take(name, None)

    def _take(self, name: str, value: str | None) -> None:
        is_flag = self._is_flag(name)
        if is_flag and value is not None:
            raise WrongWordsError(f"{name} option does not take a value")
        found = self._options[name]
        if found is None:
            raise HelpAskedError
        parameter, is_on = found
        if not is_flag and value is None:
            value = self._value_of(name)
        self.given.setdefault(parameter.name, []).append(is_on if is_flag else value)

    def _value_of(self, name: str) -> str:
        value = next(self._left, None)
        # An option of one letter may have any text, as a pattern has.
        if value is None or (name.startswith("--") and value in self._options):
            raise WrongWordsError(f"{name} option requires 1 argument")
        return value

    def _is_flag(self, name: str) -> bool:
        if name not in self._options:
            raise _unknown(self._command, name)
        found = self._options[name]
        return found is None or found[0].is_flag


def _by_name(command: Command) -> Iterator[tuple[str, tuple[Parameter, bool] | None]]:
    """Give what each name stands for, and whether it says yes; ``--help`` stands for nothing."""
    yield "--help", None
    for parameter, option in command.options:
        yield from ((name, (parameter, True)) for name in option.names)
        if option.off is not None:
            yield from ((name, (parameter, False)) for name in option.off.names)


def _unknown(command: Command, name: str) -> Exception:
    if name in command.lacks:
        return UsageError(command.lacks[name])
    return WrongWordsError(f"No such option: {name}{_possible(name, command.names)}")


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
