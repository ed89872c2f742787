"""``venice trace convert``, ``head``, ``filter``, ``scale``, ``mix``: edited copies of traces."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Literal, Unpack

from venice._native import written_formats
from venice.api.scenario import resolve
from venice.cli import options
from venice.cli.command import OUTPUT, command, flag, option
from venice.cli.files import STANDARD_STREAM, each
from venice.cli.screen import print_text
from venice.cli.value_types import InputFile, Keyword, OutputStream, Text
from venice.trace import convert_trace

if TYPE_CHECKING:
    from collections.abc import Sequence

    from venice.cli.command import Decorator
    from venice.trace import Converted, TraceEdit

_Counted = Literal[
    "times_cut",
    "left_out",
    "folded",
    "out_of_order",
    "moved_up",
    "skipped_bad",
    "other_ops",
    "trims_skipped",
    "zero_size",
    "garbled_times",
]
_REMARKS: dict[_Counted, str] = {
    "times_cut": "times cut to what the format can say",
    "left_out": "requests left out, whose operation the format does not have",
    "folded": "requests beyond the drive, folded into it",
    "out_of_order": "decreasing time stamps, sorted",
    "moved_up": "of them too late to be sorted",
    "skipped_bad": "bad lines skipped",
    "other_ops": "other operations, skipped",
    "trims_skipped": "of them trims without an address range",
    "zero_size": "requests without data, skipped",
    "garbled_times": "impossible times, skipped",
}

_HEAD_REQUESTS = 10

to = option(
    "--to",
    metavar="NAME",
    group=OUTPUT,
    type=Text(written_formats),
    help="Format to write [default: the trace's own].",
)
side_by_side = flag(
    "--side-by-side",
    group=OUTPUT,
    help="Merge all devices into one, with a separate address range for each.",
)
from_us = option(
    "--from-us", metavar="US", type=float, help="Earliest arrival time to keep, in µs [default: 0]."
)
until_us = option(
    "--until-us",
    metavar="US",
    type=float,
    help="Upper limit of the arrival times to keep, excluded, in µs [default: no limit].",
)
mean_gap_us = option(
    "--mean-gap-us",
    "mean_inter_arrival_us",
    metavar="US",
    type=float,
    help="Mean gap between arrivals, in µs [default: the trace's own].",
)


def output(**default: Any) -> Decorator:  # noqa: ANN401 as click
    """Declare the option ``--output`` of a command."""
    return option(
        "-o",
        "--output",
        metavar="FILE",
        group=OUTPUT,
        type=OutputStream(),
        help="Trace to write; - for standard output. The suffix determines the compression (.gz, "
        ".zst, .xz, .bz2) or the format .parquet.",
        **default,
    )


@command()
@options.trace_file
@output(required=True)
@to
@side_by_side
@options.trace_reading
def convert(file: str, *, output: str, to: str | None, **edit: Unpack[TraceEdit]) -> None:
    """Write a trace in another format."""
    _convert([file], output, to, **edit)


@command()
@options.trace_file
@output(default=STANDARD_STREAM)
@to
@option(
    "-n",
    "--requests",
    metavar="N",
    type=int,
    default=_HEAD_REQUESTS,
    help="Number of requests to write.",
)
@options.trace_reading
def head(file: str, *, output: str, to: str | None, **edit: Unpack[TraceEdit]) -> None:
    """Write the first requests of a trace."""
    _convert([file], output, to, **edit)


@command("filter")
@options.trace_file
@output(required=True)
@to
@option(
    "--op", type=Keyword(["read", "write"]), help="Operation to keep [default: reads and writes]."
)
@from_us
@until_us
@option(
    "--queue",
    "queues",
    metavar="N",
    type=int,
    multiple=True,
    help="Device to keep, by its number in the trace; repeatable [default: all].",
)
@option(
    "--min-bytes",
    metavar="BYTES",
    type=int,
    help="Size of the smallest request to keep [default: no limit].",
)
@option(
    "--max-bytes",
    metavar="BYTES",
    type=int,
    help="Size of the largest request to keep [default: no limit].",
)
@option(
    "--from-sector",
    metavar="N",
    type=int,
    help="Lowest start sector to keep, in sectors of 512 bytes [default: 0].",
)
@option(
    "--until-sector",
    metavar="N",
    type=int,
    help="First start sector to leave out, with all later ones, in sectors of 512 bytes "
    "[default: no limit].",
)
@options.trace_reading
def filter_(file: str, *, output: str, to: str | None, **edit: Unpack[TraceEdit]) -> None:
    """Write the matching requests of a trace.

    A request matches if it meets every condition.
    """
    _convert([file], output, to, **edit)


@command()
@options.trace_file
@output(required=True)
@to
@options.rate_scale
@mean_gap_us
@from_us
@until_us
@options.drive(None, "Drive around whose capacity addresses are wrapped [default: none].")
@options.sets
@options.trace_reading
def scale(
    file: str,
    *,
    output: str,
    to: str | None,
    drive: str | None,
    sets: tuple[str, ...],
    **edit: Unpack[TraceEdit],
) -> None:
    """Write a trace with changed times or addresses.

    Wrapped addresses fit the capacity of a drive.
    """
    edit["fold_into"] = None if drive is None else resolve(drive, None, sets)
    _convert([file], output, to, **edit)


@command()
@options.argument(
    "files",
    metavar="FILE...",
    nargs=-1,
    required=True,
    type=InputFile(reads=each),
    help="Traces to mix.",
)
@output(required=True)
@to
@mean_gap_us
@side_by_side
@options.trace_reading
def mix(files: Sequence[str], *, output: str, to: str | None, **edit: Unpack[TraceEdit]) -> None:
    """Write several traces as one.

    The traces start at the same time, and each becomes a queue.
    """
    _convert(files, output, to, **edit)


def _convert(files: Sequence[str], output: str, to: str | None, **edit: Unpack[TraceEdit]) -> None:
    to_screen = output == STANDARD_STREAM
    done = convert_trace(files, sys.stdout.buffer if to_screen else output, to, **edit)
    sys.stdout.flush()
    print_text("\n".join(_remarks(done)), stderr=to_screen)


def _remarks(done: Converted) -> list[str]:
    remarks = [f"{done['requests']:,} requests written as {done['format']}"]
    if done["needs_name"]:
        remarks.append(f"read it with --format {done['format']}: another has the same columns")
    for key, label in _REMARKS.items():
        if count := done[key]:
            remarks.append(f"{label}: {count:,}")
    return remarks
