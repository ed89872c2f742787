"""``venice drive``: measurements of real drives, made and converted."""

from __future__ import annotations

from contextlib import ExitStack
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from venice._native import drive_names
from venice.cli import options
from venice.cli.command import OUTPUT, command, flag, option
from venice.cli.files import files_below, of_drive
from venice.cli.output_files import claim
from venice.cli.screen import print_text, warn
from venice.cli.value_types import InputFile, OutputStream
from venice.report import to_json
from venice.text import counts
from venice.text.layout import format_table
from venice.validation.csv_file import csv_of
from venice.validation.validate import read_data

if TYPE_CHECKING:
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
    help="Folder of fio's JSON output, as the script of `venice drive script` writes it.",
)
@option("--name", metavar="NAME", required=True, help="Drive, such as samsung-980-pro-1tb.")
@option(
    "-o",
    "--output",
    metavar="OUT.csv",
    required=True,
    group=OUTPUT,
    type=OutputStream(),
    help="Data set as CSV; - for standard output.",
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
@flag("--json", "as_json", group=OUTPUT, help="Figures as JSON.")
def check(drive: str, *, as_json: bool) -> None:
    """Print a drive's sequential and random rates, their bounds, and its data sheet.

    Random writes and mixed requests run in steady state. The bound is the busiest resource, or the
    latency of a single request. The sheet is the section `[sheet]` of the drive file.
    """
    from venice.sheet.check import check_drive  # noqa: PLC0415 other commands do without

    figures = check_drive(drive)
    if as_json:
        print_text(to_json([figure._asdict() for figure in figures]), end="")
        return
    print_text(format_table(_TITLES, [_cells(figure) for figure in figures]))


_TITLES = [
    "load",
    "depth",
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
        f"{figure.mb_per_s:.0f}",
        f"{figure.iops:.0f}",
        f"{figure.mean_us:.1f}",
        f"{figure.p99_us:.1f}",
        "" if amplification is None else f"{amplification:.2f}",
        figure.bound,
        f"{max(figure.busy_pct.values()):.0f}",
        ", ".join(f"{value:g} {_UNITS[field]}" for field, value in figure.sheet.items()),
        ", ".join(f"{figure.difference_pct(field):+.1f}" for field in figure.sheet),
    ]
