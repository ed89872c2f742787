"""What a workload that is described in Python can do; its parts are generated."""

from __future__ import annotations

import json
import os
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

from venice import output
from venice._native import UsageError, WorkloadError, complete_workload
from venice.described import DescribedWorkload
from venice.described.section import Section
from venice.described.values import to_toml
from venice.workloads.build import built

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from venice.described import Told

_TEXTS = {"description": "described in Python", "source": "the program that describes it"}
"""Of a workload that says all itself, where it does not say these."""


class Description(Section, DescribedWorkload):
    """A definition: what it extends, and what is said over it."""

    IS_MIX: ClassVar[bool] = False
    """Whether it is of several flows."""

    if TYPE_CHECKING:
        base: str | os.PathLike[str]
        name: str | None

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "base", os.fspath(self.base))

    def __repr__(self) -> str:
        said = [f"{name}={value!r}" for name, value in self._said() if name != "base"]
        base = [repr(self.base)] * bool(self.base)
        return f"{type(self).__name__}({', '.join([*base, *said])})"

    def label(self) -> str:
        """Tell it from others: its name if it has one, else what it says."""
        if self.name:
            return self.name
        base = Path(self.base)
        start = base.stem if base.suffix == ".toml" else str(self.base)
        changes = [f"{key}={to_toml(self.in_file(value))}" for key, value in self._own()]
        return " ".join([start, *changes]) if start else "workload"

    def told(self) -> Told:
        """Say it as the engine takes it."""
        return self.label(), self.to_toml(), []

    def content(self) -> str:
        """Have the engine check it, and give everything that it says, as JSON.

        Raises
        ------
        WorkloadError
            With what is wrong.
        """
        return complete_workload(self.told())

    def complete(self) -> Self:
        """Give the same workload with every value said, whoever said it.

        Raises
        ------
        WorkloadError
            With what is wrong.
        UsageError
            If it is a mix and should be one flow, or the reverse.

        Examples
        --------
        >>> import venice
        >>> venice.Workload("random-read", requests=10).complete().closed_loop_depth
        16
        """
        return self._of(json.loads(self.content()))

    def to_toml(self) -> str:
        """Write a workload's file: what it extends, and what is said here.

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
        said = {key: value for key, value in self.items() if key != "base"}
        if self.base:
            said = {"extends": self.base, **said}
        else:
            said = {**_TEXTS, "synthetic": True, **said}
        return "".join(f"{key} = {to_toml(self.in_file(value))}\n" for key, value in said.items())

    def in_file(self, value: object) -> object:
        """Give a value as a file has it."""
        return value

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a workload's file, which ``--workload`` and :meth:`load` take.

        Raises
        ------
        OutputError
            If it cannot be written.
        """
        with output.create(Path(path)) as file:
            file.write(self.to_toml().encode())

    @classmethod
    def from_toml(cls, text: str) -> Self:
        """Read the text of a workload's file; paths in it are relative to the working folder.

        Raises
        ------
        WorkloadError
            If it is not TOML, or has a key that does not exist.
        """
        try:
            content = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise WorkloadError(f"error: this is not valid TOML: {error}") from None
        return cls._of(content)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a workload's file.

        Raises
        ------
        WorkloadError
            With what is wrong, and in which line.
        """
        # Its messages say which line of which file.
        complete_workload(os.fspath(path))
        file = Path(path)
        content = tomllib.loads(file.read_text(encoding="utf-8"))
        beside = file.parent / content.get("extends", "")
        if beside.suffix == ".toml":
            content["extends"] = str(beside)
        return cls._of({"name": file.stem, **content})

    @classmethod
    def _of(cls, content: Mapping[str, Any]) -> Self:
        if ("flows" in content) is not cls.IS_MIX and "extends" not in content:
            one, other = ("a mix", "Workload") if cls.IS_MIX else ("a workload of one flow", "Mix")
            raise UsageError(f"this is not {one}; venice.{other} reads it")
        said = {key: value for key, value in content.items() if key != "extends"}
        return built(cls, {"base": content.get("extends", ""), **said})

    def _own(self) -> Iterator[tuple[str, object]]:
        """Give what makes it another workload than what it extends."""
        texts = ("base", "name", "description", "source")
        return ((key, value) for key, value in self.items() if key not in texts)


class MixDescription(Description):
    """A mix, which names its flows or has them described, too."""

    IS_MIX = True

    if TYPE_CHECKING:
        flows: Sequence[str | os.PathLike[str] | Description] | None

    def told(self) -> Told:
        """Say it as the engine takes it.

        Raises
        ------
        UsageError
            If several flows that differ have one name.
        """
        described: dict[str, Description] = {}
        flows = tuple(self.flows or ())
        for flow in flows:
            if isinstance(flow, Description):
                label = flow.label()
                if label in flows or described.setdefault(label, flow) != flow:
                    raise UsageError(f"several flows are called `{label}`; give each a `name`")
        texts = [(name, flow.to_toml()) for name, flow in described.items()]
        return self.label(), self.to_toml(), texts

    def in_file(self, value: object) -> object:
        """Give a value as a file has it: of a flow, its name."""
        if isinstance(value, tuple):
            return tuple(map(self.in_file, value))
        if isinstance(value, Description):
            return value.label()
        return os.fspath(value) if isinstance(value, os.PathLike) else value

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a mix's file; its flows must be names or files.

        Raises
        ------
        UsageError
            If a flow is described here only.
        OutputError
            If it cannot be written.
        """
        for flow in self.flows or ():
            if isinstance(flow, Description):
                raise UsageError(f"the flow `{flow.label()}` is in no file: save it, and name that")
        super().save(path)
