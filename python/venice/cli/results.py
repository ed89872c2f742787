"""Where the results of a run go: the table, and the JSON file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from venice import output
from venice._native import UsageError
from venice.cli.screen import say, say_table
from venice.report.percentiles import USUAL
from venice.report.scheduled import saturated, scheduler_notes, scheme_table
from venice.report.table import caption, notes, table
from venice.report.work import has_moved, work_table

if TYPE_CHECKING:
    from collections.abc import Sequence
    from contextlib import ExitStack
    from typing import BinaryIO

    from venice.report import Report

STANDARD_OUTPUT = "-"
_PLOT_SUFFIXES = (".png", ".svg")


def claim(files: ExitStack, path: Path | str | None) -> BinaryIO | None:
    """Make sure that a file can be written, before the run; `files` puts it in its place.

    Raises
    ------
    UsageError
        If it cannot be written.
    """
    if path is None or path == STANDARD_OUTPUT:
        return None
    return files.enter_context(output.create(Path(path)))


def claim_picture(files: ExitStack, path: Path | None) -> BinaryIO | None:
    """Make sure that a picture can be written, as :func:`claim` does.

    Raises
    ------
    UsageError
        If it cannot, or is neither PNG nor SVG by its name.
    """
    if path is not None and path.suffix.lower() not in _PLOT_SUFFIXES:
        raise UsageError(f"{path}: a picture is PNG or SVG; end its name in .png or .svg")
    return claim(files, path)


def write_json(text: str, path: str | None, file: BinaryIO | None) -> None:
    """Write JSON to where ``--json`` said, if anywhere."""
    if file is not None:
        file.write(text.encode())
    elif path == STANDARD_OUTPUT:
        typer.echo(text, nl=False)


def show(
    reports: Sequence[Report],
    json: str | None,
    *,
    of_schemes: bool = False,
    percentiles: Sequence[float] = USUAL,
) -> None:
    """Print the tables, out of the way of JSON on standard output.

    What the drive did besides is told of a single run, and of a comparison in which it moved or
    erased anything.
    """
    stderr = json == STANDARD_OUTPUT
    first = scheme_table(reports) if of_schemes else table(reports, percentiles)
    say_table(first, stderr=stderr)
    if not of_schemes and (len(reports) == 1 or any(map(has_moved, reports))):
        say(f"{work_table(reports)}\n", stderr=stderr)
    say(caption(reports), stderr=stderr)
    more = scheduler_notes(reports[0]) if len(reports) == 1 else saturated(reports)
    for note in (*notes(reports[0]), *more):
        say(note, stderr=stderr)
