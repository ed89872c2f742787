"""Replacement of renamed keys in files of drives, workloads, sweeps and explorations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from venice._native import UsageError, renamed_keys
from venice.files.documents import DocumentError, parse_toml, read_text
from venice.files.open_errors import unreadable
from venice.files.output import create
from venice.migration.keys import (
    KeyTakenError,
    rename_in_settings,
    rename_in_tables,
    rename_keys,
)
from venice.options.file_kinds import kind_of_file

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_EXPECTED = "a drive, workload, sweep or exploration in TOML"
_AXES, _SCENARIO = "axis", "scenario"


@dataclass(frozen=True)
class Migration:
    """File and its text with renamed keys replaced.

    Attributes
    ----------
    path
        Path of the file.
    text
        Text with the current names.
    renamed
        Old and current name of each renamed key.
    """

    path: Path
    text: str
    renamed: tuple[tuple[str, str], ...]

    def write(self) -> None:
        """Write the new text to the file, if a key was renamed.

        Raises
        ------
        OutputError
            If the file cannot be written.
        """
        if self.renamed:
            with create(self.path) as file:
                file.write(self.text.encode())


def migration_of(path: Path) -> Migration:
    """Return the migration of a file, without writing it.

    Raises
    ------
    UsageError
        If the file cannot be read, is not TOML, or has a key under both names.
    """
    try:
        text = read_text(path)
        content = parse_toml(text)
    except OSError as error:
        raise UsageError(f"{path}: {unreadable(error, _EXPECTED)}") from None
    except DocumentError as error:
        raise UsageError(f"{path}: {error}; expected: {_EXPECTED}") from None
    try:
        return _migrated(path, text, content)
    except KeyTakenError as error:
        raise UsageError(f"{path}: {error}; expected: one of them; delete the other") from None


def _migrated(path: Path, text: str, content: Mapping[str, object]) -> Migration:
    renames = renamed_keys()
    if _AXES in content or _SCENARIO in content:
        names = renames.get("drive", {})
        with_axes, on_axes = rename_in_tables(text, _AXES, names)
        new, in_sets = rename_in_settings(with_axes, [_SCENARIO, "sets"], names)
        found = [*on_axes, *in_sets]
    else:
        names = renames.get(kind_of_file(str(path)) or "drive", {})
        new, found = rename_keys(text, names)
    return Migration(path, new, tuple((old, names[old]) for old in found))
