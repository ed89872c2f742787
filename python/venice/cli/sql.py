"""``venice sql``: select rows of a table by a condition within a simulated drive."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from venice._native import UsageError
from venice.cli import options
from venice.cli.command import command, option
from venice.cli.output_files import claim, claimed_files, write_json
from venice.cli.screen import print_table, print_text
from venice.cli.search_report import drive_of_search, report_table
from venice.cli.usage import OptionError
from venice.cli.value_types import InputFile
from venice.pif import query_table
from venice.pif.search import DRIVE
from venice.report.files import to_json

if TYPE_CHECKING:
    from venice.config import FabricName
    from venice.pif import TableFound

_DONE, _UNREADABLE = 0, 1


@command()
@options.argument(
    "table", metavar="TABLE", type=InputFile(path_type=Path), help="CSV or .parquet file."
)
@option(
    "--where",
    metavar="CONDITION",
    help="Condition on the rows, as after WHERE in SQL [default: none].",
)
@option(
    "--select", metavar="COLUMNS", default="*", help="Columns to print, as after SELECT in SQL."
)
@option("--query", metavar="SQL", help="Complete SQL query, in place of --where and --select.")
@options.drive(DRIVE)
@options.drive_choice
@options.json
@options.search_report
def sql(
    table: Path,
    *,
    where: str | None,
    select: str,
    query: str | None,
    report: bool,
    drive: str,
    fabric: FabricName | None,
    sets: tuple[str, ...],
    seed: int | None,
    json: str | None,
) -> int:
    """Filter a table within a drive and print the rows as CSV.

    The chips search for values that the rows must hold (=, IN, LIKE): texts, whole numbers,
    decimals, dates and times. Zone maps rule out pages beyond bounds. DuckDB evaluates the query on
    the remaining rows.
    """
    if query is not None and (where is not None or select != "*"):
        raise OptionError(
            "--query",
            "`--query` cannot be combined with `--where` or `--select`",
            "expected: one of them",
        )
    with claimed_files() as claimed:
        json_file = claim(claimed, json)
        found = query_table(
            table,
            where,
            select=select,
            query=query,
            drive=drive_of_search(drive, fabric, sets, seed),
        )
        _print_rows(found)
        for page in found.unreadable:
            print_text(f"error: {page}", stderr=True)
        if report or json:
            write_json(lambda: to_json(_figures(found)), json, json_file)
        if report:
            print_table(report_table(found.report), stderr=True)
            print_text(_pushed_down(found), stderr=True)
    sys.stdout.flush()
    return _UNREADABLE if found.unreadable else _DONE


def _print_rows(found: TableFound) -> None:
    import pyarrow as pa  # noqa: PLC0415 it is there: the rows are its
    import pyarrow.csv as pv  # noqa: PLC0415

    output = pa.BufferOutputStream()
    try:
        pv.write_csv(found.table, output)
    except pa.ArrowException as error:
        raise UsageError(
            f"the selected rows cannot be written as CSV: {error}; expected: columns of numbers, "
            "texts, dates and times"
        ) from None
    sys.stdout.buffer.write(output.getvalue())


def _pushed_down(found: TableFound) -> str:
    patterns = ", ".join(map(_readable, found.patterns)) or "nothing"
    return (
        f"the chips searched for {patterns}: {found.candidates:,} rows were read, "
        f"{found.table.num_rows:,} rows printed"
    )


def _readable(pattern: bytes) -> str:
    """Return a pattern as text if it is ASCII with delimiters, otherwise as hexadecimal digits."""
    try:
        return repr(pattern.strip(b"\xff").decode("ascii"))
    except UnicodeDecodeError:
        return pattern.hex()


def _figures(found: TableFound) -> dict[str, object]:
    return {
        "patterns": list(map(_readable, found.patterns)),
        "candidates": found.candidates,
        "rows": found.table.num_rows,
        **found.report.to_dict(),
    }
