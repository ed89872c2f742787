"""Shells complete commands, options, and the names of values."""

from __future__ import annotations

import shutil
import sys
from typing import TYPE_CHECKING

import pytest
from click.shell_completion import ShellComplete

import venice as api
from venice._native import explain
from venice.cli.commands import COMPLETE_VARIABLE, VENICE, LazyGroup
from venice.cli.keys import settings

from .shell_at_work import typed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from .conftest import Outcome


def complete(words: str) -> set[str]:
    """Return the completions of the last word; a file stands for all files."""
    *before, last = words.split(" ")[1:]
    shell = ShellComplete(VENICE, {}, "venice", COMPLETE_VARIABLE)
    found = shell.get_completions(before, last)
    return {item.value if item.type == "plain" else item.type for item in found}


def groups(path: str = "venice", group: LazyGroup = VENICE) -> Iterator[tuple[str, LazyGroup]]:
    """Yield all groups of commands with their paths on the command line."""
    yield path, group
    for name, one in group.places.items():
        if isinstance(one, LazyGroup):
            yield from groups(f"{path} {name}", one)


def test_every_command_is_completed() -> None:
    for path, group in groups():
        assert complete(f"{path} ") == set(group.places)
    assert complete("venice comp") == {"compare", "completion"}
    assert complete("venice trace conv") == {"convert"}


def test_options_are_those_of_the_command() -> None:
    assert complete("venice run --warm") == {"--warmup", "--warmup-us"}
    assert complete("venice run --fabric bus --clo") == {"--closed-loop"}
    assert complete("venice compare --closed-loop 4 --fabr") == {"--fabrics"}
    assert "--version" in complete("venice --")
    # After a command, the name of another command is an ordinary argument.
    assert complete("venice run --workload trace --save-st") == {"--save-state"}


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("run --workload mixed", {"mixed-70-30"}),
        ("run --drive pi", {"piq-128gb", "pif"}),
        ("run --drive my-", {"file"}),
        ("run --trace t", {"file"}),
        ("compare --fabrics pn", {"pnssd"}),
        ("compare --fabrics bus,ven", {"bus,venice"}),
        ("compare samsung-980-p", {"samsung-980-pro-1tb"}),
        ("compare samsung-98", {"samsung-980-1tb", "samsung-980-pro-1tb"}),
        ("compare --schemes piq_p", {"piq_plus"}),
        ("compare --vary fabric.name=bus,idea", {"fabric.name=bus,ideal"}),
        ("run --set fabric.na", {"fabric.name="}),
        ("run --set=fabric.name=ven", {"fabric.name=venice"}),
        ("run --request-columns owes", {"owes_most_to"}),
        ("trace info --format spc", {"spc"}),
        ("config explain flash.t_read_u", {"flash.t_read_us"}),
        ("reproduce ven", {"venice"}),
        ("completion z", {"zsh"}),
        ("sweep load", {"file"}),
        ("sweep stat", {"status"}),
        ("sweep load.toml --wor", {"--workers"}),
        (
            "report explain latency_us.all.p9",
            {f"latency_us.all.{p}" for p in ("p90", "p99", "p999")},
        ),
        ("plot --of write_a", {"write_amplification"}),
        ("bench-mqsim --case random", {"random-read", "random-write"}),
    ],
)
def test_names_are_completed_where_an_option_takes_them(words: str, found: set[str]) -> None:
    assert complete(f"venice {words}") == found


def test_the_keys_are_those_of_the_schema_and_each_is_explained() -> None:
    found = settings()
    assert len(found) > 200
    assert {name for name in found if "." not in name} == {
        "chip",
        "description",
        "measured_as",
        "name",
        "source",
    }
    for key, values in found.items():
        assert key in explain(key)
        for value in values:
            assert value in ("true", "false") or value in explain(key)


LINES = [
    ("venice run --set fabric.na\tven\t--see\t3", "--set fabric.name=venice --seed 3"),
    ("venice run --set flash.t_read_u\t5", "--set flash.t_read_us=5"),
    ("venice run --set=flash.multiplane=fal\t", "--set=flash.multiplane=false"),
    ("venice run --fabric=pns\t", "--fabric=pnssd"),
    ("venice compare --vary host.queue_d\t4,8", "--vary host.queue_depth=4,8"),
    ("venice compare --fabrics bus,ven\t", "--fabrics bus,venice"),
    ("venice compare --vary fabric.name=bus,idea\t", "--vary fabric.name=bus,ideal"),
    ("venice run --drive my-d\t", "--drive my-drive.toml"),
    ("venice run --trace my-t\t", "--trace my-trace.csv"),
]


@pytest.fixture
def script(tmp_path: Path, venice: Callable[..., Outcome]) -> str:
    """Return bash's completion script, and put the command into a folder of PATH."""
    command = tmp_path / "bin" / "venice"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m venice "$@"\n')
    command.chmod(0o755)
    for name in ("my-drive.toml", "my-trace.csv"):
        (tmp_path / name).touch()
    return venice("completion", "bash").stdout


@pytest.mark.parametrize(("line", "given"), LINES)
def test_keys_of_a_terminal_become_whole_words(
    line: str, given: str, script: str, tmp_path: Path
) -> None:
    message = typed(script, line, tmp_path)
    assert message == "".join(f"<{word}>" for word in [line.split()[1], *given.split()])


def test_bash_can_keep_words_with_an_equals_sign_whole(script: str, tmp_path: Path) -> None:
    changed = f"{script}\nCOMP_WORDBREAKS=${{COMP_WORDBREAKS//=}}\n"
    message = typed(changed, "venice run --set=fabric.na\tven\t--see\t3", tmp_path)
    assert message == "<run><--set=fabric.name=venice><--seed><3>"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_completion_script_calls_the_command(
    shell: str, venice: Callable[..., Outcome]
) -> None:
    if shell == "bash" and shutil.which("bash") is None:
        pytest.skip("click asks bash for its version")
    outcome = venice("completion", shell)
    assert (outcome.code, outcome.stderr) == (0, "")
    assert f"{COMPLETE_VARIABLE}={shell}_complete" in outcome.stdout


def test_another_shell_is_refused_by_one_message(venice: Callable[..., Outcome]) -> None:
    outcome = venice("completion", "tcsh")
    assert (outcome.code, outcome.stdout) == (2, "")
    assert "expected: one of `bash`, `zsh`, `fish`" in outcome.message


def test_the_names_of_drives_are_those_of_the_program() -> None:
    assert complete("venice run --drive ") == {*api.drive_names()}
