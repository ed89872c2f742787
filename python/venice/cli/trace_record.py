"""``venice trace record``: what a program reads and writes."""

from __future__ import annotations

import sys
from typing import Annotated

from venice.cli.declared import Argument, Option
from venice.cli.screen import say, warn
from venice.cli.trace_edit import Output, SideBySide
from venice.cli.written import STANDARD_OUTPUT
from venice.trace import record_trace


def record(
    command: Annotated[
        list[str],
        Argument(metavar="-- COMMAND...", help="The program and its arguments.", any_bytes=True),
    ],
    *,
    output: Output,
    to: Annotated[
        str | None,
        Option(
            "--to",
            metavar="NAME",
            help="The format to write; fio-iolog by default, which has names.",
        ),
    ] = None,
    under: Annotated[
        list[str] | None,
        Option(
            "--under",
            metavar="DIR",
            help="Only files in this folder; may be given several times.",
            any_bytes=True,
        ),
    ] = None,
    side_by_side: SideBySide = False,
) -> None:
    """Run a program and write its reads and writes of files as a trace; needs strace."""
    to_screen = output == STANDARD_OUTPUT
    file = sys.stdout.buffer if to_screen else output
    done = record_trace(command, file, to, under=under or (), side_by_side=side_by_side)
    sys.stdout.flush()
    if done.exit_code:
        warn(f"`{command[0]}` ended with {done.exit_code}")
    say(f"{done.requests:,} reads and writes of {done.files:,} files", stderr=to_screen)
