"""Runs commands in forks of a process that has imported the command line already.

A fork takes some milliseconds; an interpreter imports the command line for 250. Forks end without
freeing memory, because that would copy the pages that they share with their parent. Tests of the
start itself, of signals and of standard input start interpreters.
"""

from __future__ import annotations

import gc
import json
import os
import pkgutil
import signal
import socket
import subprocess
import sys
from contextlib import suppress
from importlib import import_module
from threading import Thread
from typing import TYPE_CHECKING, NamedTuple, NoReturn

import venice
import venice.cli

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_ALSO = ("rich.console", "rich.table")
_LEFT_OUT = ("venice.__main__", "venice.pif.", "venice.plot", "venice.papers")
"""DuckDB and PyArrow, which start threads, are not imported before a fork."""
_LARGEST_REQUEST = 1 << 20


class Ended(NamedTuple):
    """The exit code of a command, negative for a signal, and what it printed."""

    code: int
    stdout: bytes
    stderr: bytes


class CommandServer:
    """A process that forks for each command."""

    def __init__(self) -> None:
        self._socket, theirs = socket.socketpair()
        self._process = subprocess.Popen(
            [sys.executable, "-P", __file__, str(theirs.fileno())],
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
        )
        theirs.close()

    def run(
        self,
        arguments: tuple[str, ...],
        folder: Path,
        environment: Mapping[str, str],
        limit_s: int,
    ) -> Ended:
        """Run a command in `folder`; SIGALRM ends it after `limit_s`."""
        request = {
            "arguments": arguments,
            "folder": str(folder),
            "environment": environment,
            "limit_s": limit_s,
        }
        readers, writers = zip(os.pipe(), os.pipe(), strict=True)
        socket.send_fds(self._socket, [json.dumps(request).encode() + b"\n"], writers)
        for writer in writers:
            os.close(writer)
        stdout, stderr = _read_all(readers)
        return Ended(int(self._socket.recv(16)), stdout, stderr)

    def close(self) -> None:
        """End the process."""
        self._socket.close()
        self._process.wait()


def _read_all(readers: tuple[int, ...]) -> list[bytes]:
    """Read pipes to their ends, at the same time."""
    read: dict[int, bytes] = {}

    def read_one(reader: int) -> None:
        with os.fdopen(reader, "rb") as pipe:
            read[reader] = pipe.read()

    threads = [Thread(target=read_one, args=(reader,)) for reader in readers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return [read[reader] for reader in readers]


def _import_commands() -> None:
    for module in pkgutil.walk_packages(venice.__path__, "venice."):
        if not module.name.startswith(_LEFT_OUT):
            with suppress(ImportError):
                import_module(module.name)
    for name in _ALSO:
        import_module(name)
    gc.freeze()  # not visited by Python's garbage collector, so forks share the memory


def _serve(requests: socket.socket) -> None:
    """Answer each request with the exit code of its fork; returns in the forks."""
    while True:
        text, streams, _, _ = socket.recv_fds(requests, _LARGEST_REQUEST, 2)
        while text and not text.endswith(b"\n"):
            text += requests.recv(_LARGEST_REQUEST)
        if not text:
            sys.exit()
        process = os.fork()
        if process == 0:
            requests.close()
            _become(json.loads(text), streams)
            return
        for stream in streams:
            os.close(stream)
        code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
        requests.send(str(code).encode())


def _become(request: dict[str, object], streams: list[int]) -> None:
    """Take on the folder, the environment and the arguments of a command."""
    arguments, environment = request["arguments"], request["environment"]
    assert isinstance(arguments, list)
    assert isinstance(environment, dict)
    assert isinstance(request["limit_s"], int)
    for number, stream in enumerate(streams, start=1):
        os.dup2(stream, number)
        os.close(stream)
    sys.stdout = os.fdopen(1, "w")
    sys.stderr = os.fdopen(2, "w", buffering=1, errors="backslashreplace")
    os.chdir(str(request["folder"]))
    os.environ.clear()
    os.environ.update(environment)
    signal.alarm(request["limit_s"])
    sys.argv = ["venice", *arguments]


def _run_command() -> NoReturn:
    """Run the command of this fork, and end the fork."""
    try:
        venice.cli.main()
    except SystemExit as end:
        code = end.code or 0
    else:
        code = 0
    assert isinstance(code, int)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    _import_commands()
    _serve(socket.socket(fileno=int(sys.argv[1])))
    _run_command()
