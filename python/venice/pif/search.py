"""Searching files as ``grep -F`` does, in a simulated drive that holds them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from os import PathLike, fsencode, fspath
from typing import TYPE_CHECKING

from venice._native import PifSearch, resolve
from venice.pif.report import SearchReport

if TYPE_CHECKING:
    from collections.abc import Sequence

    from venice._native import Drive

DRIVE = "pif"
"""The drive that is searched when no other is named."""


@dataclass(frozen=True)
class Unreadable:
    """A page of a file that no decoder corrected."""

    name: str
    offset: int

    def __str__(self) -> str:
        return (
            f"{self.name}: the page at offset {self.offset} is unreadable: no decoder corrects it, "
            "and what is in it was not searched"
        )


@dataclass(frozen=True)
class FileFound:
    """What was found in a file.

    Attributes
    ----------
    output
        What ``grep`` would print.
    lines
        Lines with a match.
    unreadable
        Pages that were not searched because no decoder corrected them.
    """

    output: bytes
    lines: int
    unreadable: tuple[Unreadable, ...] = ()


class Search:
    r"""Files that are stored in a drive, one after another, and searched there.

    Parameters
    ----------
    patterns
        Up to 8 of 1 to 32 bytes each; a newline within one separates two.
    wanted
        What is printed: ``"lines"``, their matching ``"parts"``, the ``"count"`` of lines, the
        file's ``"name"`` if there is a line, or ``"nothing"``.
    with_name, with_number
        Whether the file's name and the line's number come first.
    drive, fabric, sets, seed
        The drive, as for :func:`venice.run`. Its wear is ``pif.pe_cycles``,
        ``pif.retention_days`` and ``pif.block_reads``.

    Examples
    --------
    >>> from venice.pif import Search
    >>> search = Search(["cat"], wanted="count", sets=["pif.pe_cycles=2000"])
    >>> search.bytes(b"a cat\na dog\ntwo cats\n").output
    b'2\n'
    >>> search.report().matched_pages
    1
    """

    def __init__(  # noqa: PLR0913 each is a keyword of its own
        self,
        patterns: Sequence[str | bytes],
        *,
        wanted: str = "lines",
        with_name: bool = False,
        with_number: bool = False,
        drive: str | PathLike[str] | Drive = DRIVE,
        fabric: str | None = None,
        sets: Sequence[str] = (),
        seed: int | None = None,
    ) -> None:
        if isinstance(drive, (str, PathLike)):
            drive = resolve(fspath(drive), fabric, list(sets), seed)
        self._search = PifSearch(
            drive,
            [fsencode(pattern) for pattern in patterns],
            wanted=wanted,
            with_name=with_name,
            with_number=with_number,
        )

    def file(self, path: str | PathLike[str], name: str | None = None) -> FileFound:
        """Store a file and search it.

        Raises
        ------
        OSError
            If it cannot be read.
        UsageError
            If the drive is full.
        """
        name = fspath(path) if name is None else name
        return _found(name, self._search.search_file(fsencode(name), path))

    def bytes(self, data: bytes, name: str = "") -> FileFound:
        """Store data and search them."""
        return _found(name, self._search.search_bytes(fsencode(name), data))

    def report(self) -> SearchReport:
        """Time the search so far in the chips, in the controller and by the host."""
        return SearchReport.of(json.loads(self._search.report()))


def _found(name: str, found: tuple[bytes, int, list[int]]) -> FileFound:
    output, lines, offsets = found
    return FileFound(output, lines, tuple(Unreadable(name, offset) for offset in offsets))
