"""Base classes of the drives, workloads and traces that are described in Python.

Runs use these classes to distinguish such objects from names and paths; importing them is cheap.
"""

from __future__ import annotations

from typing import Any, TypeAlias

WorkloadText: TypeAlias = tuple[str, str]
"""Label of a workload, and its definition as TOML."""


class Described:
    """Object that a run accepts in place of a name or path."""

    ROLE = ""
    """Keyword of a run that accepts the object."""

    def label(self) -> str:
        """Return the name of the object, or its base and changes."""
        raise NotImplementedError


class DescribedDrive(Described):
    """Drive described by a base and changes; base class of :class:`venice.Drive`."""

    ROLE = "drive"

    def starts_from(self) -> str:
        """Return the name or path of the base, to which the engine applies the changes."""
        raise NotImplementedError

    def changes(self) -> list[str]:
        """Return the changes as texts ``"key=value"``."""
        raise NotImplementedError

    def on(self, base: str) -> DescribedDrive:
        """Return a copy of the drive with another base."""
        raise NotImplementedError


class DescribedWorkload(Described):
    """Definition of a workload; base class of :class:`venice.Workload` and :class:`venice.Mix`."""

    ROLE = "workload"

    def labelled_toml(self) -> WorkloadText:
        """Return the workload's label and its definition in TOML."""
        raise NotImplementedError

    def content(self) -> str:
        """Return the complete definition as JSON, checked by the engine."""
        raise NotImplementedError

    def complete(self) -> DescribedWorkload:
        """Return the workload with all values set, including those of its base and defaults."""
        raise NotImplementedError


class DescribedTrace(Described):
    """Trace with its reading options; base class of :class:`venice.Trace`."""

    ROLE = "trace"

    def options(self) -> dict[str, Any]:
        """Return the path and the options of the trace, as keywords of a run."""
        raise NotImplementedError
