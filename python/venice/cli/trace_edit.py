"""``venice trace``: others made from a trace."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Literal, Unpack

from venice._native import written_formats
from venice.cli import options
from venice.cli.declared import Argument, Option
from venice.cli.files import each, itself, of_drive
from venice.cli.screen import say
from venice.cli.written import STANDARD_OUTPUT
from venice.scenario import Scenario, drive_of
from venice.trace import convert_trace

if TYPE_CHECKING:
    from collections.abc import Sequence

    from venice._native import Drive
    from venice.trace import Converted, TraceEdit

_Counted = Literal[
    "times_cut",
    "folded",
    "out_of_order",
    "moved_up",
    "skipped_bad",
    "other_ops",
    "trims",
    "flushes",
    "zero_size",
    "garbled_times",
]
_REMARKS: dict[_Counted, str] = {
    "times_cut": "times cut to what the format can say",
    "folded": "requests beyond the drive, folded into it",
    "out_of_order": "time stamps that ran backwards, put in order",
    "moved_up": "of them too late to be put in order",
    "skipped_bad": "bad lines passed over",
    "other_ops": "neither read nor write, passed over",
    "trims": "of them trims",
    "flushes": "of them flushes",
    "zero_size": "requests for no data, passed over",
    "garbled_times": "impossible times, passed over",
}


Output = Annotated[
    str,
    Option(
        "-o",
        "--output",
        metavar="FILE",
        help="Where to; - for standard output. The end of the name compresses (.gz, .zst, .xz, "
        ".bz2) or says that it is to be .parquet.",
        writes=itself,
    ),
]
To = Annotated[
    str | None,
    Option(
        "--to",
        metavar="NAME",
        help="The format to write; the trace's own by default.",
        values=written_formats,
    ),
]
SideBySide = Annotated[
    bool,
    Option("--side-by-side", help="Give each device an address range of its own, as one device."),
]
FromUs = Annotated[
    float | None,
    Option("--from-us", metavar="T", help="Keep requests that arrive at T or later."),
]
UntilUs = Annotated[
    float | None,
    Option("--until-us", metavar="T", help="Keep requests that arrive before T."),
]
MeanGapUs = Annotated[
    float | None,
    Option("--mean-gap-us", metavar="T", help="Issue requests T apart on average."),
]
_HEAD_REQUESTS = 10


def convert(
    file: options.TraceFile,
    *,
    output: Output,
    to: To = None,
    side_by_side: SideBySide = False,
    format_: options.Format = None,
    columns: options.Columns = None,
    event: options.Event = None,
    skip_bad: options.SkipBad = None,
    devices: options.Devices = None,
) -> None:
    """Write a trace in another format, or in columns."""
    _convert(
        [file],
        output,
        to,
        side_by_side=side_by_side,
        format=format_,
        columns=columns,
        event=event,
        skip_bad=skip_bad,
        devices=devices,
    )


def head(
    file: options.TraceFile,
    *,
    output: Output = STANDARD_OUTPUT,
    to: To = None,
    requests: Annotated[
        int, Option("-n", "--requests", metavar="N", help="How many.")
    ] = _HEAD_REQUESTS,
    format_: options.Format = None,
    columns: options.Columns = None,
    event: options.Event = None,
    skip_bad: options.SkipBad = None,
    devices: options.Devices = None,
) -> None:
    """Show or write the first requests of a trace."""
    _convert(
        [file],
        output,
        to,
        requests=requests,
        format=format_,
        columns=columns,
        event=event,
        skip_bad=skip_bad,
        devices=devices,
    )


def filter_(
    file: options.TraceFile,
    *,
    output: Output,
    to: To = None,
    op: Annotated[Literal["read", "write"] | None, Option("--op", help="Keep only these.")] = None,
    from_us: FromUs = None,
    until_us: UntilUs = None,
    queues: Annotated[
        list[int] | None,
        Option("--queue", metavar="N", help="Keep this device; may be given several times."),
    ] = None,
    min_bytes: Annotated[
        int | None,
        Option("--min-bytes", metavar="N", help="Keep requests as long or longer."),
    ] = None,
    max_bytes: Annotated[
        int | None,
        Option("--max-bytes", metavar="N", help="Keep requests as long or shorter."),
    ] = None,
    from_sector: Annotated[
        int | None,
        Option("--from-sector", metavar="N", help="Keep requests that begin at N or beyond."),
    ] = None,
    until_sector: Annotated[
        int | None,
        Option("--until-sector", metavar="N", help="Keep requests that begin before N."),
    ] = None,
    format_: options.Format = None,
    columns: options.Columns = None,
    event: options.Event = None,
    skip_bad: options.SkipBad = None,
    devices: options.Devices = None,
) -> None:
    """Write those requests of a trace for which everything holds that is said."""
    _convert(
        [file],
        output,
        to,
        op=op,
        from_us=from_us,
        until_us=until_us,
        queues=queues or (),
        min_bytes=min_bytes,
        max_bytes=max_bytes,
        from_sector=from_sector,
        until_sector=until_sector,
        format=format_,
        columns=columns,
        event=event,
        skip_bad=skip_bad,
        devices=devices,
    )


def scale(
    file: options.TraceFile,
    *,
    output: Output,
    to: To = None,
    rate_scale: options.RateScale = None,
    mean_us: MeanGapUs = None,
    from_us: FromUs = None,
    until_us: UntilUs = None,
    drive: Annotated[
        str | None,
        Option(
            "--drive",
            metavar="NAME|FILE.toml",
            help="Fold addresses into this drive's capacity.",
            reads=of_drive,
        ),
    ] = None,
    sets: options.Sets = None,
    format_: options.Format = None,
    columns: options.Columns = None,
    event: options.Event = None,
    skip_bad: options.SkipBad = None,
    devices: options.Devices = None,
) -> None:
    """Write a trace faster or slower, a window of it, or folded into a drive."""
    _convert(
        [file],
        output,
        to,
        rate_scale=rate_scale,
        mean_inter_arrival_us=mean_us,
        from_us=from_us,
        until_us=until_us,
        fold_into=_drive(drive, sets),
        format=format_,
        columns=columns,
        event=event,
        skip_bad=skip_bad,
        devices=devices,
    )


def mix(
    files: Annotated[list[str], Argument(metavar="FILE...", help="The traces.", reads=each)],
    *,
    output: Output,
    to: To = None,
    mean_us: MeanGapUs = None,
    side_by_side: SideBySide = False,
    format_: options.Format = None,
    columns: options.Columns = None,
    event: options.Event = None,
    skip_bad: options.SkipBad = None,
    devices: options.Devices = None,
) -> None:
    """Write several traces as one: they start together, and each is a queue of its own."""
    _convert(
        files,
        output,
        to,
        mean_inter_arrival_us=mean_us,
        side_by_side=side_by_side,
        format=format_,
        columns=columns,
        event=event,
        skip_bad=skip_bad,
        devices=devices,
    )


def _convert(files: Sequence[str], output: str, to: str | None, **edit: Unpack[TraceEdit]) -> None:
    to_screen = output == STANDARD_OUTPUT
    done = convert_trace(files, sys.stdout.buffer if to_screen else output, to, **edit)
    sys.stdout.flush()
    say("\n".join(_remarks(done)), stderr=to_screen)


def _drive(name: str | None, sets: list[str] | None) -> Drive | None:
    if name is None:
        return None
    return drive_of(Scenario(drive=name, sets=sets or ()))


def _remarks(done: Converted) -> list[str]:
    remarks = [f"{done['requests']:,} requests written as {done['format']}"]
    if done["needs_name"]:
        remarks.append(f"read it with --format {done['format']}: another has the same columns")
    for key, label in _REMARKS.items():
        if count := done[key]:
            remarks.append(f"{label}: {count:,}")
    return remarks
