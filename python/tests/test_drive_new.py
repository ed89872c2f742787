"""Drive files that are made from the figures of a data sheet."""

from __future__ import annotations

import json
import re
import tomllib
from typing import TYPE_CHECKING

import pytest

from venice import UsageError, resolve
from venice.cli import drive as drive_command

from .slow import nightly_among

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from .conftest import Outcome

SHEETS = {
    "tlc": (
        *("--capacity-gb", "960", "--sequential-read", "6500", "--sequential-write", "2000"),
        *("--random-read", "600000", "--random-write", "90000", "--read-us", "80"),
        *("--write-us", "12", "--read-range-gb", "8"),
    ),
    "slc": (
        *("--capacity-gb", "800", "--sequential-read", "6400", "--sequential-write", "4000"),
        *("--random-read", "865000", "--random-write", "495000", "--write-us", "15"),
    ),
}


@pytest.mark.parametrize("cells", nightly_among(SHEETS, ("tlc",)))
def test_new_drive_meets_its_sheet(
    cells: str, tmp_path: Path, venice: Callable[..., Outcome]
) -> None:
    file = str(tmp_path / "drive.toml")
    made = venice("drive", "new", "--name", "made", "--cells", cells, *SHEETS[cells], "-o", file)
    assert made.code == 0, made.stderr
    stated = 8_000_000_000 if "--read-range-gb" in SHEETS[cells] else 0
    assert json.loads(resolve(file).to_json())["sheet"]["random_read_range_bytes"] == stated
    checked = venice("drive", "check", file, "--json")
    assert checked.code == 0, checked.stderr
    rows = [row for row in json.loads(checked.stdout) if row["sheet"]]
    assert len(rows) >= 5
    for row in rows:
        for field, stated in row["sheet"].items():
            assert row[field] == pytest.approx(stated, rel=0.15), (row["load"], field)


def test_name_may_contain_quotes_and_backslashes(
    tmp_path: Path, venice: Callable[..., Outcome]
) -> None:
    file = tmp_path / "drive.toml"
    name = 'My "fast" C:\\drive'
    made = venice("drive", "new", "--name", name, "--cells", "slc", *SHEETS["slc"], "-o", str(file))
    assert made.code == 0, made.stderr
    assert tomllib.loads(file.read_text(encoding="utf-8"))["name"] == name


def test_missing_figures_are_named(tmp_path: Path, venice: Callable[..., Outcome]) -> None:
    file = tmp_path / "drive.toml"
    made = venice("drive", "new", "--name", "x", "--capacity-gb", "100", "-o", str(file))
    assert made.code == 2
    assert "--random-read" in made.stderr
    assert not file.exists()


SMALL = ("--cells", "slc", "--sequential-read", "3000", "--sequential-write", "1000")


def test_a_prompt_explains_a_wrong_answer_and_the_end_of_the_input(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    answers = iter(["abc", "-1", "960"])
    monkeypatch.setattr("builtins.input", lambda _prompt: next(answers))
    assert drive_command.prompt_for_figure("capacity_gb", None) == 960
    assert capsys.readouterr().err.count("expected: a number above 0") == 2

    def end(_prompt: str) -> str:
        raise EOFError

    monkeypatch.setattr("builtins.input", end)
    with pytest.raises(UsageError, match="the input ended before `--capacity-gb`"):
        drive_command.prompt_for_figure("capacity_gb", None)


@pytest.mark.parametrize("capacity", ["1", "5"])
def test_a_drive_that_cannot_work_is_refused_with_a_capacity_that_works(
    capacity: str, tmp_path: Path, venice: Callable[..., Outcome]
) -> None:
    file = tmp_path / "drive.toml"
    figures = ("--name", "x", *SMALL, "--random-read", "500000", "-o", str(file))
    made = venice("drive", "new", *figures, "--capacity-gb", capacity)
    assert made.code == 2
    assert not file.exists()
    found = re.search(r"expected: `--capacity-gb` of (\S+) or more \(got (\d+)\)", made.stderr)
    assert found is not None, made.stderr
    assert found[2] == capacity
    assert float(found[1]) < 6.5
    assert venice("drive", "new", *figures, "--capacity-gb", found[1]).code == 0
    resolve(str(file))


def test_figures_that_cannot_be_reached_are_named(
    tmp_path: Path, venice: Callable[..., Outcome]
) -> None:
    file = str(tmp_path / "drive.toml")
    rates = ("--sequential-read", "3000", "--sequential-write", "4000", "--random-read", "800000")
    common = ("drive", "new", "--name", "x", "--capacity-gb", "960", "-o", file)
    beyond = venice(
        *common, *rates, "--random-write", "900000", "--read-us", "5", "--write-us", "1"
    )
    assert beyond.code == 0, beyond.stderr
    for option in ("sequential-write", "random-read", "random-write", "read-us", "write-us"):
        assert beyond.stderr.count(f"the drive cannot reach `--{option}`") == 1, option
    assert "`--random-read` 800,000 IOPS: at most 732,422 IOPS" in beyond.stderr
    assert venice(*common, "--force", *SHEETS["tlc"][2:]).stderr == ""


def test_random_reads_that_the_dies_limit_are_named(
    tmp_path: Path, venice: Callable[..., Outcome]
) -> None:
    rates = ("--capacity-gb", "960", "--sequential-read", "6500", "--sequential-write", "2000")
    file = str(tmp_path / "drive.toml")
    made = venice("drive", "new", "--name", "x", *rates, "--random-read", "1100000", "-o", file)
    # 64 planes of 50 us would allow 1,280,000.
    message = r"cannot reach `--random-read` 1,100,000 IOPS: 8\d\d,\d{3} IOPS with 256 .* the chips"
    assert re.search(message, made.stderr), made.stderr


def test_an_existing_drive_file_is_kept_without_force(
    tmp_path: Path, venice: Callable[..., Outcome]
) -> None:
    file = tmp_path / "drive.toml"
    file.write_text("mine")
    command = ("drive", "new", "--name", "x", *SHEETS["tlc"], "-o", str(file))
    refused = venice(*command)
    assert refused.code == 2
    assert "exists" in refused.stderr
    assert "--force" in refused.stderr
    assert file.read_text() == "mine"
    assert venice(*command, "--force").code == 0
    assert "Written by" in file.read_text()
