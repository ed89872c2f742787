"""From the words of a command line to the command that they call."""

from __future__ import annotations

from typing import TYPE_CHECKING

from venice.cli.commands import COMMANDS, FAILED, Group, Place
from venice.cli.files import check_files
from venice.cli.screen import say
from venice.cli.words import HelpAskedError, WrongWordsError, read, unknown
from venice.version import described

if TYPE_CHECKING:
    from collections.abc import Sequence

    from venice.cli.declared import Command

_NAME = "venice"
_DONE, _NOTHING_ASKED = 0, 2


def run_command(words: Sequence[str]) -> int:
    """Run the command that these words call and give its exit code.

    Raises
    ------
    WrongWordsError
        If they call none, or it does not take them.
    """
    path, left = _NAME, [*words]
    place: Group | Place = COMMANDS
    while isinstance(place, Group):
        if not left or left[0] == "--help":
            return _show_group(path, place, is_asked=bool(left))
        if path == _NAME and left[0] == "--version":
            say(described())
            return _DONE
        if place.usual is not None and left[0] not in place.commands:
            left.insert(0, place.usual)
        name = left.pop(0)
        path, place = f"{path} {name}", _found(path, place, name)
    return _call(place.load(path), left)


def exit_code_of_failure(words: Sequence[str]) -> int:
    """Return the exit code of the command that these words call, for a run that fails."""
    place = COMMANDS.commands.get(words[0]) if words else None
    return place.failed if isinstance(place, Place) else FAILED


def _call(command: Command, words: Sequence[str]) -> int:
    try:
        values = read(command, words)
    except HelpAskedError:
        from venice.cli.help import help_of  # noqa: PLC0415 seldom wanted

        say(help_of(command))
        return _DONE
    except WrongWordsError as error:
        from venice.cli.help import usage_of  # noqa: PLC0415 likewise

        raise error.with_usage(usage_of(command), command.path) from None
    check_files(command, values)
    return command.call(values) or _DONE


def _show_group(path: str, group: Group, *, is_asked: bool) -> int:
    from venice.cli.help import help_of_group  # noqa: PLC0415 likewise

    say(help_of_group(path, group, has_version=path == _NAME), stderr=not is_asked)
    return _DONE if is_asked else _NOTHING_ASKED


def _found(path: str, group: Group, name: str) -> Place | Group:
    found = group.commands.get(name)
    if found is None:
        from venice.cli.help import usage_of_group  # noqa: PLC0415 likewise

        kind = "option" if name.startswith("-") else "command"
        raise unknown(kind, name, group.commands).with_usage(usage_of_group(path), path)
    return found
