"""Atomic output files, which are either complete or absent.

A file is opened before a run starts, so that a path that cannot be written is reported at once.
Data goes to a temporary file in the same folder, which is renamed at the end. Messages quote a path
as the user wrote it.
"""

from __future__ import annotations

import io
import os
import stat
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, cast

from venice._native import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from _typeshed import ReadableBuffer

_SHOWN_NAME_CHARS = 32
_CHUNK_BYTES = 1 << 20
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL
_OWNER_ALONE = 0o600


class OutputError(OSError):
    """Failure to write a file completely, for example because the disk is full."""


@contextmanager
def create(path: str | Path) -> Iterator[BinaryIO]:
    """Open a file for writing.

    If the ``with`` block ends normally, the file replaces an existing one; after an exception the
    existing one stays. Devices and pipes are written directly. The new file has the mode and owner
    of the old one. A file with several hard links is overwritten in place, so that it keeps its
    links.

    Raises
    ------
    UsageError
        At once, if the path cannot be written.
    OutputError
        Later, if the data cannot be written.
    """
    shown, target = _destination(path)
    if _is_direct(shown, target):
        with _open(shown, Path(shown), os.O_WRONLY) as file:
            yield file
        return
    with _neighbour(shown, target) as neighbour, _open(shown, neighbour.path, _NEW) as file:
        neighbour.prepare()
        yield file


@contextmanager
def create_by_path(path: str | Path) -> Iterator[str]:
    """Yield the path of a temporary file, which replaces `path` after the block.

    Raises
    ------
    UsageError
        At once, if the path cannot be written.
    OutputError
        Later, if the data cannot be written.
    """
    shown, target = _destination(path)
    if _is_direct(shown, target):
        yield shown
        return
    with _neighbour(shown, target) as neighbour:
        _open(shown, neighbour.path, _NEW).close()
        mode = neighbour.path.stat().st_mode
        yield str(neighbour.path)
        # The writer may have replaced the file.
        neighbour.path.chmod(stat.S_IMODE(mode))
        neighbour.prepare()


def _destination(path: str | Path) -> tuple[str, Path]:
    """Return a path as the user wrote it, and the path with symbolic links resolved."""
    shown = os.fspath(path) or os.curdir
    # `Path.resolve` raises for a loop of links, which the writer is to report.
    return shown, Path(os.path.realpath(shown))


@contextmanager
def _neighbour(shown: str, target: Path) -> Iterator[_Neighbour]:
    """Yield a temporary file that replaces `target` unless the ``with`` block raises."""
    name = f".{target.name[:_SHOWN_NAME_CHARS]}.{os.urandom(4).hex()}"
    neighbour = _Neighbour(shown, target.with_name(name), target)
    try:
        yield neighbour
        neighbour.replace()
    finally:
        # An error here, such as on a read-only file system, would hide the first error.
        with suppress(OSError):
            neighbour.path.unlink()


class _Neighbour:
    """Temporary file in the folder of its target, the file that it will replace."""

    def __init__(self, shown: str, path: Path, target: Path) -> None:
        self.path = path
        self._shown = shown
        self._target = target
        self._before = _status(target)
        self._keeps_file = self._before is not None and self._before.st_nlink > 1
        """True if the target keeps its inode and only its contents are replaced."""
        if self._keeps_file:
            self._require_writable()

    def prepare(self) -> None:
        """Set owner and mode to those of the target."""
        before = self._before
        if before is None:
            return
        now = self.path.stat()
        if (now.st_uid, now.st_gid) != (before.st_uid, before.st_gid):
            try:
                os.chown(self.path, before.st_uid, before.st_gid)
            except OSError:
                self._require_writable()
                self._keeps_file = True
        self.path.chmod(_OWNER_ALONE if self._keeps_file else stat.S_IMODE(before.st_mode))

    def replace(self) -> None:
        """Rename the temporary file to the target, or copy its contents there."""
        try:
            if self._keeps_file:
                overwrite(self.path, self._target)
            else:
                self.path.replace(self._target)
        except OSError as error:
            raise _failed(self._shown, error) from None

    def _require_writable(self) -> None:
        """Refuse a target whose hard links or owner could not be preserved."""
        _open(self._shown, self._target, os.O_WRONLY).close()


def overwrite(source: Path, target: Path) -> None:
    """Replace the contents of a file, after reserving the disk space."""
    with source.open("rb", buffering=0) as new, target.open("r+b", buffering=0) as old:
        length, before = os.fstat(new.fileno()).st_size, os.fstat(old.fileno()).st_size
        if length > before and hasattr(os, "posix_fallocate"):
            try:
                os.posix_fallocate(old.fileno(), 0, length)
            except OSError:
                old.truncate(before)
                raise
        while chunk := new.read(_CHUNK_BYTES):
            written = 0
            while written < len(chunk):
                written += old.write(chunk[written:])
        old.truncate(length)


def _is_direct(shown: str, target: Path) -> bool:
    """Return true for a device or pipe, which is written directly; refuse a folder.

    The path of an open pipe, such as ``/dev/stdout`` or ``/dev/fd/63``, cannot be resolved.
    """
    try:
        status = _status(Path(shown))
        mode = 0 if status is None else status.st_mode
        if stat.S_ISFIFO(mode) or stat.S_ISCHR(mode) or stat.S_ISSOCK(mode):
            return True
        if stat.S_ISDIR(mode):
            raise UsageError(f"{shown}: is a folder; expected: a file; name a file in it")
        if not _is_folder(target.parent):
            folder = Path(shown).parent
            raise UsageError(f"{shown}: the folder `{folder}` does not exist; create it first")
    except OSError as error:
        raise UsageError(f"{shown}: cannot be written: {error.strerror}") from None
    return status is not None and not stat.S_ISREG(mode)


def _is_folder(path: Path) -> bool:
    """Return true for a folder; unlike :meth:`Path.is_dir`, raise all errors."""
    status = _status(path)
    return status is not None and stat.S_ISDIR(status.st_mode)


def _status(path: Path) -> os.stat_result | None:
    """Return the status of a file; ``None`` if it does not exist."""
    try:
        return path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return None


def _open(shown: str, path: Path, flags: int) -> BinaryIO:
    try:
        handle = os.open(path, flags, 0o666)  # the umask reduces this mode, as usual
    except OSError as error:
        raise UsageError(f"{shown}: cannot be written: {error.strerror}") from None
    return cast("BinaryIO", io.BufferedWriter(_NamedFile(handle, shown)))


def _failed(shown: str, error: OSError) -> OutputError:
    return OutputError(f"{shown}: could not be written: {error.strerror}")


class _NamedFile(io.FileIO):
    """File whose write errors contain its name."""

    def __init__(self, handle: int, shown: str) -> None:
        super().__init__(handle, "wb")
        self._shown = shown

    def write(self, data: ReadableBuffer, /) -> int:
        try:
            return super().write(data)
        except OSError as error:
            raise _failed(self._shown, error) from None
