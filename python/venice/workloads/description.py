"""Base classes of workloads described in Python; their parts are generated classes."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

from venice._native import UsageError, WorkloadError, complete_workload
from venice.files import output
from venice.files.documents import DocumentError, parse_toml, read_toml
from venice.options.named_files import check_workload
from venice.schema_classes import DescribedWorkload
from venice.schema_classes.paths import path_from
from venice.schema_classes.section import Section
from venice.schema_classes.values import to_toml
from venice.workloads.build import built

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from venice.schema_classes import WorkloadText

_TEXTS = {"description": "described in Python", "source": "the program that describes it"}
"""Texts of a workload that has no base and does not state its own."""


class Description(Section, DescribedWorkload):
    """Workload that consists of a base and changed values."""

    IS_MIX: ClassVar[bool] = False
    """True for a mix of several flows."""

    if TYPE_CHECKING:
        base: str | os.PathLike[str]
        name: str | None

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "base", os.fspath(self.base))

    def __repr__(self) -> str:
        values = [f"{name}={value!r}" for name, value in self._set_values() if name != "base"]
        base = [repr(self.base)] * bool(self.base)
        return f"{type(self).__name__}({', '.join([*base, *values])})"

    def label(self) -> str:
        """Return the name of the workload, or its base and its changes."""
        if self.name:
            return self.name
        base = Path(self.base)
        start = base.stem if base.suffix == ".toml" else str(self.base)
        changes = [f"{key}={to_toml(self.in_label(value))}" for key, value in self._own()]
        return " ".join([start, *changes]) if start else "workload"

    def labelled_toml(self) -> WorkloadText:
        """Return the workload's label, and its definition in TOML."""
        return self.label(), self.to_toml()

    def content(self) -> str:
        """Return the complete definition as JSON, checked by the engine.

        Raises
        ------
        WorkloadError
            If the definition is invalid.
        """
        return complete_workload(self.labelled_toml())

    def complete(self) -> Self:
        """Return the workload with all values set, including those of its base and defaults.

        Raises
        ------
        WorkloadError
            If the definition is invalid.
        UsageError
            If the definition is a mix but the class is that of a single flow, or the reverse.

        Examples
        --------
        >>> import venice
        >>> venice.Workload("random-read", requests=10).complete().closed_loop_depth
        16
        """
        return self._of(json.loads(self.content()))

    def to_toml(self) -> str:
        """Return the workload as the text of a TOML file, with its base and its own values.

        Examples
        --------
        >>> import venice
        >>> from venice.workloads import Address, FixedBytes, Zipf
        >>> mine = venice.Workload(
        ...     "random-read", size=FixedBytes(512), address=Address(pattern=Zipf(theta=0.9))
        ... )
        >>> print(mine.to_toml(), end="")
        extends = "random-read"
        size = { fixed_bytes = 512 }
        address.pattern = { zipf = { theta = 0.9 } }
        """
        return self._file(str)

    def _file(self, named: Callable[[str], str]) -> str:
        """Return the text of a workload file; `named` converts names and paths."""
        values = self.in_file(named)
        return "".join(f"{key} = {to_toml(value)}\n" for key, value in values.items())

    def in_file(self, named: Callable[[str], str]) -> dict[str, object]:
        """Return the keys and values for a workload file; `named` converts names and paths."""
        values = {key: value for key, value in self.items() if key != "base"}
        if self.base:
            return {"extends": named(str(self.base)), **values}
        return {**_TEXTS, "synthetic": True, **values}

    def in_label(self, value: object) -> object:
        """Return the form of a value in labels."""
        return value

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the workload to a file, which ``--workload`` and :meth:`load` read.

        Paths in the file are relative to its folder.

        Raises
        ------
        OutputError
            If the file cannot be written.
        """
        file = Path(path)
        text = self._file(lambda name: path_from(file.parent, name) if _is_path(name) else name)
        with output.create(file) as written:
            written.write(text.encode())

    @classmethod
    def from_toml(cls, text: str) -> Self:
        """Return the workload of a TOML text; paths in it are relative to the working folder.

        Raises
        ------
        WorkloadError
            If the text is not TOML, or has a key that does not exist.
        """
        try:
            content = parse_toml(text)
        except DocumentError as error:
            raise WorkloadError(f"error: the text {error}") from None
        return cls._of(content)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Return the workload of a TOML file.

        Raises
        ------
        WorkloadError
            The message states the problem and its line.
        """
        # Messages of this call state the file and the line.
        check_workload(path)
        complete_workload(os.fspath(path))
        file = Path(path)
        try:
            content = read_toml(file)
        except DocumentError as error:
            raise WorkloadError(f"error: {path}: {error}") from None
        return cls._of({"name": file.stem, **_found(content, file.parent)})

    @classmethod
    def _of(cls, content: Mapping[str, Any]) -> Self:
        if ("flows" in content) is not cls.IS_MIX and "extends" not in content:
            one, other = ("a mix", "Workload") if cls.IS_MIX else ("a workload of one flow", "Mix")
            raise UsageError(f"this is not {one}; venice.{other} reads it")
        return built(cls, content)

    def _own(self) -> Iterator[tuple[str, object]]:
        """Yield the keys and values in which the workload differs from its base."""
        texts = ("base", "name", "description", "source")
        return ((key, value) for key, value in self.items() if key not in texts)


class MixDescription(Description):
    """Mix of flows, which are names of workloads or descriptions."""

    IS_MIX = True

    if TYPE_CHECKING:
        flows: Sequence[str | os.PathLike[str] | Description] | None

    def in_file(self, named: Callable[[str], str]) -> dict[str, object]:
        """Return the keys and values of a workload file.

        A flow that is a file is written as the name that ``named`` returns for it, other flows as
        their values.
        """
        values = super().in_file(named)
        if self.flows is not None:
            values["flows"] = [_flow(flow, named) for flow in self.flows]
        return values

    def in_label(self, value: object) -> object:
        """Return the form of a value in labels; for a flow, its name."""
        if isinstance(value, tuple):
            return tuple(map(self.in_label, value))
        if isinstance(value, Description):
            return value.label()
        return os.fspath(value) if isinstance(value, os.PathLike) else value


def _flow(
    flow: str | os.PathLike[str] | Description, named: Callable[[str], str]
) -> str | dict[str, object]:
    """Return the form of a flow in the file of a mix."""
    if isinstance(flow, Description):
        return {**flow.in_file(named), "name": flow.label()}
    return named(os.fspath(flow))


def _is_path(name: str) -> bool:
    """Return true if a name is a path according to the engine's rule."""
    return Path(name).suffix.lower() in (".toml", ".fio")


def _found(content: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """Return the contents of a file, with paths converted to be relative to the working folder."""
    found = dict(content)
    if _is_path(found.get("extends", "")):
        found["extends"] = str(folder / found["extends"])
    if "flows" in found:
        found["flows"] = [_found_flow(flow, folder) for flow in found["flows"]]
    return found


def _found_flow(flow: str | Mapping[str, Any], folder: Path) -> str | dict[str, Any]:
    if isinstance(flow, str):
        return str(folder / flow) if _is_path(flow) else flow
    return _found(flow, folder)
