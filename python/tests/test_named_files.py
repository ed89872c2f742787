"""Files named by a definition are read only if their kind is the expected one; none is quoted."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import venice
from venice.cli.exit_codes import run_to_end
from venice.options.named_files import tables
from venice.sweep import Sweep
from venice.sweep.definition import SweepError

from .conftest import Outcome

if TYPE_CHECKING:
    from collections.abc import Callable

_QUOTED = "hunter2quoted"
_SECRETS = {
    "passwd": f"root:x:{_QUOTED}\n",
    "keys.toml": f'[registry]\ntoken = "{_QUOTED}"\n',
    f"{_QUOTED}.env": f"KEY={_QUOTED}\n",
    "broken.toml": f"[flash]\nt_read_us = {_QUOTED}\n",
    "plain.toml": f'{_QUOTED} = "{_QUOTED}"\n',
}
_RUN = "run --workload random-read --requests 5 --drive"


@pytest.fixture
def call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Callable[..., Outcome]:
    """Return a function that runs the command in this process, in a folder with secrets."""
    monkeypatch.chdir(tmp_path)
    for name, text in _SECRETS.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "link.toml").symlink_to("passwd")
    (tmp_path / "made_up.toml").symlink_to("/proc/self/environ")

    def run(words: str) -> Outcome:
        monkeypatch.setattr(sys, "argv", ["venice", *words.split()])
        code = run_to_end()
        return Outcome(code, *capfd.readouterr())

    return run


def refused(outcome: Outcome) -> None:
    """Check that a command was refused with one message that quotes nothing of a file."""
    assert outcome.code == 2, outcome
    assert outcome.stderr.count("error: ") == 1
    assert "\n   = expected: a " in outcome.stderr
    message = outcome.stderr.replace(f"{_QUOTED}.env", "")
    assert _QUOTED not in message
    assert "PATH=" not in message


_NAMES = [*_SECRETS, "link.toml", "made_up.toml", "/proc/self/environ", "/dev/null"]


@pytest.mark.parametrize("name", _NAMES)
@pytest.mark.parametrize(
    "text", ['extends = "{}"', 'extends = {{ value = "{}" }}', 'extends = "pif"\nchip = "{}"']
)
def test_a_drive_quotes_no_other_file(
    name: str, text: str, tmp_path: Path, call: Callable[..., Outcome]
) -> None:
    (tmp_path / "drive.toml").write_text(text.format(name))
    (tmp_path / "over.toml").write_text('extends = "drive.toml"\n')
    for drive in ("drive.toml", "over.toml"):
        refused(call(f"{_RUN} {drive}"))
    with pytest.raises(venice.ConfigError, match="expected: a drive file"):
        venice.run(drive="drive.toml", workload="random-read")


@pytest.mark.parametrize("name", ["keys.toml", "broken.toml", "plain.toml", "link.toml"])
@pytest.mark.parametrize("text", ['extends = "{}"', 'flows = ["{}"]', 'flows = [{{extends="{}"}}]'])
def test_a_workload_quotes_no_other_file(
    name: str, text: str, tmp_path: Path, call: Callable[..., Outcome]
) -> None:
    (tmp_path / "load.toml").write_text(text.format(name))
    refused(call("run --workload load.toml"))
    with pytest.raises(venice.WorkloadError, match="expected: a workload file"):
        venice.run(workload="load.toml")


@pytest.mark.parametrize("command", ["sweep", "explore"])
@pytest.mark.parametrize(
    "message",
    [
        *(f'drive = "{name}"' for name in _NAMES),
        *(f'workload = "{name}"' for name in ("keys.toml", "broken.toml", "link.toml")),
        *(f'trace = "{name}"' for name in ("made_up.toml", "/proc/self/environ", "/dev/null")),
        'workload = "random-read"\nload_state = "/proc/self/environ"',
    ],
)
def test_a_sweep_quotes_no_other_file(
    command: str, message: str, tmp_path: Path, call: Callable[..., Outcome]
) -> None:
    (tmp_path / "own.toml").write_text(f"[scenario]\n{message}\n")
    refused(call(f"{command} own.toml"))
    key, _, value = message.partition(" = ")
    if "\n" not in message:
        (tmp_path / "own.toml").write_text(f"[[axis]]\n{key} = [{value}]\n")
        refused(call(f"{command} own.toml"))


def test_files_of_their_kind_are_read(tmp_path: Path) -> None:
    (tmp_path / "base.toml").write_text('extends = "venice-cost"\n')
    (tmp_path / "link.toml").symlink_to("base.toml")
    (tmp_path / "drive.toml").write_text('extends = "link.toml"\n')
    (tmp_path / "load.toml").write_text('extends = "random-read"\nrequests = 5\nsynthetic = true\n')
    (tmp_path / "mix.toml").write_text(
        'description = "Two."\nsource = "none"\nsynthetic = true\n'
        'flows = ["load.toml", "random-read"]\nrequests = 5\n'
    )
    report = venice.run(drive=tmp_path / "drive.toml", workload=tmp_path / "mix.toml")
    assert report.requests.completed == 5


@pytest.mark.parametrize("command", ["sweep", "explore"])
@pytest.mark.parametrize(
    "name",
    ["../escaped", "w/c/x", "/escaped", "..", ".", "a\\\\b", "a\\u0000b", "x" * 9999 + "/"],
)
def test_a_name_is_one_folder(
    command: str, name: str, tmp_path: Path, call: Callable[..., Outcome]
) -> None:
    text = f'name = "{name}"\n[scenario]\nworkload = "random-read"\n[[axis]]\nfabric = ["bus"]\n'
    (tmp_path / "own.toml").write_text(text)
    before = set(tmp_path.parent.rglob("*"))
    outcome = call(f"{command} own.toml")
    assert outcome.code == 2
    assert "the name of one folder" in outcome.stderr
    assert len(outcome.stderr) < 600
    assert set(tmp_path.parent.rglob("*")) == before
    assert call("sweep status own.toml").code == 2
    with pytest.raises(SweepError, match="name of one folder"):
        Sweep.load(tmp_path / "own.toml")


def test_a_definition_that_is_too_deep_is_not_read(tmp_path: Path) -> None:
    deep = [".".join("a" * 50_000) + " = 1", "a = " + "[" * 100_000, "['" * 1000, 'a = "' * 999]
    for text in deep:
        (tmp_path / "deep.toml").write_text(text)
        assert tables(str(tmp_path / "deep.toml")) is None


def test_presets_are_not_deep() -> None:
    presets = list((Path(__file__).parents[2] / "presets").rglob("*.toml"))
    assert presets
    assert [path for path in presets if tables(str(path)) is None] == []
