"""No command writes over its input or writes two outputs to one file."""

from __future__ import annotations

import os
import subprocess
import sys
from itertools import combinations
from typing import TYPE_CHECKING, Any

import pytest

import venice
from venice.cli.exit_codes import run_to_end
from venice.cli.value_types import FileType
from venice.files.ledger import Ledger

from .conftest import COMMAND, REPOSITORY, Outcome, environment
from .test_command_line import ALL_COMMANDS
from .test_mqsim import config_text, workload_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    import click

_TRACE = "0 0 0 8 1\n1000 0 8 8 0\n2000 0 16 8 1\n"
_RUN = "run --workload random-read --requests 20"
_INPUTS = {
    "t.trace": _TRACE,
    "base.toml": 'extends = "venice-cost"\n',
    "chip.toml": (REPOSITORY / "presets/chips/tlc-venice.toml").read_text(),
    "drive.toml": 'extends = "base.toml"\nchip = "chip.toml"\n',
    "flow.toml": 'extends = "random-read"\nrequests = 20\n',
    "base_load.toml": 'extends = "random-read"\n',
    "load.toml": 'extends = "base_load.toml"\nrequests = 20\n',
    "mix.toml": 'flows = ["flow.toml", "load.toml"]\nrequests = 20\n',
    "job.fio": "[job]\nrw=randread\nbs=4k\nsize=1m\nnumber_ios=20\n",
    "sweep.toml": (
        'name = "own"\n[scenario]\nworkload = "load.toml"\n[[axis]]\ndrive = ["drive.toml"]\n'
    ),
    "replay.toml": 'name = "own"\n[scenario]\nworkload = "out/own/results.csv"\n',
    "table.csv": "a,b\n1,2\n",
    "lines.txt": "one\ntwo\n",
    "ssdconfig.xml": config_text(),
    "workload.xml": workload_text([{}]),
}
_REPORT = "report.json"
_RUN_INPUTS = {
    f"{_RUN[:3]} --trace t.trace --format mqsim-ascii": ["t.trace"],
    f"{_RUN} --drive drive.toml": ["drive.toml", "base.toml", "chip.toml"],
    f"{_RUN} --set chip=chip.toml": ["chip.toml"],
    "run --workload mix.toml": ["mix.toml", "flow.toml", "load.toml", "base_load.toml"],
    "run --workload job.fio": ["job.fio"],
    f"{_RUN} --load-state s.state": ["s.state"],
}
_OUTPUTS = {
    "--json": ".json",
    "--request-log": ".parquet",
    "--intervals-out": ".csv",
    "--plot": ".png",
    "--view": ".html",
    "--trace-events": ".pftrace",
    "--save-state": ".state",
}
_OTHERS = [
    ("compare --workload load.toml --drive drive.toml --json {}", ["load.toml", "base.toml"]),
    ("compare drive.toml:bus,ideal --workload random-read --plot {}", ["drive.toml", "chip.toml"]),
    ("mqsim --config ssdconfig.xml --workload workload.xml --json {}", ["ssdconfig.xml"]),
    ("mqsim --config ssdconfig.xml --workload workload.xml --view {}", ["workload.xml"]),
    ("config import ssdconfig.xml -o {}", ["ssdconfig.xml"]),
    ("trace info t.trace --json {}", ["t.trace"]),
    ("trace info t.trace --drive drive.toml --plot {}", ["t.trace", "base.toml"]),
    ("trace convert t.trace -o {}", ["t.trace"]),
    ("trace head t.trace -o {}", ["t.trace"]),
    ("trace filter t.trace --op read -o {}", ["t.trace"]),
    ("trace scale t.trace --rate-scale 2 --drive drive.toml -o {}", ["t.trace", "chip.toml"]),
    ("trace mix lines.txt t.trace -o {}", ["t.trace", "lines.txt"]),
    ("grep one lines.txt --json {}", ["lines.txt"]),
    ("grep -f lines.txt t.trace --json {}", ["lines.txt", "t.trace"]),
    ("grep -r one . --json {}", ["lines.txt", "t.trace"]),
    ("sql table.csv --where a=1 --json {}", ["table.csv"]),
    ("view report.json -o {}", [_REPORT]),
    ("report sheet report.json -o {}", [_REPORT]),
    ("report fio report.json -o {}", [_REPORT]),
    ("plot report.json -o {}", [_REPORT]),
    ("explore sweep.toml --json {}", ["sweep.toml", "load.toml", "drive.toml", "base.toml"]),
    ("bench-mqsim --mqsim lines.txt --json {}", ["lines.txt"]),
]
_PAIRS = [
    *(f"{_RUN} --interval 4 {a} {{0}} {b} {{1}}" for a, b in combinations(_OUTPUTS, 2)),
    "compare --workload random-read --json {0} --plot {1}",
    "compare --workload random-read --plot {0} --why --why-plot {1}",
    "trace info t.trace --json {0} --plot {1}",
    "explore sweep.toml --json {0} --plot {1}",
    "mqsim --config ssdconfig.xml --workload workload.xml --json {0} --request-log {1}",
]


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """Return a folder with inputs of every kind."""
    for name, text in _INPUTS.items():
        (tmp_path / name).write_text(text)
    (tmp_path / _REPORT).write_text(venice.run(workload="random-read", requests=20).to_json())
    (tmp_path / "s.state").write_text("stands for a state")
    return tmp_path


@pytest.fixture
def call(
    files: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Callable[..., Outcome]:
    """Return a function that runs the command in this process, in the folder of the inputs."""
    monkeypatch.chdir(files)

    def run(*words: str) -> Outcome:
        monkeypatch.setattr(sys, "argv", ["venice", *words])
        code = run_to_end()
        return Outcome(code, *capfd.readouterr())

    return run


def contents(folder: Path) -> dict[Path, bytes]:
    """Read all files of a folder."""
    return {path: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def refusals(files: Path, call: Callable[..., Outcome], commands: list[str]) -> list[str]:
    """Run commands that must be refused; return the first lines of their messages."""
    before, errors = contents(files), []
    for command in commands:
        outcome = call(*command.split())
        assert outcome.code == 2, command
        assert outcome.stdout == "", command
        assert outcome.stderr.count("error:") == 1, command
        assert "\n   = expected: " in outcome.stderr, command
        assert contents(files) == before, command
        errors.append(outcome.stderr.splitlines()[0])
    return errors


@pytest.mark.parametrize(("command", "inputs"), _RUN_INPUTS.items())
def test_no_output_of_a_run_is_its_input(
    command: str, inputs: list[str], files: Path, call: Callable[..., Outcome]
) -> None:
    for number, name in enumerate(inputs):
        option = [*_OUTPUTS][number % len(_OUTPUTS)]
        (errors,) = refusals(files, call, [f"{command} --interval 4 {option} {name}"])
        reader = command.split()[-2] if "--trace" not in command else "--trace"
        assert errors == f"error: `{option}` would overwrite `{name}`, which `{reader}` reads"


@pytest.mark.parametrize("option", _OUTPUTS)
def test_each_output_of_a_run_is_checked(
    option: str, files: Path, call: Callable[..., Outcome]
) -> None:
    command = f"run --trace t.trace --interval 2 {option} t.trace"
    assert len(refusals(files, call, [command])) == 1


@pytest.mark.parametrize(("command", "inputs"), _OTHERS)
def test_no_output_of_another_command_is_its_input(
    command: str, inputs: list[str], files: Path, call: Callable[..., Outcome]
) -> None:
    errors = refusals(files, call, [command.format(name) for name in inputs])
    assert all(" would overwrite `" in line for line in errors)


@pytest.mark.parametrize("command", _PAIRS)
def test_no_two_outputs_are_one_file(
    command: str, files: Path, call: Callable[..., Outcome]
) -> None:
    (files / "there").write_text("old")
    (files / "link").symlink_to("there")
    (files / "hard").hardlink_to(files / "there")
    (files / "nowhere").symlink_to("new")
    same = [("new", "new"), ("new", "./new"), ("nowhere", "new"), ("there", "link")]
    errors = refusals(files, call, [command.format(*pair) for pair in (*same, ("hard", "link"))])
    assert all(line.endswith(" name the same file") for line in errors)


@pytest.mark.parametrize("name", ["soft", "hard", "../{}/t.trace", "folder/t.trace"])
def test_a_link_to_an_input_is_the_input(
    name: str, files: Path, call: Callable[..., Outcome]
) -> None:
    (files / "soft").symlink_to("t.trace")
    (files / "hard").hardlink_to(files / "t.trace")
    (files / "folder").symlink_to(".")
    output = name.format(files.name)
    (errors,) = refusals(files, call, [f"run --trace t.trace --json {output}"])
    assert errors == "error: `--json` would overwrite `t.trace`, which `--trace` reads"


def test_results_of_a_sweep_do_not_replace_what_its_runs_read(
    files: Path, call: Callable[..., Outcome]
) -> None:
    (files / "out" / "own").mkdir(parents=True)
    (files / "out" / "own" / "results.csv").write_text(_TRACE)
    text = 'name = "own"\n[scenario]\ntrace = "out/own/results.csv"\n[[axis]]\nfabric = ["bus"]\n'
    (files / "replay.toml").write_text(text)
    refusals(files, call, ["sweep replay.toml", "sweep replay.toml --out out/own"])
    assert call("sweep", "replay.toml", "--dry-run").code == 0


def test_pictures_and_tables_do_not_replace_a_store(
    files: Path, call: Callable[..., Outcome]
) -> None:
    assert call("sweep", "sweep.toml").code == 0
    commands = [
        "plot out/own -o out/own/results.png",
        "plot out/own/results.json -o out/own/results.png",
        "sweep export sweep.toml -o sweep.toml",
        "sweep export out/own -o out/own/results.sqlite",
        "sweep export -o out/own/results.sqlite",
    ]
    errors = refusals(files, call, commands[:2])
    assert all("results.csv" in one for one in errors)
    for command in commands[2:]:
        assert call(*command.split()).code == 2
    (files / "link.csv").symlink_to("out/own/results.sqlite")
    refusals(files, call, ["sweep export out/own -o link.csv"])


def test_files_of_scenarios_are_checked_by_their_own_names(
    files: Path, call: Callable[..., Outcome]
) -> None:
    (files / "two.xml").write_text(workload_text([{}], [{}]))
    mqsim = "mqsim --config ssdconfig.xml --workload two.xml"
    errors = refusals(
        files,
        call,
        [
            f"{mqsim} --request-log a.parquet --json a_scenario_2.parquet",
            f"{mqsim} --xml . --json two_scenario_1.xml",
        ],
    )
    assert all(line.endswith(" name the same file") for line in errors)


def test_standard_output_is_an_output(files: Path) -> None:
    """A file that the shell appends to is neither read nor replaced."""
    for words in ("run --trace t.trace", f"{_RUN} --json t.trace"):
        with (files / "t.trace").open("ab") as output:
            done = subprocess.run(
                [*COMMAND, *words.split()],
                cwd=files,
                env=environment(),
                stdout=output,
                stderr=subprocess.PIPE,
                check=False,
            )
        assert done.returncode == 2, words
        assert b"standard output" in done.stderr
        assert (files / "t.trace").read_text() == _TRACE


def test_devices_and_pipes_take_several_outputs(call: Callable[..., Outcome]) -> None:
    null = os.devnull
    command = f"{_RUN} --json {null} --request-log {null} --trace-events {null}"
    assert call(*command.split()).code == 0
    assert call("run", "--trace", "t.trace", "--json", "-").code == 0


def test_a_missing_input_is_reported(call: Callable[..., Outcome]) -> None:
    outcome = call("run", "--trace", "no.trace", "--json", "no.trace")
    assert outcome.code == 2
    assert "trace file not found" in outcome.stderr


def test_calls_from_python_check_their_files(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(files)
    before = contents(files)
    calls: list[tuple[Callable[..., object], dict[str, Any]]] = [
        (venice.run, {"trace": "t.trace", "save_state": "t.trace"}),
        (venice.run, {"trace": "t.trace", "trace_events": "t.trace"}),
        (venice.run, {"trace": venice.Trace("t.trace"), "trace_events": "t.trace"}),
        (venice.run, {"drive": "drive.toml", "workload": "flow.toml", "save_state": "base.toml"}),
        (venice.run, {"workload": "mix.toml", "save_state": "flow.toml"}),
        (venice.run, {"workload": "flow.toml", "trace_events": "new", "save_state": "./new"}),
        (venice.convert_trace, {"traces": ["lines.txt", "t.trace"], "file": "t.trace"}),
    ]
    for call, given in calls:
        with pytest.raises(venice.UsageError, match=r"would overwrite|same file"):
            call(**given)
        assert contents(files) == before


def file_parameters() -> Iterator[tuple[str, click.Parameter]]:
    """Yield all parameters with the placeholder of a file."""
    for called in ALL_COMMANDS:
        for param in called.command.params:
            if any(word in (param.metavar or "") for word in _FILE_WORDS):
                yield f"{called.path} {param.metavar}", param


_FILE_WORDS = ("FILE", "DIR", "FOLDER", "RESULTS", "SUITE", "TABLE", "PATH", "OUT.", ".xml", ".csv")


def test_every_file_option_describes_the_use_of_the_file() -> None:
    exempt = ("[DIR|SWEEP.toml]", "FOLDER")
    unsaid = [
        name
        for name, param in file_parameters()
        if not isinstance(param.type, FileType)
        or (param.type.reads is None and param.type.writes is None and not name.endswith(exempt))
    ]
    assert unsaid == ["venice trace record DIR"]


def test_files_of_a_missing_folder_are_distinguished(tmp_path: Path) -> None:
    ledger = Ledger()
    ledger.write("--a", tmp_path / "new" / "x")
    ledger.write("--b", tmp_path / "new" / "y")
    with pytest.raises(venice.UsageError, match="`--c` and `--a` name the same file"):
        ledger.write("--c", tmp_path / "new" / ".." / "new" / "x")
