"""Output files are complete or absent."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

import pytest

import venice
from venice.files.output import OutputError, create

if TYPE_CHECKING:
    from pathlib import Path


def test_a_file_appears_at_the_end(tmp_path: Path) -> None:
    path = tmp_path / "out"
    with create(path) as file:
        file.write(b"new")
        assert not path.exists()
    assert path.read_bytes() == b"new"
    assert list(tmp_path.iterdir()) == [path]


def test_a_failure_leaves_the_existing_file(tmp_path: Path) -> None:
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


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o444, 0o755])
def test_a_file_that_is_replaced_passes_its_mode_on(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "out"
    path.write_bytes(b"old")
    path.chmod(mode)
    with create(path) as file:
        (neighbour,) = set(tmp_path.iterdir()) - {path}
        assert stat.S_IMODE(neighbour.stat().st_mode) == mode
        file.write(b"new")
    assert path.read_bytes() == b"new"
    assert stat.S_IMODE(path.stat().st_mode) == mode


@pytest.mark.skipif(os.geteuid() != 0, reason="another owner is given by the superuser alone")
def test_a_file_that_is_replaced_passes_its_owner_on(tmp_path: Path) -> None:
    path = tmp_path / "out"
    path.write_bytes(b"old")
    os.chown(path, 1234, 4321)
    with create(path) as file:
        file.write(b"new")
    assert (path.stat().st_uid, path.stat().st_gid) == (1234, 4321)


def test_an_owner_that_cannot_be_passed_on_keeps_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "out"
    path.write_bytes(b"old")
    if os.geteuid() != 0:
        pytest.skip("another owner is given by the superuser alone")
    os.chown(path, 1234, 4321)

    def refuse(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "chown", refuse)
    with create(path) as file:
        file.write(b"new")
    assert path.read_bytes() == b"new"
    assert path.stat().st_uid == 1234


@pytest.mark.parametrize("new", [b"", b"new", b"longer than what was there"])
def test_a_hard_link_stays_one(tmp_path: Path, new: bytes) -> None:
    path, other = tmp_path / "out", tmp_path / "other"
    path.write_bytes(b"what was there")
    path.chmod(0o600)
    other.hardlink_to(path)
    with create(path) as file:
        file.write(new)
    assert other.samefile(path)
    assert other.read_bytes() == new
    assert set(tmp_path.iterdir()) == {path, other}


def test_a_failure_leaves_a_hard_link_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, other = tmp_path / "out", tmp_path / "other"
    path.write_bytes(b"old")
    other.hardlink_to(path)

    def refuse(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "posix_fallocate", refuse)
    with pytest.raises(OutputError, match="No space left"), create(path) as file:
        file.write(b"new contents")
    assert other.read_bytes() == b"old"
    assert set(tmp_path.iterdir()) == {path, other}


def test_a_state_keeps_mode_and_links_of_the_file_before(tmp_path: Path) -> None:
    path, other = tmp_path / "state", tmp_path / "other"
    path.write_bytes(b"old")
    path.chmod(0o640)
    other.hardlink_to(path)
    before = os.umask(0o077)
    try:
        for state in (path, tmp_path / "new"):
            venice.run(workload="random-read", requests=0, save_state=state)
    finally:
        os.umask(before)
    assert other.samefile(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o600
    assert path.read_bytes() == (tmp_path / "new").read_bytes()
    assert set(tmp_path.iterdir()) == {path, other, tmp_path / "new"}


def test_an_open_pipe_is_written_by_the_path_of_its_descriptor() -> None:
    reading, writing = os.pipe()
    try:
        with create(f"/dev/fd/{writing}") as file:
            file.write(b"new")
        assert os.read(reading, 100) == b"new"
    finally:
        os.close(reading)
        os.close(writing)
