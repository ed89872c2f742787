"""Conversion of paths in files, which are relative to the folder of the file."""

from __future__ import annotations

import os
from pathlib import Path


def path_from(folder: Path, path: str) -> str:
    """Convert a path relative to the working folder to one relative to another folder.

    Examples
    --------
    >>> path_from(Path("mine/loads"), "mine/base.toml")
    '../base.toml'
    """
    if Path(path).is_absolute():
        return path
    try:
        return Path(os.path.relpath(path, folder)).as_posix()
    except ValueError:
        # On another drive of Windows.
        return str(Path(path).absolute())
