"""Shells complete commands, options and names, by a script that asks nobody."""

from __future__ import annotations

import shutil
import subprocess
from functools import cache
from typing import TYPE_CHECKING

import pytest

import venice as api
from venice.cli.commands import COMMANDS, Group
from venice.cli.completion import script as made

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from .conftest import Outcome

_BASH = """
{script}
cd {folder}
COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
_venice
printf '%s\\n' "${{COMPREPLY[@]}}"
complete -p venice
"""
_ZSH = """
compdef() {{ : }}
compadd() {{ shift; print -rl -- "$@"; }}
_files() {{ print -r -- files }}
{script}
words=({words}); CURRENT=${{#words}}
_venice
"""


@cache
def script(shell: str) -> str:
    """Make a script once: it takes all commands' imports."""
    return made(shell)


def _run(shell: str, program: str) -> list[str]:
    path = shutil.which(shell)
    if path is None:
        pytest.skip(f"{shell} is not installed")
    done = subprocess.run(
        [path, *(["-f"] if shell == "zsh" else []), "-c", program],
        capture_output=True,
        text=True,
        check=True,
        # Nothing of Venice is on the path: the script is all there is.
        env={"PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "TERM": "dumb"},
        timeout=60,
    )
    assert done.stderr == ""
    return done.stdout.splitlines()


def _bash(words: str, folder: Path) -> list[str]:
    said = _run("bash", _BASH.format(script=script("bash"), words=words, folder=folder))
    assert said.pop() == "complete -o default -F _venice venice"
    return [word for word in said if word]


def _zsh(words: str, _folder: Path) -> list[str]:
    found = _run("zsh", _ZSH.format(script=script("zsh"), words=words))
    typed = words.rsplit(maxsplit=1)[-1].strip("'")
    return [word for word in found if word.startswith(typed)]


def _fish(words: str, folder: Path) -> list[str]:
    file = folder / "venice.fish"
    file.write_text(script("fish"))
    line = words.replace("''", "")
    found = _run("fish", f"cd {folder}; source {file}; complete -C '{line}'")
    names = [word.partition("\t")[0] for word in found]
    return [name for name in names if name != "venice.fish"]


_SHELLS = pytest.mark.parametrize("complete", [_bash, _zsh, _fish], ids=["bash", "zsh", "fish"])


def _paths(path: str, group: Group) -> Iterator[tuple[str, Group]]:
    yield path, group
    for name, one in group.commands.items():
        if isinstance(one, Group):
            yield from _paths(f"{path} {name}", one)


@_SHELLS
def test_every_command_is_completed(
    complete: Callable[[str, Path], list[str]], tmp_path: Path
) -> None:
    for path, group in _paths("venice", COMMANDS):
        assert set(complete(f"{path} ''", tmp_path)) == set(group.commands)
    assert complete("venice comp", tmp_path) == ["compare", "completion"]
    assert complete("venice trace conv", tmp_path) == ["convert"]


@_SHELLS
def test_options_are_those_of_the_command(
    complete: Callable[[str, Path], list[str]], tmp_path: Path
) -> None:
    assert set(complete("venice run --warm", tmp_path)) == {"--warmup", "--warmup-us"}
    assert complete("venice run --fabric bus --clo", tmp_path) == ["--closed-loop"]
    assert complete("venice compare --closed-loop 4 --fabr", tmp_path) == ["--fabrics"]
    assert "--version" in complete("venice --", tmp_path)
    # A word that is a command's name elsewhere is none behind one.
    assert complete("venice run --workload trace --save-st", tmp_path) == ["--save-state"]


@_SHELLS
def test_names_are_completed_where_an_option_takes_them(
    complete: Callable[[str, Path], list[str]], tmp_path: Path
) -> None:
    assert complete("venice run --workload mixed", tmp_path) == ["mixed-70-30"]
    assert set(complete("venice run --drive venice-p", tmp_path)) == {
        name for name in api.drive_names() if name.startswith("venice-p")
    }
    assert complete("venice compare --fabrics pn", tmp_path) == ["pnssd"]
    assert complete("venice trace info --format spc", tmp_path) == ["spc"]
    assert complete("venice completion z", tmp_path) == ["zsh"]
    assert "samsung-970-pro" in complete("venice compare sams", tmp_path)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_command_prints_the_script(shell: str, venice: Callable[..., Outcome]) -> None:
    outcome = venice("completion", shell)
    assert (outcome.code, outcome.stdout, outcome.stderr) == (0, script(shell), "")


def test_another_shell_is_refused_by_one_message(venice: Callable[..., Outcome]) -> None:
    outcome = venice("completion", "tcsh")
    assert (outcome.code, outcome.stdout) == (2, "")
    assert "'tcsh' is not one of 'bash', 'zsh', 'fish'." in outcome.stderr
