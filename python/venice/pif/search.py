"""Search with the results of ``grep``, in files that a simulated drive stores."""

from __future__ import annotations

import json
from dataclasses import dataclass
from io import BytesIO
from os import PathLike, fsencode, fspath
from typing import TYPE_CHECKING

from venice._native import PifSearch
from venice.api.scenario import resolve
from venice.options.deprecation import warn_of_sets
from venice.pif.report import SearchReport
from venice.schema_classes import DescribedDrive

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from _typeshed import SupportsRead

    from venice import config
    from venice._native import Drive

Bytes = bytes
"""The type `bytes`, which :meth:`Search.bytes` hides within the class."""
DRIVE = "pif"
"""Default drive."""
_PIECE_BYTES = 1 << 20
"""Number of bytes read at a time, few enough to stay in the processor's cache until they are
stored. Several pieces are searched together."""


@dataclass(frozen=True)
class Unreadable:
    """Page of a file that no decoder could correct."""

    name: str
    offset: int

    def __str__(self) -> str:
        return (
            f"{self.name}: the page at offset {self.offset} is unreadable: no decoder corrects it, "
            "so its contents were not searched"
        )


@dataclass(frozen=True)
class FileFound:
    """Result of searching a file.

    Attributes
    ----------
    output
        Output of ``grep`` for the file.
    lines
        Number of lines with a match.
    unreadable
        Pages that were not searched because no decoder could correct them.
    """

    output: bytes
    lines: int
    unreadable: tuple[Unreadable, ...] = ()


class Search:
    r"""Search in files that are stored in a drive one after another.

    Parameters
    ----------
    patterns
        Literal strings, or extended regular expressions; a newline separates patterns.
    wanted
        Kind of output: ``"lines"`` that are selected, their matching ``"parts"``, the ``"count"``
        of lines, the file's ``"name"`` if a line is selected, ``"name_without"`` if none is, or
        ``"nothing"``.
    extended, ignore_case, invert, words, whole_lines
        As ``-E``, ``-i``, ``-v``, ``-w``, ``-x`` of ``grep``.
    unicode_words
        True for word boundaries by Unicode, as in a UTF-8 locale; false for ASCII.
    with_name, with_number, with_offset
        True to print the file name, the line number and the byte offset before each line.
    around
        Numbers of context lines before and after each selected line.
    at_most
        Maximum number of selected lines of a file.
    drive, fabric, sets, seed
        Drive, as for :func:`venice.run`. Its wear is ``pif.pe_cycles``, ``pif.retention_days`` and
        ``pif.block_reads``. `sets` is deprecated.

    Examples
    --------
    >>> import venice
    >>> from venice.pif import Search
    >>> worn = venice.Drive("pif", pif=venice.config.Pif(pe_cycles=2000))
    >>> search = Search(["cat"], wanted="count", drive=worn)
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
        extended: bool = False,
        ignore_case: bool = False,
        invert: bool = False,
        words: bool = False,
        unicode_words: bool = False,
        whole_lines: bool = False,
        with_name: bool = False,
        with_number: bool = False,
        with_offset: bool = False,
        around: tuple[int, int] | None = None,
        at_most: int | None = None,
        drive: config.DriveName | str | PathLike[str] | config.Drive | Drive = DRIVE,
        fabric: config.FabricName | None = None,
        sets: Sequence[str] = (),
        seed: int | None = None,
    ) -> None:
        warn_of_sets(sets)
        if isinstance(drive, (str, PathLike, DescribedDrive)):
            drive = resolve(drive, fabric, sets, seed)
        self._search = PifSearch(
            drive,
            [fsencode(pattern) for pattern in patterns],
            wanted=wanted,
            extended=extended,
            ignore_case=ignore_case,
            invert=invert,
            words=words,
            unicode_words=unicode_words,
            whole_lines=whole_lines,
            with_name=with_name,
            with_number=with_number,
            with_offset=with_offset,
            around=around,
            at_most=at_most,
        )

    def file(self, path: str | PathLike[str], name: str | None = None) -> FileFound:
        """Store a file and search it.

        Raises
        ------
        OSError
            If the file cannot be read.
        UsageError
            If the drive is full.
        """
        written: list[bytes] = []
        found = self.read(path, written.append, name)
        return FileFound(b"".join(written), found.lines, found.unreadable)

    def read(
        self,
        path: str | PathLike[str],
        write: Callable[[Bytes], object],
        name: str | None = None,
    ) -> FileFound:
        """Store a file and search it piece by piece, as :meth:`stream` does.

        Errors are those of :meth:`file`.
        """
        name = fspath(path) if name is None else name
        self._search.open(path, fsencode(name))
        is_last = False
        while not is_last:
            output, is_decided, is_last = self._search.read()
            if is_decided and not is_last:
                is_last = True
                output += self._search.feed(b"", True)[0]
            if output:
                write(output)
        return self._found(name)

    def bytes(self, data: bytes, name: str = "") -> FileFound:
        """Store data in the drive and search it."""
        written: list[bytes] = []
        found = self.stream(BytesIO(data), name, written.append)
        return FileFound(b"".join(written), found.lines, found.unreadable)

    def stream(
        self, source: SupportsRead[Bytes], name: str, write: Callable[[Bytes], object]
    ) -> FileFound:
        """Store and search the data that `read` returns piece by piece, and write the output.

        Reading stops as soon as the output is determined.
        """
        self._search.begin(fsencode(name))
        is_last = False
        while not is_last:
            piece = source.read(_PIECE_BYTES) or b""
            is_last = not piece
            output, is_decided = self._search.feed(piece, is_last)
            if is_decided and not is_last:
                is_last = True
                output += self._search.feed(b"", True)[0]
            if output:
                write(output)
        return self._found(name)

    def _found(self, name: str) -> FileFound:
        lines, offsets = self._search.end()
        return FileFound(b"", lines, tuple(Unreadable(name, offset) for offset in offsets))

    def report(self) -> SearchReport:
        """Return the cost of the search so far, by chips, controller and host."""
        return SearchReport.of(json.loads(self._search.report()))
