"""``venice drive``: measure real drives, convert the measurements and check drive files."""

from __future__ import annotations

import math
import sys
from contextlib import ExitStack
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from venice._native import UsageError, drive_names
from venice.cli import options
from venice.cli.command import OUTPUT, command, flag, option
from venice.cli.files import STANDARD_STREAM, files_below, of_drive
from venice.cli.output_files import claim
from venice.cli.screen import print_text, warn
from venice.cli.usage import OptionError
from venice.cli.value_types import InputFile, Keyword, Number, OutputStream
from venice.report import to_json
from venice.sheet.new_drive import CELLS, SheetValues
from venice.sheet.new_drive_check import (
    checked_drive_file,
    random_read_shortfall,
    unreachable_figures,
)
from venice.text import counts
from venice.text.layout import format_table
from venice.validation.csv_file import csv_of
from venice.validation.validate import read_data

if TYPE_CHECKING:
    from collections.abc import Callable

    from venice.sheet.check import Figure


_SCRIPT = "measure.sh"


@command("script")
def script() -> None:
    """Print a script that measures a drive with fio.

    The script erases all data on its target device.
    """
    print_text(files("venice.validation").joinpath(_SCRIPT).read_text(encoding="utf-8"), end="")


@command("import")
@options.argument(
    "folder",
    metavar="DIR",
    type=InputFile(reads=files_below, path_type=Path),
    help="Folder of fio's JSON output, as written by the script that `venice drive script` prints.",
)
@option(
    "--name", metavar="NAME", required=True, help="Name of the drive, such as samsung-980-pro-1tb."
)
@option(
    "-o",
    "--output",
    metavar="OUT.csv",
    required=True,
    group=OUTPUT,
    type=OutputStream(),
    help="CSV file of the measurements; - for standard output.",
)
def import_(folder: Path, *, name: str, output: str) -> None:
    """Convert fio's results to a data set.

    `venice validate` and `venice fit` read the data set as well as fio's output.
    """
    rows = read_data(folder)
    text, left_out = csv_of(rows, name)
    with ExitStack() as claimed:
        file = claim(claimed, output)
        if file is None:
            print_text(text, end="")
        else:
            file.write(text.encode())
    if left_out:
        warn(f"left out: {counts.of(left_out, 'row')} whose load a data set cannot express")
    print_text(f"{counts.of(len(rows) - left_out, 'row')} in {output}", stderr=file is None)


@command("check")
@options.argument(
    "drive",
    metavar="NAME|FILE",
    type=InputFile(reads=of_drive, values=drive_names, defines="drive"),
    help="Preset or drive file.",
)
@flag("--json", "as_json", group=OUTPUT, help="JSON instead of a table.")
def check(drive: str, *, as_json: bool) -> None:
    """Print a drive's rates, their bounds and its data sheet.

    Random writes and mixed requests are measured in steady state on the whole drive, random reads
    in the range of addresses that the data sheet states. The state `burst` marks rates that hold
    until the write buffer or the pSLC cache is full. The bound of a rate is the busiest resource,
    or the latency if none is busy; for sequential writes of a drive with its map on flash, the
    share of the rate that the map costs follows. The data sheet is the section `[sheet]` of the
    drive file.
    """
    from venice.sheet.check import check_drive  # noqa: PLC0415 other commands do without

    figures = check_drive(drive)
    if as_json:
        print_text(to_json([figure._asdict() for figure in figures]), end="")
        return
    print_text(format_table(_TITLES, [_cells(figure) for figure in figures]))
    if any(figure.state == "burst" for figure in figures):
        print_text(_BURST)


_BURST = """
burst: the write buffer or the pSLC cache takes these requests faster than the drive serves them
in steady state. The rate holds until the buffer or cache is full."""
_TITLES = [
    "load",
    "depth",
    "state",
    "MB/s",
    "IOPS",
    "mean, µs",
    "p99, µs",
    "write ampl.",
    "bound",
    "busy, %",
    "sheet",
    "here/sheet, %",
]
_UNITS = {"mb_per_s": "MB/s", "iops": "IOPS", "mean_us": "µs", "write_amplification": "B/B"}


def _cells(figure: Figure) -> list[str]:
    amplification = figure.write_amplification
    return [
        figure.load,
        str(figure.depth),
        figure.state,
        f"{figure.mb_per_s:.0f}",
        f"{figure.iops:.0f}",
        f"{figure.mean_us:.1f}",
        f"{figure.p99_us:.1f}",
        "" if amplification is None else f"{amplification:.2f}",
        figure.limit,
        f"{max(figure.busy_pct.values()):.0f}",
        ", ".join(f"{value:g} {_UNITS[field]}" for field, value in figure.sheet.items()),
        ", ".join(f"{figure.difference_pct(field):+.1f}" for field in figure.sheet),
    ]


def _figure(
    flag_: str, metavar: str, words: str
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Declare an option for one value of the data sheet."""
    return option(flag_, metavar=metavar, type=Number(0.001), default=None, help=words)


@command("new")
@option("--name", metavar="NAME", required=True, help="Name of the new drive.")
@option(
    "--cells",
    metavar="KIND",
    type=Keyword(tuple(CELLS)),
    default="tlc",
    help="Bits per cell: slc, mlc, tlc or qlc.",
)
@_figure("--capacity-gb", "GB", "Capacity in 10⁹ bytes, above 0.")
@_figure("--sequential-read", "MB/S", "Sequential reads in 10⁶ bytes/s, above 0.")
@_figure("--sequential-write", "MB/S", "Sustained sequential writes in 10⁶ bytes/s, above 0.")
@_figure("--random-read", "IOPS", "Random 4-KiB reads per second, above 0.")
@_figure(
    "--random-write",
    "IOPS",
    "Random 4-KiB writes per second in steady state [default: spare blocks assumed].",
)
@_figure("--read-us", "US", "Latency of one random read in µs [default: delay assumed].")
@_figure("--write-us", "US", "Latency of one random write in µs [default: delay assumed].")
@_figure(
    "--read-range-gb",
    "GB",
    "Range of addresses of random reads in 10⁹ bytes, above 0 [default: whole drive].",
)
@option(
    "-o",
    "--output",
    metavar="OUT.toml",
    required=True,
    group=OUTPUT,
    type=OutputStream(),
    help="Drive file to write; - for standard output.",
)
@flag("--force", group=OUTPUT, help="Replacement of an existing drive file.")
def new(*, name: str, cells: str, output: str, force: bool, **figures: float | None) -> None:
    """Write a drive file with the figures of a data sheet.

    A terminal prompts for missing figures. Figures that the drive cannot reach are named.
    `venice drive check` compares the drive with the figures.
    """
    # A drive file is meant to be edited. A device or pipe, such as /dev/stdout, is no such file.
    if output != STANDARD_STREAM and Path(output).is_file() and not force:
        raise OptionError("--output", f"`{output}` exists", "expected: another name, or --force")
    sheet = SheetValues(**_complete(figures))
    text = checked_drive_file(name, cells, sheet)
    with ExitStack() as claimed:
        file = claim(claimed, output)
        if file is None:
            print_text(text, end="")
        else:
            file.write(text.encode())
            print_text(f"{output} written; compare with the sheet: venice drive check {output}")
    unreachable = list(unreachable_figures(cells, sheet))
    if not any(figure.startswith("`--random-read`") for figure in unreachable):
        shortfall = random_read_shortfall(text, sheet)
        unreachable += [] if shortfall is None else [shortfall]
    for figure in unreachable:
        warn(f"the drive cannot reach {figure}")


_KEYS = {
    "capacity_gb": ("capacity_gb", "capacity in GB"),
    "sequential_read": ("sequential_read_mb_per_s", "sequential reads in MB/s"),
    "sequential_write": ("sequential_write_mb_per_s", "sequential writes in MB/s"),
    "random_read": ("random_read_iops", "random 4-KiB reads per second"),
    "random_write": ("random_write_iops", "random 4-KiB writes per second"),
    "read_us": ("random_read_us", "latency of one random read in µs"),
    "write_us": ("random_write_us", "latency of one random write in µs"),
    "read_range_gb": ("random_read_range_gb", "range of addresses of random reads in GB"),
}
"""Name of each figure in the sheet and the text of its prompt, by option."""
_REQUIRED = ("capacity_gb", "sequential_read", "sequential_write", "random_read")


def _complete(figures: dict[str, float | None]) -> dict[str, Any]:
    """Return the figures by their names in the sheet; a terminal prompts for missing ones."""
    asks = sys.stdin.isatty()
    missing = [option_ for option_ in _REQUIRED if figures[option_] is None]
    if missing and not asks:
        flags = ", ".join(f"`--{option_.replace('_', '-')}`" for option_ in missing)
        raise UsageError(f"figures of the data sheet are missing; expected: {flags}")
    if missing:
        figures = {option_: prompt_for_figure(option_, figures[option_]) for option_ in _KEYS}
    return {key: figures[option_] for option_, (key, _) in _KEYS.items()}


def prompt_for_figure(option_: str, value: float | None) -> float | None:
    """Return a figure, or prompt for it if it is missing; an optional figure may stay empty."""
    while value is None:
        rest = "" if option_ in _REQUIRED else ", or nothing"
        try:
            answer = input(f"{_KEYS[option_][1]}{rest}: ").strip()
        except EOFError:
            raise UsageError(
                f"the input ended before `--{option_.replace('_', '-')}`; expected: a figure of "
                "the data sheet"
            ) from None
        if not answer and rest:
            return None
        value = float(answer) if _is_positive(answer) else None
        if value is None:
            warn(f"`{answer}` is no figure; expected: a number above 0")
    return value


def _is_positive(text: str) -> bool:
    try:
        return 0.0 < float(text) < math.inf
    except ValueError:
        return False
