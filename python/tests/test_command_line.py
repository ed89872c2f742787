"""Options and arguments are read as functions declare them, and little is imported for it."""

from __future__ import annotations

import subprocess
import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest

from venice.cli.commands import COMMANDS, Group, Place
from venice.cli.declared import Argument, Command, Option
from venice.cli.words import WrongWordsError, read
from venice.cli.written import write_json

from .conftest import environment
from .test_mqsim import config_text, workload_text

SHORT_RUN = ("run", "--workload", "random-read", "--requests", "1000")
SLOW = {
    *("matplotlib", "numpy", "pyarrow", "venice.comparison", "venice.mqsim_result"),
    *("venice.plot", "venice.request_log", "venice.sweep"),
}
"""Libraries and modules that a short run does without, each of them slow to import."""


class Shade(StrEnum):
    """Some choices."""

    LIGHT = "light"
    DARK = "dark"


def paint(  # noqa: PLR0913 one of each kind
    walls: Annotated[list[str] | None, Argument(metavar="WALL...", help="What.")] = None,
    *,
    coats: Annotated[int, Option("-n", "--coats", metavar="N", help="How often.", least=1)] = 2,
    thinner: Annotated[float | None, Option("--thinner", metavar="X", help="How much.")] = None,
    shade: Annotated[Shade, Option("--shade", help="Which.")] = Shade.DARK,
    tool: Annotated[Literal["brush", "roller"] | None, Option("--tool", help="What with.")] = None,
    tins: Annotated[list[Path] | None, Option("-t", "--tin", metavar="F", help="Tins.")] = None,
    gloss: Annotated[bool | None, Option("-g", "--gloss", off=Option("-m", "--matt"))] = None,
    quick: Annotated[bool, Option("-q", "--quick", help="In haste.")] = False,
) -> None:
    """Paint walls."""


def two(
    first: Annotated[str, Argument(metavar="FIRST", help="One.")],
    second: Annotated[Path | None, Argument(metavar="[SECOND]", help="Another.")] = None,
    *,
    output: Annotated[str, Option("-o", "--output", metavar="FILE", help="Where to.")],
) -> None:
    """Take two."""


USUAL = {
    "walls": None,
    "coats": 2,
    "thinner": None,
    "shade": Shade.DARK,
    "tool": None,
    "tins": None,
    "gloss": None,
    "quick": False,
}


@pytest.mark.parametrize(
    ("words", "given"),
    [
        ("", {}),
        ("a b -q c", {"walls": ["a", "b", "c"], "quick": True}),
        ("-qn3", {"quick": True, "coats": 3}),
        ("--coats=3 -n 4", {"coats": 4}),
        ("--thinner -0.5", {"thinner": -0.5}),
        ("--shade light --tool roller", {"shade": Shade.LIGHT, "tool": "roller"}),
        ("-t a --tin=b -t-q", {"tins": [Path("a"), Path("b"), Path("-q")]}),
        ("-t --quick", {"tins": [Path("--quick")]}),
        ("-gm", {"gloss": False}),
        ("--matt --gloss", {"gloss": True}),
        ("- -- -q --help", {"walls": ["-", "-q", "--help"]}),
    ],
)
def test_words_become_what_the_signature_says(words: str, given: dict[str, object]) -> None:
    assert read(Command("paint", paint, {}), words.split()) == USUAL | given


def test_an_argument_is_taken_by_its_place() -> None:
    command = Command("two", two, {})
    assert read(command, ["a", "-o", "o"]) == {"first": "a", "second": None, "output": "o"}
    assert read(command, ["a", "-o", "o", "b"])["second"] == Path("b")


def parts(error: WrongWordsError) -> str:
    """Join what is wrong, where and what was expected."""
    return "|".join([str(error), error.where, *error.notes])


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("-n 0", "`-n` / `--coats` is `0`|-n 0|expected: a whole number of 1 or more"),
        ("-n 1.5", "`-n` / `--coats` is `1.5`|-n 1.5|expected: a whole number"),
        ("--thinner x", "`--thinner` is `x`|--thinner x|expected: a number"),
        ("--shade red", "`--shade` is `red`|--shade red|expected: one of `light`, `dark`"),
        ("--tool x", "`--tool` is `x`|--tool x|expected: one of `brush`, `roller`"),
        ("-t", "`-t` has no value|-t|expected: a value behind `-t`"),
        ("--quick=1", "`--quick` takes no value|--quick"),
        ("-x", "unknown option `-x`|-x"),
        ("--coat 1", "unknown option `--coat`|--coat|did you mean `--coats` or `--matt`?"),
    ],
)
def test_words_that_are_not_taken_are_named(words: str, said: str) -> None:
    with pytest.raises(WrongWordsError) as error:
        read(Command("paint", paint, {}), words.split())
    assert parts(error.value) == said


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("-o o", "missing argument `FIRST`|"),
        ("a", "missing option `-o` / `--output`|"),
        ("a b c d -o o", "unexpected argument `c d`|c d"),
    ],
)
def test_what_is_missing_or_too_much_is_named(words: str, said: str) -> None:
    with pytest.raises(WrongWordsError) as error:
        read(Command("two", two, {}), words.split())
    assert parts(error.value) == said


def test_a_value_without_its_option_is_told_the_option() -> None:
    place = COMMANDS.commands["run"]
    assert isinstance(place, Place)
    for word, option in (("hm_0", "--workload"), ("pnssd", "--fabric"), ("wd-zn540", "--drive")):
        with pytest.raises(WrongWordsError) as error:
            read(place.load("venice run"), [word])
        assert error.value.notes == (f"did you mean `{option} {word}`?",)


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
def test_a_file_without_its_option_is_told_the_option(
    name: str, text: str, meant: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).write_text(text)
    place = COMMANDS.commands["run"]
    assert isinstance(place, Place)
    with pytest.raises(WrongWordsError) as error:
        read(place.load("venice run"), [name])
    assert str(error.value) == f"unexpected argument `{name}`"
    assert error.value.notes == ((f"did you mean `{meant} {name}`?",) if meant else ())


def every_command(path: str, group: Group) -> list[Any]:
    """Give the commands of a group, and of the groups in it, with the words that call them."""
    found: list[Any] = []
    for name, one in group.commands.items():
        words = f"{path} {name}"
        found += [(words, one)] if isinstance(one, Place) else every_command(words, one)
    return found


@pytest.mark.parametrize(("path", "place"), every_command("venice", COMMANDS))
def test_every_command_explains_itself_and_its_parameters(path: str, place: Place) -> None:
    """Whatever has a value says what stands for it; no name is given twice."""
    command = place.load(path)
    assert command.function.__doc__
    assert len(command.names) == len(set(command.names))
    for parameter in command.parameters:
        assert parameter.declared.help
        assert parameter.is_flag or parameter.choices or parameter.declared.metavar


def imported_by(*words: str) -> set[str]:
    """Name the modules that a command imports, called as its script calls it."""
    start = "from venice.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-c", start, *words],
        env=environment(),
        capture_output=True,
        text=True,
        check=True,
    )
    return {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}


def test_a_short_run_and_its_report_wait_for_no_slow_library(tmp_path: Path) -> None:
    imported = imported_by(*SHORT_RUN, "--json", str(tmp_path / "report.json"))
    assert {"venice.runs", "venice.report.files"} <= imported
    assert imported & SLOW == set()


def test_a_short_run_of_mqsims_files_waits_for_no_slow_library(tmp_path: Path) -> None:
    config, workload = tmp_path / "ssdconfig.xml", tmp_path / "workload.xml"
    config.write_text(config_text())
    workload.write_text(workload_text([{}]))
    words = ("mqsim", "--config", str(config), "--workload", str(workload))
    imported = imported_by(*words, "--json", str(tmp_path / "report.json"))
    assert "venice.mqsim" in imported
    assert imported & SLOW == set()
    wanted = imported_by(*words, "--xml", str(tmp_path))
    assert "venice.mqsim_result" in wanted


def test_json_that_nobody_asked_for_is_not_made() -> None:
    def made() -> str:
        raise AssertionError

    write_json(made, None, None)
