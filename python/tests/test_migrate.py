"""``venice migrate``: old names of keys are replaced by present ones."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING

import pytest

from venice._native import renamed_keys
from venice.migration.keys import KeyTakenError, rename_in_settings, rename_in_tables, rename_keys

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from .conftest import Outcome


NAMES = {"fabric.venice.hold": "fabric.hold", "old.far.key": "present.key"}

DRIVE = """\
# The mesh of the paper.
extends = "venice-performance"

[fabric]
name = "venice"      # a mesh

[fabric.venice]
# Circuits are held
# for whole operations.
hold = "operation"   # section 4.2
back_off_ns = 5

[flash]
t_read_us = 3
"""
MIGRATED = """\
# The mesh of the paper.
extends = "venice-performance"

[fabric]
name = "venice"      # a mesh
# Circuits are held
# for whole operations.
hold = "operation"   # section 4.2

[fabric.venice]
back_off_ns = 5

[flash]
t_read_us = 3
"""


def test_comments_and_layout_of_other_keys_stay() -> None:
    assert rename_keys(DRIVE, NAMES) == (MIGRATED, ["fabric.venice.hold"])


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("fabric.venice.hold = 1\nfabric.name = 2\n", "fabric.hold = 1\nfabric.name = 2\n"),
        ("[fabric.venice]\nhold = 1\n\n[flash]\na = 2\n", "[fabric]\nhold = 1\n\n[flash]\na = 2\n"),
        ("[fabric]\nvenice.hold = 1 # all\nname = 2\n", "[fabric]\nname = 2\nhold = 1 # all\n"),
        ("a = 0\r\n[fabric.venice]\r\nhold = 1\r\n", "a = 0\r\n[fabric]\r\nhold = 1\r\n"),
        ("[old.far]\nkey = 1", "\n[present]\nkey = 1\n"),
        ("[fabric]\nname = 2\n", "[fabric]\nname = 2\n"),
    ],
)
def test_a_key_moves_to_the_table_of_its_present_name(before: str, after: str) -> None:
    assert rename_keys(before, NAMES)[0] == after


@pytest.mark.parametrize(
    "text",
    [
        "[fabric]\nvenice = { hold = 1, retry = 2 }\nname = 3\n",
        "fabric = { venice = { hold = 1 }, name = 3 }\n",
        "fabric = { venice = { hold = 1 } }",
        "[flash]\na = 1\n[fabric.venice]\nhold = { value = 1, source = 's' }\n[fabric.mesh]\nx = 1",
        "[fabric.venice]\nhold = 1\n[fabric]\nname = 3",
        "[fabric.mesh]\nx = 1\n[other]\ny = 2\n[fabric.venice]\nhold = [\n  1, # one\n]\n",
    ],
)
def test_all_values_stay(text: str) -> None:
    expected = tomllib.loads(text)
    hold = expected["fabric"]["venice"].pop("hold")
    if not expected["fabric"]["venice"]:
        del expected["fabric"]["venice"]
    expected["fabric"]["hold"] = hold
    assert tomllib.loads(rename_keys(text, NAMES)[0]) == expected


def test_a_key_under_both_names_is_refused() -> None:
    with pytest.raises(KeyTakenError):
        rename_keys("[fabric]\nhold = 1\nvenice.hold = 2\n", NAMES)


def test_axes_and_settings_of_sweeps_are_renamed() -> None:
    axis = '[[axis]]\n"fabric.venice.hold" = ["a", "b"]  # both\n'
    assert rename_in_tables(axis, "axis", NAMES)[0] == axis.replace("venice.hold", "hold")
    sets = 'scenario.sets = ["fabric.venice.hold=a", "flash.t_read_us=3"] # two\n'
    renamed = rename_in_settings(sets, ["scenario", "sets"], NAMES)[0]
    assert renamed == sets.replace("venice.hold", "hold")


@pytest.fixture
def outdated(tmp_path: Path) -> Path:
    """Return a drive's file with an old name of a key."""
    file = tmp_path / "mine.toml"
    file.write_text(DRIVE)
    return file


def test_the_engine_accepts_a_migrated_drive(
    venice: Callable[..., Outcome], outdated: Path
) -> None:
    refused = venice("config", "show", "--drive", outdated)
    assert refused.code == 2
    assert "renamed to `fabric.hold`" in refused.stderr
    assert "venice migrate" in refused.stderr
    found = venice("migrate", outdated)
    assert (found.code, found.stdout) == (
        0,
        f"{outdated}: fabric.venice.hold → fabric.hold\n1 of 1 file changed\n",
    )
    shown = venice("config", "show", "--drive", outdated)
    assert shown.code == 0
    assert tomllib.loads(shown.stdout)["fabric"]["hold"] != "transfer"


def test_check_writes_nothing(venice: Callable[..., Outcome], outdated: Path) -> None:
    assert venice("migrate", "--check", outdated).code == 1
    assert outdated.read_text() == DRIVE
    assert venice("migrate", outdated).code == 0
    assert venice("migrate", "--check", outdated).code == 0


def test_nothing_is_written_if_a_file_is_wrong(
    venice: Callable[..., Outcome], outdated: Path
) -> None:
    wrong = outdated.with_name("wrong.toml")
    wrong.write_text("[fabric")
    refused = venice("migrate", outdated, wrong)
    assert refused.code == 2
    assert refused.stderr.startswith("error: ")
    assert f"  --> {wrong}" in refused.stderr
    assert outdated.read_text() == DRIVE
    missing = venice("migrate", outdated.with_name("none.toml"))
    assert (missing.code, "there is no such file" in missing.stderr) == (2, True)


def test_present_names_are_keys_of_the_engine(venice: Callable[..., Outcome]) -> None:
    for present in renamed_keys()["drive"].values():
        assert venice("config", "explain", present).code == 0
