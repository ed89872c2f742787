"""Checksums of the rows in a store, with which damaged rows are detected.

SQLite notices damage to the structure of its file, but not to the values in it.
"""

from __future__ import annotations

import hashlib
from functools import lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

_BYTES = 8
"""Length of a checksum [bytes]; a damaged row is undetected with a probability of 10^-19."""


def of_run(identity: Iterable[Any], figures: Iterable[tuple[str, Any]]) -> str:
    """Return the checksum of a finished run.

    Missing figures are ignored, so that a column added later changes no checksum.

    Parameters
    ----------
    identity
        Key of the run, version, engine and time.
    figures
        Names and values as SQLite returns them, in any order.
    """
    there = sorted(figure for figure in figures if figure[1] is not None)
    return _of_values([*identity, there])


def of_report(key: str, dictionary: str, packed: bytes) -> str:
    """Return the checksum of a compressed report.

    Parameters
    ----------
    key
        Key of the run, with which a report in another run's row is detected.
    dictionary
        Checksum of the dictionary with which the report was compressed.
    """
    return _of_bytes(key.encode(), dictionary.encode(), packed)


@lru_cache(maxsize=2)
def of_dictionary(content: bytes) -> str:
    """Return the checksum of a compression dictionary."""
    return _of_bytes(content)


def of_point(header: tuple[str, str], row: Iterable[Any]) -> str:
    """Return the checksum of a point of a sweep.

    Parameters
    ----------
    header
        Name of the sweep, and the keys of its axes.
    row
        Position of the point in the sweep, key of its run, choices, and reason of a failure.
    """
    return _of_values([*header, *row])


def _of_values(values: list[Any]) -> str:
    # ASCII, because the set of printable Unicode characters depends on the version of Python.
    return _of_bytes(ascii(values).encode())


def _of_bytes(*parts: bytes) -> str:
    digest = hashlib.blake2b(digest_size=_BYTES)
    for part in parts:
        digest.update(len(part).to_bytes(8))
        digest.update(part)
    return digest.hexdigest()
