"""The command line accepts every command on the pages, and the drives in them exist."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from unittest.mock import patch

import pytest

import venice as api
from venice.api.compare import GROUPS
from venice.cli.command import Command
from venice.cli.commands import VENICE
from venice.cli.usage import UnknownNameError

if TYPE_CHECKING:
    from collections.abc import Iterator

_ROOT = Path(__file__).resolve().parents[2]
_PAGES = [_ROOT / "README.md", *sorted((_ROOT / "docs").rglob("*.md"))]
_BLOCK = re.compile(r"^```(?:console|sh|bash)\n(.*?)^```", re.MULTILINE | re.DOTALL)
_END_OF_COMMAND = {"|", "||", "&&", ";", ">", ">>", "&"}
_STAND_FOR = {"FABRIC": "bus", "RATE": "1", "DEPTH": "4"}
"""Values for placeholders in commands."""
_LEAST = 60
"""Minimum number of commands; fewer would mean that they are not found."""


class _DocumentedCommand(NamedTuple):
    page: str
    words: list[str]


def _commands() -> Iterator[_DocumentedCommand]:
    for page in _PAGES:
        for block in _BLOCK.findall(page.read_text()):
            for line in _lines(block):
                for words in _split(line):
                    if words[0] == "venice":
                        shown = [_STAND_FOR.get(word, word) for word in words[1:]]
                        yield _DocumentedCommand(str(page.relative_to(_ROOT)), shown)


def _split(line: list[str]) -> Iterator[list[str]]:
    """Split a line into its commands; an operator may follow a word without a space."""
    words: list[str] = []
    for word in (*line, ";"):
        if not word.endswith(";") and word not in _END_OF_COMMAND:
            words.append(word)
            continue
        words += [word.removesuffix(";")] if word.removesuffix(";") and word.endswith(";") else []
        if words:
            yield words
        words = []


def _lines(block: str) -> Iterator[list[str]]:
    """Split a code block into lines and words; quoted text may contain newlines."""
    text, has_answers = "", block.startswith("$ ")
    for line in block.replace("\\\n", " ").splitlines():
        if has_answers and not text and not line.startswith("$ "):
            continue
        text = f"{text}\n{line}" if text else line.removeprefix("$ ").strip()
        try:
            yield shlex.split(text, comments=True)
        except ValueError:
            continue
        text = ""


_COMMANDS = list(_commands())


def _read(words: list[str]) -> dict[str, Any]:
    """Parse the arguments of a command without running it."""
    with (
        patch.object(Command, "invoke", lambda _self, ctx: ctx.params),
        VENICE.make_context("venice", words) as context,
    ):
        values: dict[str, Any] = VENICE.invoke(context)
        return values


def test_the_pages_have_commands() -> None:
    assert len(_COMMANDS) > _LEAST


@pytest.mark.parametrize(
    "command", _COMMANDS, ids=lambda command: f"{command.page}: {shlex.join(command.words)}"
)
def test_a_command_on_a_page_is_one_that_the_command_line_takes(
    command: _DocumentedCommand,
) -> None:
    if command.words[0].startswith("--"):
        return
    values = _read(command.words)
    workloads, fabrics = values.get("workload"), values.get("fabrics")
    for workload in [workloads] if isinstance(workloads, str) else workloads or ():
        assert Path(workload).suffix or workload in api.workload_names()
    if fabrics is not None and fabrics not in GROUPS:
        assert set(fabrics.split(",")) <= set(api.fabric_names())
    drive = values.get("drive")
    if isinstance(drive, str) and not Path(drive).suffix:
        api.resolve(drive, fabric=values.get("fabric"), sets=values.get("sets") or ())


def test_a_wrong_option_on_a_page_would_be_noticed() -> None:
    with pytest.raises(UnknownNameError, match="--fabrik"):
        _read(["run", "--fabrik", "bus"])
