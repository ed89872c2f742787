"""Parser of strace's output with the options ``-f -y -ttt -s 0``.

A line is ``pid time name(arguments) = result``. A call that another thread interrupts comes in two
lines: ``name(arguments <unfinished ...>`` and ``<... name resumed>arguments) = result``.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_LINE = re.compile(r"(?P<pid>\d+) +(?P<s>\d+)\.(?P<us>\d{6}) (?P<text>.*)")
_RESUMED = re.compile(r"<\.\.\. \w+ resumed>(?P<text>.*)")
_UNFINISHED = " <unfinished ...>"
_CALL = re.compile(r"(?P<name>\w+)\((?P<arguments>.*)\) += (?P<result>\d+)(?:<(?P<path>.*?)>)?")
_FILE = re.compile(r"(?P<fd>\d+)<(?P<path>.*?)>(?:\(deleted\))?(?:, |$)")


class Call(NamedTuple):
    """Successful system call of the recorded program."""

    pid: int
    """Thread number."""
    us: int
    """Start of the call, in microseconds since 1970."""
    name: str
    """Name of the system call."""
    arguments: str
    """Arguments, as printed by strace."""
    result: int
    """Return value."""
    path: str | None
    """Path of the returned file, if any."""

    def file(self) -> tuple[int, str] | None:
        """Return the descriptor and the path of the file in the first argument, if it is a file."""
        found = _FILE.match(self.arguments)
        return (int(found["fd"]), found["path"]) if found else None

    def number(self, place: int) -> int | None:
        """Return an integer argument by its index; negative indexes count from the end."""
        arguments = self.arguments.split(", ")
        try:
            return int(arguments[place], 0)
        except (IndexError, ValueError):
            return None


def calls(lines: Iterable[str]) -> Iterator[Call]:
    """Yield the calls of a recording, in the order in which they end."""
    unfinished: dict[str, tuple[int, str]] = {}
    for line in lines:
        found = _LINE.match(line)
        if found is None:
            continue
        pid, text = found["pid"], found["text"]
        us = int(found["s"]) * 1_000_000 + int(found["us"])
        if text.endswith(_UNFINISHED):
            unfinished[pid] = (us, text.removesuffix(_UNFINISHED))
            continue
        if resumed := _RESUMED.match(text):
            us, begun = unfinished.pop(pid, (us, ""))
            text = begun + resumed["text"]
        if call := _CALL.match(text):
            result = int(call["result"])
            yield Call(int(pid), us, call["name"], call["arguments"], result, call["path"])
