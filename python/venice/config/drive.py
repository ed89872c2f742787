"""Base class of drives described in Python; the sections of a drive are generated classes."""

from __future__ import annotations

import json
import os
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar

from venice._native import ConfigError, drive_names
from venice.files import output
from venice.files.documents import DocumentError, is_file, parse_toml, read_toml
from venice.options.drives import drive_of
from venice.options.run_options import RunOptions
from venice.schema_classes import DescribedDrive
from venice.schema_classes.paths import path_from
from venice.schema_classes.section import Section
from venice.schema_classes.values import Sourced, to_toml

if TYPE_CHECKING:
    from collections.abc import Mapping

    from venice._native import Drive as ResolvedDrive

_T = TypeVar("_T", bound=Section)
_FILES = ("extends", "chip")


class DriveDescription(Section, DescribedDrive):
    """Drive that consists of a base drive and changed sections."""

    if TYPE_CHECKING:
        base: str | os.PathLike[str]
        name: Any

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "base", os.fspath(self.base))

    def __repr__(self) -> str:
        values = [repr(self.base), *(f"{name}={value!r}" for name, value in self._parts())]
        return f"Drive({', '.join(values)})"

    def starts_from(self) -> str:
        """Return the base drive; if there is none, the path of an empty file."""
        return str(self.base) or os.devnull

    def label(self) -> str:
        """Return the name of the drive, or its base and its changes."""
        name = str(self.name or "")
        return name or " ".join([str(self.base), *self.changes()]).strip()

    def on(self, base: str) -> Self:
        """Return a copy of the drive with another base."""
        return type(self)(**{**dict(self._set_values()), "base": base})

    def changes(self) -> list[str]:
        """Return the values that are set, as texts ``"key=value"``.

        Examples
        --------
        >>> import venice
        >>> venice.Drive(flash=venice.config.Flash(t_read_us=5)).changes()
        ['flash.t_read_us=5']
        """
        values = [(key, value) for key, value in self.items() if key != "base"]
        if not self.base and not self.name:
            values.insert(0, ("name", "drive"))
        return [f"{key}={to_toml(value)}" for key, value in values]

    def resolved(self) -> ResolvedDrive:
        """Resolve the drive: check every value and add the defaults.

        Raises
        ------
        ConfigError
            The message lists every problem of the configuration.
        """
        return drive_of(RunOptions(drive=self))

    def complete(self) -> Self:
        """Return the drive with all values set, including those of its base and defaults.

        Raises
        ------
        ConfigError
            The message lists every problem of the configuration.

        Examples
        --------
        >>> import venice
        >>> venice.Drive("venice-performance").complete().flash.t_read_us
        3
        """
        return _built(type(self), {"base": "", **json.loads(self.resolved().to_json())})

    def to_toml(self) -> str:
        """Return the drive as TOML text, with its base and the values that are set.

        Examples
        --------
        >>> import venice
        >>> print(venice.Drive("tlc", flash=venice.config.Flash(t_read_us=5)).to_toml(), end="")
        extends = "tlc"
        <BLANKLINE>
        [flash]
        t_read_us = 5
        """
        return self._file({"extends": self.base, **dict(self.items())})

    def _file(self, values: Mapping[str, object]) -> str:
        """Return the text of a drive file with the given keys and values."""
        tables: dict[str, list[str]] = {"": []}
        for key, value in values.items():
            table, _, name = key.rpartition(".")
            if key != "base" and (key != "extends" or value):
                tables.setdefault(table, []).append(f"{name} = {to_toml(value)}")
        texts = ["\n".join([f"[{table}]"] * bool(table) + lines) for table, lines in tables.items()]
        return "\n\n".join(text for text in texts if text) + "\n"

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the drive to a file, which ``--drive`` and :meth:`load` read.

        Paths in the file are relative to its folder.

        Raises
        ------
        OutputError
            If the file cannot be written.
        """
        file = Path(path)
        values = {"extends": self.base, **dict(self.items())}
        for key in _FILES:
            name = values.get(key)
            if isinstance(name, str) and _is_file(Path(), name):
                values[key] = path_from(file.parent, name)
        with output.create(file) as written:
            written.write(self._file(values).encode())

    @classmethod
    def from_toml(cls, text: str) -> Self:
        """Return the drive of a TOML text; paths in it are relative to the working folder.

        Raises
        ------
        ConfigError
            If the text is not TOML, or has a key that does not exist.
        """
        try:
            content = parse_toml(text)
        except DocumentError as error:
            raise ConfigError(f"error: the text {error}") from None
        return cls._of(content)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Return the drive of a TOML file.

        Raises
        ------
        ConfigError
            The message lists every problem of the file, and of the drive.
        """
        # Messages of this call state the file and the line.
        drive_of(RunOptions(drive=path))
        file = Path(path)
        try:
            content = read_toml(file)
        except DocumentError as error:
            raise ConfigError(f"error: {path}: {error}") from None
        for key in _FILES:
            if key in content:
                content[key] = _beside(file.parent, content[key])
        # Texts of an extended file, such as its description, are not part of this file.
        about = {"name": file.stem, "description": "", "source": ""}
        return cls._of({**about, **content})

    @classmethod
    def _of(cls, content: Mapping[str, Any]) -> Self:
        base = _plain(content.get("extends", ""))
        return _built(cls, {**{k: v for k, v in content.items() if k != "extends"}, "base": base})

    def _parts(self) -> list[tuple[str, Any]]:
        return [(name, value) for name, value in self._set_values() if name != "base"]


def _built(kind: type[_T], table: Mapping[str, Any]) -> _T:
    """Return a section of class `kind` with the values of a TOML table."""
    defaults = {field.name: field.default for field in fields(kind)}
    values: dict[str, Any] = {}
    for name, value in table.items():
        default = defaults.get(name)
        is_table = isinstance(value, dict)
        if is_table and isinstance(default, Section):
            values[name] = _built(type(default), value)
        elif is_table and set(value) == {"value", "source"}:
            values[name] = Sourced(value["value"], value["source"])
        else:
            values[name] = _plain(value)
    return kind(**values)


def _plain(value: Any) -> Any:  # noqa: ANN401 any TOML value
    return value["value"] if isinstance(value, dict) and set(value) == {"value"} else value


def _beside(folder: Path, name: Any) -> Any:  # noqa: ANN401 any TOML value
    """Convert a path relative to a file's `folder` to one relative to the working folder."""
    text = _plain(name)
    return str(folder / text) if isinstance(text, str) and _is_file(folder, text) else name


def _is_file(folder: Path, name: str) -> bool:
    """Return true if a name is a path, not a built-in drive or chip."""
    return name not in drive_names() and is_file(folder / name)
