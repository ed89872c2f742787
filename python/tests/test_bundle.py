"""``venice bundle``: commands repeated elsewhere from the bundle alone give the same data."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING, Any

import pytest

from venice import UsageError
from venice.bundles.commands import read_commands, to_script

from .conftest import REPOSITORY

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from .conftest import Outcome

_TRACE = REPOSITORY / "conformance" / "traces" / "alibaba-csv.txt"
_SWEEP = """[scenario]
drive = "drives/mine.toml"
workload = "random-read"
requests = 60
[[axis]]
fabric = ["bus", "venice"]
[[axis]]
seed = [7, 8]
"""
_COMMANDS = f"""# Figures of the paper
venice sweep load.toml
venice plot out/load --kind bars \\
    --of latency_us.all.p99 -o load.svg
$ venice run --trace {_TRACE} --seed 3 --json run.json
"""


@pytest.fixture
def bundle(tmp_path: Path, venice: Callable[..., Outcome]) -> Path:
    """Make a bundle from files of the working folder and from elsewhere."""
    (tmp_path / "drives").mkdir()
    (tmp_path / "drives" / "mine.toml").write_text('extends = "base.toml"\n')
    (tmp_path / "drives" / "base.toml").write_text('extends = "venice-cost"\nflash.t_read_us = 5\n')
    (tmp_path / "load.toml").write_text(_SWEEP)
    (tmp_path / "paper.sh").write_text(_COMMANDS)
    made = venice("bundle", "artifact", "paper.sh")
    assert made.code == 0, made.stderr
    return tmp_path / "artifact"


def _manifest(bundle: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((bundle / "bundle.json").read_text())
    return content


def test_a_bundle_moved_elsewhere_gives_the_same_data(
    bundle: Path, tmp_path: Path, venice: Callable[..., Outcome]
) -> None:
    manifest = _manifest(bundle)
    assert set(manifest["inputs"]) == {
        *("load.toml", "drives/mine.toml", "drives/base.toml", f"inputs/{_TRACE.name}"),
    }
    assert (manifest["runs"], manifest["seeds"]) == (5, [3, 7, 8])
    assert manifest["environment"]["engine"]
    (configuration,) = [
        one
        for one in json.loads((bundle / "configurations.json").read_text())
        if one["config"]["flash"]["t_read_us"] == 5 and one["config"]["fabric"]["name"] == "bus"
    ]
    assert configuration["runs"] == 2
    moved = tmp_path / "elsewhere"
    shutil.move(bundle, moved)
    shutil.rmtree(tmp_path / "drives")
    (tmp_path / "load.toml").unlink()
    again = venice("bundle", "redo", "elsewhere", "--out", "new")
    assert (again.code, again.stderr) == (0, "")
    count = len(manifest["results"])
    assert f"{count} results of {count} equal" in again.stdout
    assert (tmp_path / "new" / "load.csv").read_bytes() == (moved / "load.csv").read_bytes()


def test_other_data_are_found_and_other_pictures_reported(
    bundle: Path, venice: Callable[..., Outcome]
) -> None:
    manifest = _manifest(bundle)
    manifest["results"]["load.svg"] = "0" * 64
    (bundle / "bundle.json").write_text(json.dumps(manifest))
    again = venice("bundle", "redo", "artifact")
    assert (again.code, again.stdout.count("DIFFERS")) == (0, 1)
    manifest["results"]["run.json"] = "0" * 64
    manifest["environment"]["python"] = "3.0"
    (bundle / "bundle.json").write_text(json.dumps(manifest))
    again = venice("bundle", "redo", "artifact")
    assert (again.code, again.stdout.count("DIFFERS")) == (3, 2)
    assert "the bundle was made with python 3.0" in again.stderr


def test_a_changed_bundle_is_refused(bundle: Path, venice: Callable[..., Outcome]) -> None:
    with (bundle / "load.toml").open("a") as file:
        file.write("# changed\n")
    again = venice("bundle", "redo", "artifact")
    assert (again.code, again.errors) == (2, 1)
    assert "load.toml is missing or has changed" in again.stderr
    manifest = _manifest(bundle)
    wrong: tuple[object, ...] = ({"../../out": "0"}, {"/etc/passwd": "0"}, [])
    for inputs in wrong:
        (bundle / "bundle.json").write_text(json.dumps({**manifest, "inputs": inputs}))
        again = venice("bundle", "redo", "artifact")
        assert (again.code, again.errors) == (2, 1)
    (bundle / "bundle.json").write_text(json.dumps({**manifest, "inputs": {}}))
    (bundle / "commands.sh").write_text("venice run --workload random-read --json ../../x.json\n")
    again = venice("bundle", "redo", "artifact")
    assert (again.code, again.errors) == (2, 1)


def test_an_interrupted_bundle_is_taken_up_and_a_finished_one_kept(
    bundle: Path, venice: Callable[..., Outcome]
) -> None:
    assert venice("bundle", "artifact", "paper.sh").code == 2
    (bundle / "bundle.json").unlink()
    assert venice("bundle", "artifact", "paper.sh").code == 0
    assert "4 of them found there" in (bundle / "log.txt").read_text()


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("ls", "`ls` is not venice"),
        ("venice list | head", "`|` needs a shell"),
        ("venice run 'one", "line 1: No closing quotation"),
        ("venice run --colour", "line 1: unknown option `--colour`"),
        ("venice rum", "line 1: unknown command `rum`"),
        ("venice", "line 1: is not a command that runs"),
        ("venice --help", "line 1: "),
        ("venice run --help", "line 1: is not a command that runs"),
        ("venice bundle redo other", "line 1: is not a command that runs"),
        ("venice run --workload random-read --json ../a.json", "`../a.json` is outside"),
        ("venice run --workload random-read --json /tmp/a.json", "`/tmp/a.json` is outside"),
        ("venice run --drive below/near.toml", "a definition names `below/../../far.toml`"),
        ("venice run --drive README.md", "`README.md` is a file of the bundle itself"),
        ("", "has no commands"),
    ],
)
def test_commands_that_cannot_be_bundled_are_refused_before_anything_is_written(
    line: str, message: str, tmp_path: Path, venice: Callable[..., Outcome]
) -> None:
    (tmp_path / "work" / "below").mkdir(parents=True)
    (tmp_path / "far.toml").write_text('extends = "venice-cost"\n')
    (tmp_path / "README.md").write_text("")
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / "near.toml").write_text('extends = "../../far.toml"\n')
    (tmp_path.parent / "far.toml").write_text('extends = "venice-cost"\n')
    (tmp_path / "paper.sh").write_text(f"{line}\n")
    refused = venice("bundle", "artifact", "paper.sh")
    assert (refused.code, refused.errors) == (2, 1), refused.stderr
    assert message in refused.message
    assert not (tmp_path / "artifact").exists()


def test_a_command_that_fails_ends_the_bundle(
    tmp_path: Path, venice: Callable[..., Outcome]
) -> None:
    (tmp_path / "paper.sh").write_text("venice run --drive venice-cost --workload missing.toml\n")
    failed = venice("bundle", "artifact", "paper.sh")
    assert failed.code == 1
    assert "missing.toml" in failed.stderr
    assert not (tmp_path / "artifact" / "bundle.json").exists()


def test_a_folder_with_other_files_is_left_alone(
    tmp_path: Path, venice: Callable[..., Outcome]
) -> None:
    (tmp_path / "paper.sh").write_text("venice list\n")
    (tmp_path / "artifact").mkdir()
    (tmp_path / "artifact" / "mine.txt").write_text("mine")
    refused = venice("bundle", "artifact", "paper.sh")
    assert refused.code == 2
    assert [path.name for path in (tmp_path / "artifact").iterdir()] == ["mine.txt"]


def test_a_script_of_commands_is_read_as_it_was_written(tmp_path: Path) -> None:
    (tmp_path / "a.sh").write_text("venice run --title 'two words' \\\n  -o it\\'s.png\n")
    commands = read_commands(tmp_path / "a.sh")
    assert commands[0].words == ("run", "--title", "two words", "-o", "it's.png")
    (tmp_path / "b.sh").write_text(to_script(commands))
    assert [one.words for one in read_commands(tmp_path / "b.sh")] == [commands[0].words]
    with pytest.raises(UsageError, match="cannot be read"):
        read_commands(tmp_path / "missing.sh")
