"""What the rest of the package sees of a drive that is described in Python."""

from __future__ import annotations


class DescribedDrive:
    """A drive that is a base and changes to it; :class:`venice.Drive` is one.

    It is told from names and paths by this class, which costs a run nothing to import.
    """

    def starts_from(self) -> str:
        """Give what the engine loads before the changes."""
        raise NotImplementedError

    def label(self) -> str:
        """Tell it from others in a table: its name if it has one, else what it says."""
        raise NotImplementedError

    def changes(self, *, without: str = "") -> list[str]:
        """Give the changes as ``"key=value"``, but for those whose key begins with `without`."""
        raise NotImplementedError
