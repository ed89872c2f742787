"""SHA-256 digests of files, computed so that equal runs have equal digests."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from venice.report.validation import OF_THE_COMPUTER
from venice.sweep.store.database import FILE_NAME

if TYPE_CHECKING:
    from collections.abc import Iterable

_PICTURES = (".pdf", ".png", ".svg", ".html")
"""Files whose bytes depend on versions of other packages."""
_STORE = (FILE_NAME, f"{FILE_NAME}-wal", f"{FILE_NAME}-shm")


def digest_of(path: Path) -> str:
    """Return the SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def digest_of_result(path: Path) -> str:
    """Return the SHA-256 digest of a result file; for JSON, without wall time and build."""
    if path.suffix != ".json":
        return digest_of(path)
    content = _without_computer(json.loads(path.read_bytes()))
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def is_picture(name: str) -> bool:
    """Return true if a file's contents may depend on the versions of drawing packages."""
    return Path(name).suffix in _PICTURES


def files_in(folder: Path, *, besides: Iterable[str] = ()) -> list[str]:
    """Return the sorted relative paths of a folder's files, without the databases of results."""
    left_out = frozenset(besides)
    names = (
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if path.is_file() and path.name not in _STORE
    )
    return sorted(name for name in names if name not in left_out)


def stores_in(folder: Path) -> list[Path]:
    """Return the folders that contain a database of results."""
    return sorted(path.parent for path in folder.rglob(FILE_NAME))


def _without_computer(value: Any) -> Any:  # noqa: ANN401 any JSON value
    if isinstance(value, list):
        return [_without_computer(one) for one in value]
    if isinstance(value, dict):
        return {
            key: _without_computer(one) for key, one in value.items() if key not in OF_THE_COMPUTER
        }
    return value
