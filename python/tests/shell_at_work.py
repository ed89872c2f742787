"""Interactive bash on a pseudo-terminal."""

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

_FLAGS = ["--norc", "--noprofile", "-i"]
_NOTED = "venice() {{ printf '<%s>' \"$@\" > {note}.part; mv {note}.part {note}; }}\n"
_PATIENCE_S = 30.0


def typed(script: str, line: str, folder: Path) -> str:
    """Type a line, with TABs, in bash and return the arguments that the command received."""
    path = shutil.which("bash")
    if path is None:
        pytest.skip("bash is not installed")
    file, note = folder / "completion", folder / "note"
    file.write_text(script)
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(folder)
        variables = {"PATH": f"{folder}/bin:/usr/bin:/bin", "HOME": str(folder), "TERM": "dumb"}
        os.execve(path, [path, *_FLAGS], variables)  # noqa: S606 a shell is what is tested
    try:
        noted = _NOTED.format(note=note)
        os.write(terminal, f"{noted}source {file}\nvenice begun\n".encode())
        _report_text(terminal, note)
        # Input that is typed before the completion appears belongs to it as well.
        os.write(terminal, f"{line}\n".encode())
        return _report_text(terminal, note)
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        os.close(terminal)


def _report_text(terminal: int, note: Path) -> str:
    """Read the shell's output, which must not block, until the command wrote its arguments."""
    shown, end = b"", time.monotonic() + _PATIENCE_S
    while not note.exists():
        assert time.monotonic() < end, shown.decode(errors="replace")
        if select.select([terminal], [], [], 0.02)[0]:
            shown += os.read(terminal, 65536)
    message = note.read_text()
    note.unlink()
    return message
