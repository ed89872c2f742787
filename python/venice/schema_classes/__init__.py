"""Base classes of drives, workloads and traces that are described in Python.

They are told from names and paths by these classes, which cost a run nothing to import.
"""

from __future__ import annotations

from typing import Any, TypeAlias

WorkloadText: TypeAlias = tuple[str, str]
"""A workload's label, and its definition as TOML."""


class Described:
    """Something that a run takes by name or path, or as an object of this."""

    ROLE = ""
    """The keyword of a run that takes it."""

    def label(self) -> str:
        """Return the name of the object, or its base and changes."""
        raise NotImplementedError


class DescribedDrive(Described):
    """A drive that is a base and changes to it; :class:`venice.Drive` is one."""

    ROLE = "drive"

    def starts_from(self) -> str:
        """Return the base that the engine loads before the changes."""
        raise NotImplementedError

    def changes(self) -> list[str]:
        """Return the changes as ``"key=value"``."""
        raise NotImplementedError

    def on(self, base: str) -> DescribedDrive:
        """Return the same changes to another base."""
        raise NotImplementedError


class DescribedWorkload(Described):
    """A workload that is a definition; :class:`venice.Workload` and :class:`venice.Mix` are."""

    ROLE = "workload"

    def labelled_toml(self) -> WorkloadText:
        """Return the workload's label and its definition in TOML."""
        raise NotImplementedError

    def content(self) -> str:
        """Return the complete definition as JSON, checked by the engine."""
        raise NotImplementedError

    def complete(self) -> DescribedWorkload:
        """Return the workload with all values set, those of its base and defaults included."""
        raise NotImplementedError


class DescribedTrace(Described):
    """A trace and how it is read; :class:`venice.Trace` is one."""

    ROLE = "trace"

    def options(self) -> dict[str, Any]:
        """Return the path and the options of the trace, as keywords of a run."""
        raise NotImplementedError
