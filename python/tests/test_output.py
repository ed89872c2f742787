"""Files come into being whole or not at all."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

import pytest

import venice
from venice.output import OutputError, create

if TYPE_CHECKING:
    from pathlib import Path


def test_a_file_appears_at_the_end(tmp_path: Path) -> None:
    path = tmp_path / "out"
    with create(path) as file:
        file.write(b"new")
        assert not path.exists()
    assert path.read_bytes() == b"new"
    assert list(tmp_path.iterdir()) == [path]


def test_a_failure_leaves_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "out"
    path.write_bytes(b"old")

    def fail() -> None:
        with create(path) as file:
            file.write(b"new")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "real")
    with create(tmp_path / "link") as file:
        file.write(b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_bytes() == b"new"


def test_the_users_mask_is_obeyed(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        with create(tmp_path / "out"):
            pass
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "out").stat().st_mode) == 0o640


def test_a_device_is_written_to_directly(tmp_path: Path) -> None:
    (tmp_path / "device").symlink_to("/dev/full")
    with pytest.raises(OutputError, match="No space left"), create(tmp_path / "device") as file:
        file.write(b"new")


def test_a_path_that_cannot_be_is_refused_at_once(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "none" / "out"):
        with pytest.raises(venice.UsageError), create(path):
            pytest.fail("the block was entered")
