"""Parsing of the command line: values of options, and messages for mistakes."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from typing import TYPE_CHECKING, Any, NamedTuple

import click
import pytest

from venice.cli.command import Argument, Command, command, flag, option
from venice.cli.commands import VENICE, LazyGroup, Place
from venice.cli.options import argument
from venice.cli.output_files import write_json
from venice.cli.usage import problem_of
from venice.cli.value_types import InputFile, Integer, Keyword, Pattern

from .conftest import environment

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from venice.cli.problem import Problem

    from .conftest import Outcome

LONGEST_SUMMARY = 62
"""Characters available in the help for the first sentence of a command."""


class Called(NamedTuple):
    """A command, its path on the command line, and its row in the table of commands."""

    path: str
    command: Command
    place: Place | LazyGroup


@command()
@argument("walls", metavar="WALL...", nargs=-1, help="Walls.")
@option("-n", "--coats", metavar="N", type=Integer(1), default=2, help="Number of coats.")
@option("--thinner", metavar="X", type=float, help="Share of thinner.")
@option("--shade", type=Keyword(["light", "dark"]), default="dark", help="Shade.")
@option("-t", "--tin", "tins", metavar="F", multiple=True, type=InputFile(), help="Tins.")
@option("-p", "--pattern", metavar="P", type=Pattern(), help="Pattern.")
@flag("-g/-m", "--gloss/--matt", default=None, help="Finish.")
@flag("-q", "--quick", help="Fast drying.")
def paint(**values: object) -> None:
    """Paint walls."""


@command()
@argument("first", metavar="FIRST", help="One.")
@argument("second", metavar="[SECOND]", required=False, help="Another.")
@option("-o", "--output", metavar="FILE", required=True, help="Target.")
def two(**values: object) -> None:
    """Take two."""


USUAL: dict[str, object] = {
    "walls": (),
    "coats": 2,
    "thinner": None,
    "shade": "dark",
    "tins": (),
    "pattern": None,
    "gloss": None,
    "quick": False,
}


def read(read_by: click.Command, words: list[str]) -> dict[str, Any]:
    """Parse the arguments of a command without running it."""
    return read_by.make_context(read_by.name, [*words]).params


def refused(read_by: click.Command, words: list[str]) -> Problem:
    """Parse arguments that the command must refuse and return the problem."""
    with pytest.raises(click.UsageError) as error:
        read(read_by, words)
    return problem_of(error.value)


@pytest.mark.parametrize(
    ("words", "given"),
    [
        ("", {}),
        ("a b -q c", {"walls": ("a", "b", "c"), "quick": True}),
        ("-qn3", {"quick": True, "coats": 3}),
        ("--coats=3 -n 4", {"coats": 4}),
        ("--thinner -0.5", {"thinner": -0.5}),
        ("--shade light", {"shade": "light"}),
        ("-t a --tin=b -t-q", {"tins": ("a", "b", "-q")}),
        ("-p --quick", {"pattern": "--quick"}),
        ("-gm", {"gloss": False}),
        ("--matt --gloss", {"gloss": True}),
        ("- -- -q --help", {"walls": ("-", "-q", "--help")}),
    ],
)
def test_words_become_the_values_of_options(words: str, given: dict[str, object]) -> None:
    assert read(paint, words.split()) == USUAL | given


def test_an_argument_is_taken_by_its_place() -> None:
    assert read(two, ["a", "-o", "o"]) == {"first": "a", "second": None, "output": "o"}
    assert read(two, ["a", "-o", "o", "b"])["second"] == "b"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("-n 0", "`-n` / `--coats` is `0`|-n 0|expected: a whole number of 1 or more"),
        ("-n 1.5", "`-n` / `--coats` is `1.5`|-n 1.5|expected: a whole number of 1 or more"),
        ("--thinner x", "`--thinner` is `x`|--thinner x|expected: a number"),
        ("--shade red", "`--shade` is `red`|--shade red|expected: one of `light`, `dark`"),
        ("-t", "`-t` has no value|-t|expected: a value behind `-t`"),
        ("-t --quick", "`--tin` has no value|--tin|expected: a value behind `--tin`"),
        ("--quick=1", "`--quick` takes no value|--quick|expected: paint [OPTIONS] WALL..."),
        ("-x", "unknown option `-x`|-x|expected: paint [OPTIONS] WALL..."),
        ("--coat 1", "unknown option `--coat`|--coat|did you mean `--coats` or `--matt`?"),
    ],
)
def test_wrong_words_are_reported_with_the_expected_ones(words: str, message: str) -> None:
    problem = refused(paint, words.split())
    assert "|".join([problem.what, problem.where, problem.notes[0]]) == message
    assert problem.notes[-1] == "see `paint --help`"


@pytest.mark.parametrize(
    ("words", "what", "where"),
    [
        ("-o o", "missing argument `FIRST`", "two"),
        ("a", "missing option `-o` / `--output`", "two"),
        ("a b c d -o o", "unexpected argument `c d`", "c d"),
    ],
)
def test_missing_and_surplus_words_are_named(words: str, what: str, where: str) -> None:
    problem = refused(two, words.split())
    assert (problem.what, problem.where) == (what, where)
    assert "expected: two [OPTIONS] FIRST [SECOND]" in problem.notes


@pytest.mark.parametrize("word", [b"\xff", b"caf\xe9"])
def test_bytes_that_are_no_text_are_refused_but_for_paths_and_patterns(word: bytes) -> None:
    text = os.fsdecode(word)
    assert "not UTF-8" in refused(two, [text, "-o", "o"]).notes[0]
    assert "not UTF-8" in refused(paint, [text]).notes[0]
    given = read(paint, ["-t", text, "-p", text])
    assert (given["tins"], given["pattern"]) == ((text,), text)


def test_a_stray_value_is_reported_with_its_option() -> None:
    run = VENICE.load("run")
    for word, name in (("hm_0", "--workload"), ("pnssd", "--fabric"), ("wd-zn540", "--drive")):
        assert refused(run, [word]).notes[0] == f"did you mean `{name} {word}`?"


@pytest.mark.parametrize(
    ("name", "text", "meant"),
    [
        ("mine.toml", 'extends = "venice-cost"\n', "--drive"),
        ("mine.toml", "[flash]\nblocks_per_plane = 64\n", "--drive"),
        ("mine.toml", 'extends = "random-read"\n', "--workload"),
        ("mine.toml", "not TOML", None),
        ("mine.fio", "[global]\n", "--workload"),
        ("mine.txt", "[flash]\n", None),
    ],
)
def test_a_stray_file_is_reported_with_its_option(
    name: str, text: str, meant: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).write_text(text)
    problem = refused(VENICE.load("run"), [name])
    assert problem.what == f"unexpected argument `{name}`"
    assert (f"did you mean `{meant} {name}`?" in problem.notes) == (meant is not None)


def every_command(path: str = "venice", group: LazyGroup = VENICE) -> Iterator[Called]:
    """Yield the commands of a group and of its subgroups, with their paths on the command line."""
    for name in group.places:
        found = group.load(name)
        if isinstance(found, LazyGroup):
            yield from every_command(f"{path} {name}", found)
        else:
            assert isinstance(found, Command)
            yield Called(f"{path} {name}", found, group.places[name])


ALL_COMMANDS = tuple(every_command())


@pytest.mark.parametrize("called", ALL_COMMANDS, ids=lambda called: called.path)
def test_every_command_and_every_option_has_a_help(called: Called) -> None:
    """Options with values have a placeholder; no name is given twice."""
    command = called.command
    assert command.help
    names = [name for one in command.params for name in (*one.opts, *one.secondary_opts)]
    assert len(names) == len(set(names))
    for param in command.params:
        if isinstance(param, click.Option):
            assert param.help
            assert param.is_flag or param.metavar or isinstance(param.type, click.Choice)
        else:
            assert isinstance(param, Argument)
            assert param.explanation
            assert param.metavar


@pytest.mark.parametrize("called", ALL_COMMANDS, ids=lambda called: called.path)
def test_the_table_of_commands_has_their_names_and_first_sentences(called: Called) -> None:
    assert isinstance(called.place, Place)
    assert called.command.name == called.path.split()[-1]
    assert (called.command.help or "").splitlines()[0] == called.place.summary
    assert len(called.place.summary) <= LONGEST_SUMMARY


ODD = re.compile(
    r"\b(so (many|long|much)|whoever|somebody|anyway)\b|^(What|Whether|Which|How|Of)\b"
)


@pytest.mark.parametrize("called", ALL_COMMANDS, ids=lambda called: called.path)
def test_help_is_a_noun_phrase(called: Called) -> None:
    for param in called.command.params:
        text = param.help if isinstance(param, click.Option) else ""
        assert not ODD.search(text or ""), f"{param.opts}: {text}"


def test_help_needs_no_command_to_be_imported() -> None:
    """Help imports no module of a command, some of which load large libraries."""
    code = (
        "import sys; from venice.cli import main\n"
        "try: main()\n"
        "finally: print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "--help"],
        env=environment(),
        capture_output=True,
        text=True,
        check=True,
    )
    modules = {place.module for place in VENICE.places.values() if isinstance(place, Place)}
    assert {f"venice.cli.{module}" for module in modules}.isdisjoint(done.stderr.split())
    assert "venice.cli.commands" in done.stderr.split()


@pytest.mark.parametrize("words", ["--help", "-h", "run --help", "trace mix -h", "grep --help"])
def test_help_goes_to_standard_output(words: str, venice: Callable[..., Outcome]) -> None:
    outcome = venice(*words.split())
    assert (outcome.code, outcome.stderr) == (0, "")
    assert outcome.stdout.startswith("Usage: venice ")


def test_options_of_a_run_stand_in_groups(venice: Callable[..., Outcome]) -> None:
    lines = venice("run", "--help").stdout.splitlines()
    titles = [line for line in lines if line.endswith(":") and not line.startswith(" ")]
    assert titles == ["Drive:", "Requests:", "Output:", "Diagnosis:", "Others:"]


def test_json_is_made_on_request_only() -> None:
    def made() -> str:
        raise AssertionError

    write_json(made, None, None)
