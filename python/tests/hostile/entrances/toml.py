"""Hostile TOML for all readers of TOML files."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from ..values import few

if TYPE_CHECKING:
    from collections.abc import Sequence
    from random import Random

_COUNTS = ("requests", "runs")
_DEEP = 100_000
BROKEN = (
    b"a = " + b"[" * _DEEP + b"]" * _DEEP + b"\n",
    b"a = " + b"{b = " * _DEEP + b"1" + b"}" * _DEEP + b"\n",
    b".".join([b"a"] * 50_000) + b" = 1\n",
    b"[" + b".".join([b"a"] * 50_000) + b"]\n",
    b"a = 1\n" * 20_000,
    b"".join(b"key%d = 1\n" % n for n in range(20_000)),
    b"[[axis]]\n" * 20_000,
    b'a = "' + b"x" * 3_000_000 + b'"\n',
    b"a = " + b"9" * 100_000 + b"\n",
    b"\xff\xfe\x00bad",
    b"\x00" * 1000,
    b"a = 1979-05-27T07:32:00Z\n",
    b'"" = 1\n',
    b"= 1\n",
    b"[a]\n[a]\n",
    b"",
)
"""Files that are no drive, workload, sweep or exploration."""


def literal(draw: Random, value: str) -> str:
    """Return a TOML literal: the value itself, as a string, or in a list or table."""
    quoted = json.dumps(value)
    bare = value if value and "\n" not in value else quoted
    return draw.choice(
        [bare, bare, quoted, f"[{quoted}]", f"[{bare}, 1]", f"{{ a = {quoted} }}", "[]", "{}"]
    )


def changed(draw: Random, text: str, value: str) -> str:
    """Change a random line of a TOML text: replace its value, remove or repeat it, or add a key."""
    lines = text.splitlines()
    place = draw.choice([n for n, line in enumerate(lines) if "=" in line])
    key = lines[place].partition("=")[0]
    value = few(value) if key.strip() in _COUNTS else value
    lines[place : place + 1] = draw.choice(_CHANGES)(key, lines[place], literal(draw, value))
    return "\n".join(lines) + "\n"


def _value(key: str, _line: str, value: str) -> Sequence[str]:
    return [f"{key}= {value}"]


def _left_out(_key: str, _line: str, _value: str) -> Sequence[str]:
    return []


def _twice(_key: str, line: str, _value: str) -> Sequence[str]:
    return [line, line]


def _unknown(_key: str, line: str, value: str) -> Sequence[str]:
    return [line, f"unknown_key = {value}"]


_CHANGES = (_value, _value, _value, _value, _left_out, _twice, _unknown)
