"""Input files of a bundle's commands, and the commands with their paths in the bundle."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from venice._native import UsageError
from venice.bundles.manifest import OWN_FILES, is_inside
from venice.cli.commands import VENICE, LazyGroup
from venice.cli.files import STANDARD_STREAM
from venice.cli.usage import UnknownNameError, problem_of
from venice.cli.value_types import FileType

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from venice.bundles.commands import ListedCommand

_INPUTS = "inputs"
"""Folder of the inputs that are outside of the working folder."""
_OURS = "bundle"
_EXPECTED = "is not a command that runs or draws something; expected: such as venice figure …"


class BundlePlan(NamedTuple):
    """Commands with their paths changed to those in the bundle, and the files to copy.

    Attributes
    ----------
    commands
        Commands to run in the bundle.
    inputs
        Original path of each input file, by its path in the bundle.
    """

    commands: list[ListedCommand]
    inputs: dict[str, Path]


def plan_of(commands: Sequence[ListedCommand]) -> BundlePlan:
    """Return the commands of a bundle with their input files.

    An input in the working folder keeps its path. Others are copied to the folder ``inputs``, and
    the commands refer to the copies.

    Raises
    ------
    UsageError
        If a command is invalid, writes a file outside of the working folder, or reads a file there
        whose path is only a part of a word.
    """
    check_outputs(commands)
    plan = BundlePlan([], {})
    written: set[str] = set()
    for command in commands:
        reads, writes = _files_of(command)
        words = list(command.words)
        for path in reads:
            name = os.path.normpath(path)
            if name in written or not Path(path).is_file():
                continue
            if not is_inside(name):
                name = _place_of(Path(path), plan.inputs)
                words = _replaced(command, words, path, name)
            _refuse_own(command, name)
            plan.inputs[name] = Path(path)
        written.update(map(os.path.normpath, writes))
        plan.commands.append(command._replace(words=tuple(words)))
    return plan


def check_outputs(commands: Sequence[ListedCommand]) -> None:
    """Refuse commands that write files outside of the working folder.

    Raises
    ------
    UsageError
        The message names the path of such a file.
    """
    for command in commands:
        for path in _files_of(command)[1]:
            _require_inside(command, path)


def _files_of(command: ListedCommand) -> tuple[list[str], list[str]]:
    """Return the paths that a command reads and writes."""
    reads: list[str] = []
    writes: list[str] = []
    ctx = _parsed(command)
    for param in ctx.command.params:
        value, kind = ctx.params.get(param.name or ""), param.type
        if value in (None, ()) or not isinstance(kind, FileType):
            continue
        for paths, listed in ((kind.reads, reads), (kind.writes, writes)):
            if paths is not None:
                listed.extend(dict.fromkeys(map(str, paths(value, ctx.params))))
    return [path for path in reads if path != STANDARD_STREAM], writes


def _parsed(command: ListedCommand) -> click.Context:
    """Parse a command without running it.

    Raises
    ------
    UsageError
        If the command is invalid.
    """
    group, words = VENICE, list(command.words)
    ctx = click.Context(group, info_name="venice")
    try:
        while True:
            if group.usual and words and words[0] not in group.places:
                words = [group.usual, *words]
            if not words or words[0] == _OURS:
                raise UsageError(f"{command.where}: {_EXPECTED}")
            name, words = words[0], words[1:]
            if name not in group.places:
                raise UnknownNameError("command", name, [*group.places], ctx)
            chosen = group.load(name)
            if not isinstance(chosen, LazyGroup):
                return chosen.make_context(name, words, parent=ctx)
            group, ctx = chosen, click.Context(chosen, parent=ctx, info_name=name)
    except click.UsageError as error:
        raise UsageError(f"{command.where}: {problem_of(error).what}") from None
    except click.exceptions.Exit:
        raise UsageError(f"{command.where}: {_EXPECTED}") from None


def _require_inside(command: ListedCommand, path: str) -> None:
    if not is_inside(os.path.normpath(path)):
        raise UsageError(
            f"{command.where}: `{path}` is outside of the folder; expected: a path of an output "
            "relative to the working folder"
        )


def _refuse_own(command: ListedCommand, name: str) -> None:
    if name in OWN_FILES:
        raise UsageError(
            f"{command.where}: `{name}` is a file of the bundle itself; expected: another name"
        )


def _place_of(path: Path, inputs: dict[str, Path]) -> str:
    """Return the bundle's path for an input that is outside of the working folder."""
    for number in range(1, len(inputs) + 2):
        name = f"{_INPUTS}/{path.name}" if number == 1 else f"{_INPUTS}/{number}-{path.name}"
        if inputs.get(name, path).samefile(path):
            return name
    raise AssertionError(path)


def _replaced(command: ListedCommand, words: Sequence[str], path: str, name: str) -> list[str]:
    """Return the words of a command with the path of an input replaced by its path in the bundle.

    Raises
    ------
    UsageError
        If no word is the path.
    """
    changed = list(_with(words, path, name))
    if changed == [*words]:
        raise UsageError(
            f"{command.where}: a definition names `{path}`, which is outside of the folder; copy "
            "it beside the definition"
        )
    return changed


def _with(words: Sequence[str], path: str, name: str) -> Iterator[str]:
    for word in words:
        option, equals, value = word.partition("=")
        if word == path:
            yield name
        elif equals and option.startswith("-") and value == path:
            yield f"{option}={name}"
        else:
            yield word
