"""Reader of untrusted TOML and JSON that limits their size and nesting.

``tomllib`` takes quadratic time in the number of a key's parts, and recurses once for each level of
nesting. Definitions of drives, workloads and sweeps need neither long keys nor deep nesting.
"""

from __future__ import annotations

import json
import os
import re
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from venice._native import UsageError
from venice.files.pipes import open_pipes

if TYPE_CHECKING:
    from os import PathLike

MOST_DEFINITION_BYTES = 4 << 20
"""Maximum size of a definition [bytes]: a hundred times the largest of this project."""
MOST_REPORTS_BYTES = 1 << 30
"""Maximum size of a file of reports [bytes]: about 50,000 reports."""
_DEEPEST = 16
"""Maximum depth of arrays, inline tables and keys; definitions have up to four levels."""

_KEY_PART = r"""(?:[\w-]+|"(?:[^"\\\n]|\\.)*+"|'[^'\n]*+')"""
_TOKEN = re.compile(
    rf"""
      "{{3}}(?:(?!"{{3}})(?:[^\\]|\\.))*+(?:"{{3,5}}|\Z)   # texts of several lines
    | \'{{3}}(?:(?!\'{{3}}).)*+(?:\'{{3,5}}|\Z)
    | \#[^\n]*+                                            # a comment
    | (?P<key>{_KEY_PART}(?:[ \t]*+\.[ \t]*+{_KEY_PART})*+)
    | (?P<open>[\[{{])
    | (?P<close>[\]}}])
    """,
    re.VERBOSE | re.DOTALL,
)
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
"""Escape of a surrogate in JSON."""
_PARTS = re.compile(rf"{_KEY_PART}[ \t]*+", re.DOTALL)


def is_file(path: str | PathLike[str]) -> bool:
    """Return true if the file exists; false if the text is too long for a file name.

    Examples
    --------
    >>> is_file("x" * 100_000)
    False
    """
    return os.path.isfile(path)  # noqa: PTH113 `Path.is_file` raises for such a text


class DocumentError(UsageError):
    """Error in a text that is not TOML or JSON, or is too large; its message names no file."""


def parse_toml(text: str) -> dict[str, Any]:
    """Parse a TOML text.

    Raises
    ------
    DocumentError
        If the text is not TOML, or is nested too deep.

    Examples
    --------
    >>> parse_toml('a.b = 1')
    {'a': {'b': 1}}
    """
    _check_size(len(text), MOST_DEFINITION_BYTES)
    _check_nesting(text)
    # Besides its own error, which is a `ValueError`, the parser lets those of Python's numbers
    # and dates through.
    try:
        return tomllib.loads(text)
    except ValueError as error:
        raise DocumentError(f"is not TOML: {error}") from None


def read_toml(path: str | PathLike[str]) -> dict[str, Any]:
    """Read a TOML file.

    Raises
    ------
    DocumentError
        If the text is not TOML, or is nested too deep.
    OSError
        If the file cannot be read.
    """
    return parse_toml(read_text(path))


def read_json(path: str | PathLike[str], most_bytes: int = MOST_DEFINITION_BYTES) -> Any:  # noqa: ANN401 any JSON value
    """Read a JSON file.

    Raises
    ------
    DocumentError
        If the file is not JSON, is nested too deep or has more than `most_bytes`.
    OSError
        If the file cannot be read.
    """
    text = read_text(path, most_bytes)
    try:
        value = json.loads(text, parse_constant=_refuse)
        if _SURROGATE.search(text):
            _require_unicode(value)
    except RecursionError:
        raise DocumentError("is not JSON: it is nested too deep") from None
    except ValueError as error:
        raise DocumentError(f"is not JSON: {error}") from None
    return value


def read_bytes(path: str | PathLike[str], most_bytes: int) -> bytes:
    """Read a regular file completely.

    Raises
    ------
    DocumentError
        If the file has more than `most_bytes`.
    OSError
        If the file cannot be read.
    """
    with open_pipes(path), Path(path).open("rb") as file:
        content = file.read(most_bytes + 1)
    _check_size(len(content), most_bytes)
    return content


def read_text(path: str | PathLike[str], most_bytes: int = MOST_DEFINITION_BYTES) -> str:
    """Read a text file.

    Raises
    ------
    DocumentError
        If the file is not UTF-8, or has more than `most_bytes`.
    OSError
        If the file cannot be read.
    """
    try:
        return read_bytes(path, most_bytes).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DocumentError(f"is not UTF-8 text (byte {error.start + 1})") from None


def _refuse(constant: str) -> NoReturn:
    """Refuse NaN and infinities, which Python's JSON reader accepts."""
    raise ValueError(f"it has no number {constant}")


def _require_unicode(value: object) -> None:
    """Refuse lone surrogates, which cannot be encoded in UTF-8."""
    json.dumps(value, ensure_ascii=False).encode()


def _check_size(found: int, most: int) -> None:
    if found > most:
        raise DocumentError(f"is larger than {most >> 20:,} MiB, the most that is read")


def _check_nesting(text: str) -> None:
    """Refuse nesting that would slow down the parser."""
    depth = 0
    for token in _TOKEN.finditer(text):
        if token.lastgroup == "open":
            depth += 1
        elif token.lastgroup == "close":
            depth -= 1
        parts = len(_PARTS.findall(token["key"])) if token["key"] else 0
        if max(depth, parts) > _DEEPEST:
            line = text.count("\n", 0, token.start()) + 1
            raise DocumentError(
                f"has a key of more than {_DEEPEST} parts in line {line}"
                if parts > _DEEPEST
                else f"is nested deeper than {_DEEPEST} levels in line {line}"
            )
