"""Shells complete commands, options and names, by a script that asks nobody."""

from __future__ import annotations

import shlex
import shutil
import subprocess
from functools import cache
from typing import TYPE_CHECKING

import pytest

import venice as api
from venice._native import explain
from venice.cli.commands import COMMANDS, Group
from venice.cli.completed import settings
from venice.cli.completion import script as made

from .shell_at_work import typed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from .conftest import Outcome

_BASH = """
{script}
cd {folder}
COMP_LINE={line}; COMP_POINT=${{#COMP_LINE}}
_venice
printf '%s\\n' "${{COMPREPLY[@]}}"
complete -p venice
"""
_ZSH = """
compdef() {{ : }}
compadd() {{ shift $@[(i)--]; print -rl -- "$@"; }}
compset() {{ : }}
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


def _line(words: str) -> str:
    return shlex.quote(words.replace("''", ""))


def _bash(words: str, folder: Path) -> list[str]:
    said = _run("bash", _BASH.format(script=script("bash"), line=_line(words), folder=folder))
    assert said.pop() == "complete -o default -F _venice venice"
    return [word for word in said if word]


def _zsh(words: str, _folder: Path) -> list[str]:
    found = _run("zsh", _ZSH.format(script=script("zsh"), words=words))
    typed = words.rsplit(maxsplit=1)[-1].strip("'").rpartition("=")[2]
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
    assert complete("venice run --request-columns owes", tmp_path) == ["owes_most_to"]
    assert complete("venice compare --schemes piq_p", tmp_path) == ["piq_plus"]
    assert complete("venice config explain flash.t_rea", tmp_path) == ["flash.t_read_us"]


def test_the_keys_are_those_of_the_schema_and_each_is_explained() -> None:
    found = settings()
    assert len(found) > 200
    assert {name for name in found if "." not in name} == {"chip", "description", "name", "source"}
    for key, values in found.items():
        assert key in explain(key)
        for value in values:
            assert value in ("true", "false") or value in explain(key)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
@pytest.mark.parametrize(
    ("line", "given"),
    [
        (
            "venice run --set fabric.na\tven\t--see\t3",
            ["--set", "fabric.name=venice", "--seed", "3"],
        ),
        ("venice run --set flash.t_rea\t5", ["--set", "flash.t_read_us=5"]),
        ("venice run --set=flash.multiplane=fal\t", ["--set=flash.multiplane=false"]),
        ("venice run --fabric=pns\t", ["--fabric=pnssd"]),
        ("venice compare --vary host.queue_d\t4,8", ["--vary", "host.queue_depth=4,8"]),
        ("venice compare --fabrics bus,ven\t", ["--fabrics", "bus,venice"]),
        ("venice compare --fabrics=bus,pssd,pns\t", ["--fabrics=bus,pssd,pnssd"]),
        ("venice compare --vary fabric.name=bus,idea\t", ["--vary", "fabric.name=bus,ideal"]),
        ("venice run --drive my-d\t", ["--drive", "my-drive.toml"]),
        ("venice run --trace my-t\t", ["--trace", "my-trace.csv"]),
    ],
)
def test_who_types_in_a_terminal_gets_whole_words(
    shell: str, line: str, given: list[str], tmp_path: Path
) -> None:
    for name in ("my-drive.toml", "my-trace.csv"):
        (tmp_path / name).touch()
    command = line.split()[1]
    said = typed(shell, script(shell), line, tmp_path)
    assert said == "".join(f"<{word}>" for word in [command, *given])


def test_bash_may_be_told_that_an_equals_sign_parts_no_words(tmp_path: Path) -> None:
    told = script("bash") + "COMP_WORDBREAKS=${COMP_WORDBREAKS//=}\n"
    said = typed("bash", told, "venice run --set=fabric.na\tven\t--see\t3", tmp_path)
    assert said == "<run><--set=fabric.name=venice><--seed><3>"
    said = typed("bash", told, "venice compare --fabrics=bus,ven\t", tmp_path)
    assert said == "<compare><--fabrics=bus,venice>"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_command_prints_the_script(shell: str, venice: Callable[..., Outcome]) -> None:
    outcome = venice("completion", shell)
    assert (outcome.code, outcome.stdout, outcome.stderr) == (0, script(shell), "")


def test_another_shell_is_refused_by_one_message(venice: Callable[..., Outcome]) -> None:
    outcome = venice("completion", "tcsh")
    assert (outcome.code, outcome.stdout) == (2, "")
    assert "expected: one of `bash`, `zsh`, `fish`" in outcome.message
