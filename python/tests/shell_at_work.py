"""A shell at a terminal, where somebody types."""

from __future__ import annotations

import os
import pty
import select
import shutil
import signal
import time
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

_STARTED = {
    "bash": (["--norc", "--noprofile", "-i"], ""),
    "zsh": (["-f", "-i"], "autoload -Uz compinit; compinit -u -D\n"),
    "fish": (["--no-config", "-i"], ""),
}
_NOTED = "venice() {{ printf '<%s>' \"$@\" > {note}.part; mv {note}.part {note}; }}\n"
_NOTED_IN_FISH = "function venice; printf '<%s>' $argv > {note}.part; mv {note}.part {note}; end\n"
_PATIENCE_S = 30.0


def typed(shell: str, script: str, line: str, folder: Path) -> str:
    """Type a line, TABs included, and give the arguments with which the command is called."""
    path = shutil.which(shell)
    if path is None:
        pytest.skip(f"{shell} is not installed")
    file, note = folder / "completion", folder / "note"
    file.write_text(script)
    flags, begun = _STARTED[shell]
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(folder)
        variables = {"PATH": "/usr/bin:/bin", "HOME": str(folder), "TERM": "dumb"}
        os.execve(path, [path, *flags], variables)  # noqa: S606 a shell is what is tested
    try:
        noted = (_NOTED_IN_FISH if shell == "fish" else _NOTED).format(note=note)
        os.write(terminal, f"{noted}{begun}source {file}\nvenice begun\n".encode())
        _told(terminal, note)
        # What is typed before the TAB's words are there belongs to them all the same.
        os.write(terminal, f"{line}\n".encode())
        return _told(terminal, note)
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        os.close(terminal)


def _told(terminal: int, note: Path) -> str:
    """Read what the shell shows, so that it can go on, until the command has noted its words."""
    shown, end = b"", time.monotonic() + _PATIENCE_S
    while not note.exists():
        assert time.monotonic() < end, shown.decode(errors="replace")
        if select.select([terminal], [], [], 0.02)[0]:
            shown += os.read(terminal, 65536)
    said = note.read_text()
    note.unlink()
    return said
