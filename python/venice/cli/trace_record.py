"""``venice trace record``: record the reads and writes of a program."""

from __future__ import annotations

import sys

from venice._native import written_formats
from venice.cli import options
from venice.cli.command import command, option
from venice.cli.files import STANDARD_STREAM
from venice.cli.screen import print_text, warn
from venice.cli.trace_edit import output, side_by_side
from venice.cli.value_types import FileType, Pattern, Text
from venice.trace import record_trace


@command()
@options.argument(
    "program",
    metavar="-- COMMAND...",
    nargs=-1,
    required=True,
    type=Pattern(),
    help="Program to record, with its arguments.",
)
@output(required=True)
@option(
    "--to",
    metavar="NAME",
    type=Text(written_formats),
    help="Format to write [default: fio-iolog, which has file names].",
)
@option(
    "--under",
    metavar="DIR",
    multiple=True,
    type=FileType(),
    help="Folder whose file accesses are recorded; repeatable [default: all].",
)
@side_by_side
def record(
    program: tuple[str, ...],
    *,
    output: str,
    to: str | None,
    under: tuple[str, ...],
    side_by_side: bool,
) -> None:
    """Record the I/O of a program.

    The reads and writes of files are recorded as a trace; this requires strace.
    """
    to_screen = output == STANDARD_STREAM
    file = sys.stdout.buffer if to_screen else output
    done = record_trace(program, file, to, under=under, side_by_side=side_by_side)
    sys.stdout.flush()
    if done.exit_code:
        warn(f"`{program[0]}` ended with {done.exit_code}")
    print_text(f"{done.requests:,} reads and writes of {done.files:,} files", stderr=to_screen)
