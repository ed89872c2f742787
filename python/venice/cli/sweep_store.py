"""``venice sweep status``, ``export`` and ``sql``: contents of a database of results."""

from __future__ import annotations

import csv
import io
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from venice._native import UsageError
from venice.cli import options
from venice.cli.command import OUTPUT, command, flag, option
from venice.cli.files import STORE, file_itself
from venice.cli.output_files import claim
from venice.cli.screen import print_text, warn
from venice.cli.store_warnings import store_warnings
from venice.cli.usage import OptionError
from venice.cli.value_types import FileType
from venice.report.files import to_json
from venice.text import counts
from venice.text.layout import format_table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from venice.sweep.store.engines import Engine
    from venice.sweep.store.status import Progress, Status

OUT = Path("out")
where = options.argument(
    "where",
    metavar="[DIR|SWEEP.toml]",
    required=False,
    type=FileType(path_type=Path),
    help="Folder of the results, or TOML file of the sweep [default: the only folder in out/].",
)
as_json = flag("--json", group=OUTPUT, help="JSON instead of a table.")
_MOST_ROWS = 1000


@command()
@where
@as_json
def status(where: Path | None, *, json: bool) -> None:
    """Show the progress of a sweep.

    The table shows the numbers of done, failed, running and remaining runs, and the remaining time.
    """
    from venice.sweep.store.database import FILE_NAME, REPLACEMENT  # noqa: PLC0415 with its command alone
    from venice.sweep.store.status import status as ask  # noqa: PLC0415 with its command alone

    folder = find_store(where)
    now = ask(folder)
    if json:
        print_text(to_json(_status_as_json(now)).rstrip("\n"))
        return
    titles = ["sweep", "points", "done", "failed", "impossible", "under way", "left", "stale"]
    print_text(format_table(titles, [_cells(sweep) for sweep in now.sweeps]))
    if not now.processes:
        print_text("no process works on it")
    elif now.left_s is None:
        print_text(f"{counts.of(now.processes, 'process', 'processes')} at work")
    else:
        who = counts.of(now.processes, "process", "processes")
        print_text(
            f"{who} at work, {now.runs_per_s:.1f} runs/s; done in about {_duration(now.left_s)}"
        )
    if now.interrupted:
        print_text(f"{counts.of(now.interrupted, 'run')} interrupted at least once")
    for engine in now.engines:
        print_text(_engine_line(engine))
    if now.damage:
        warn(f"{folder / FILE_NAME}: {now.damage}; {REPLACEMENT}")


def _store_files(_: str, values: Mapping[str, Any]) -> Iterator[Path]:
    """Yield the files of the chosen database of results, or of the default one."""
    where: Path | None = values["where"]
    if where is not None and where.suffix == ".toml":
        yield where
    yield from (find_store(where) / name for name in STORE)


@command()
@where
@option(
    "-o",
    "--output",
    metavar="FILE",
    required=True,
    type=FileType(reads=_store_files, writes=file_itself),
    help="Table file to write: .csv, .json or .parquet.",
)
def export(where: Path | None, *, output: str) -> None:
    """Write all finished runs as one table.

    The columns are the values on the axes and the figures of each run.
    """
    suffix = Path(output).suffix.lower()
    if suffix not in (".csv", ".json", ".parquet"):
        raise UsageError(
            f"{output}: unknown kind of table; expected: a name that ends in .csv, .json or "
            ".parquet"
        )
    from venice.sweep.store.query import Query  # noqa: PLC0415 with its command alone

    folder = find_store(where)
    with store_warnings(), Query(folder) as query, ExitStack() as files:
        names, kinds, rows = query.table()
        file = claim(files, Path(output))
        if suffix == ".parquet":
            from venice.sweep.store.parquet import write  # noqa: PLC0415 seldom wanted

            count = write(file, names, kinds, rows)
        else:
            count = (_write_csv if suffix == ".csv" else _write_json)(file, names, rows)
    print_text(f"{counts.of(count, 'run')} of {folder} in {output}")


@command()
@options.argument(
    "query",
    metavar="QUERY",
    help=(
        "SQL query over the table runs, such as: SELECT fabric, min(latency_us.all.p99) FROM runs "
        "GROUP BY fabric"
    ),
)
@where
@flag("--csv", "as_csv", group=OUTPUT, help="CSV instead of a table.")
@as_json
def sql(query: str, where: Path | None, *, as_csv: bool, json: bool) -> None:
    """Query the finished runs in SQL.

    The view `runs` has the values on the axes, the figures and the whole report as columns.
    """
    if as_csv and json:
        raise OptionError(
            "--csv", "`--csv` and `--json` cannot be combined", "expected: one of them"
        )
    from venice.sweep.store.query import Query  # noqa: PLC0415 with its command alone

    with store_warnings(), Query(find_store(where)) as store_query:
        names, rows = store_query.sql(query)
        if as_csv:
            _rows_as_csv(sys.stdout, names, rows)
        elif json:
            print_text(to_json([dict(zip(names, row, strict=True)) for row in rows]).rstrip("\n"))
        else:
            _show(names, rows)


def find_store(where: Path | None) -> Path:
    """Return the folder of a database of results, by default the only one in ``out/``.

    Raises
    ------
    UsageError
        If there is no database, or several.
    """
    from venice.sweep import Sweep  # noqa: PLC0415 with its command alone
    from venice.sweep.store import FILE_NAME  # noqa: PLC0415

    if where is None:
        folders = sorted(path.parent for path in OUT.glob(f"*/{FILE_NAME}"))
        if len(folders) == 1:
            return folders[0]
        there = "are several folders of" if folders else "are no"
        example = f", such as {folders[0]}" if folders else ""
        raise UsageError(
            f"there {there} results in {OUT}/; expected: the folder of the results, or their "
            f"sweep{example}"
        )
    if where.suffix == ".toml":
        return OUT / Sweep.load(where).name
    if where.name == FILE_NAME:
        return where.parent
    return where


def _cells(sweep: Progress) -> list[str]:
    numbers = (
        sweep.points,
        sweep.done,
        sweep.failed,
        sweep.impossible,
        sweep.running,
        sweep.left,
        sweep.stale,
    )
    return [sweep.name, *(f"{count:,}" for count in numbers)]


def _engine_line(engine: Engine) -> str:
    runs = counts.of(engine.runs, "run")
    return f"engine {engine}{' (this one)' if engine.is_current else ', stale'}: {runs}"


def _status_as_json(now: Status) -> dict[str, Any]:
    return {
        **now._asdict(),
        "sweeps": [{**sweep._asdict(), "left": sweep.left} for sweep in now.sweeps],
        "left_s": now.left_s,
        "engines": [
            {**engine._asdict(), "is_current": engine.is_current} for engine in now.engines
        ],
        "stale": now.stale,
        "damage": {
            "runs": [run.name for run in now.damage.runs],
            "sweeps": [sweep.name for sweep in now.damage.sweeps],
        },
    }


def _duration(seconds: float) -> str:
    minutes, hours = seconds / 60, seconds / 3600
    if hours >= 48:  # noqa: PLR2004 two days
        return f"{hours / 24:.1f} days"
    if minutes >= 120:  # noqa: PLR2004 two hours
        return f"{hours:.1f} hours"
    return f"{minutes:.0f} minutes" if minutes >= 2 else f"{seconds:.0f} s"  # noqa: PLR2004


def _show(names: list[str], rows: Iterator[tuple[Any, ...]]) -> None:
    shown = [[_text(cell) for cell in row] for row, _ in zip(rows, range(_MOST_ROWS), strict=False)]
    left = 0
    while left < len(names) and not all(_is_figure(row[left]) for row in shown):
        left += 1
    print_text(format_table(names, shown, left=left))
    if next(rows, None) is not None:
        print_text(f"... and more; the first {_MOST_ROWS:,} rows are shown, --csv gives all")


def _text(cell: object) -> str:
    if cell is None:
        return "–"
    return f"{cell:,.2f}" if isinstance(cell, float) else str(cell)


def _is_figure(text: str) -> bool:
    return text == "–" or text.replace(",", "").replace(".", "", 1).lstrip("-").isdigit()


def _rows_as_csv(file: TextIO, names: list[str], rows: Iterable[tuple[Any, ...]]) -> int:
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(names)
    count = 0
    for row in rows:
        writer.writerow(row)
        count += 1
    return count


def _write_csv(file: Any, names: list[str], rows: Iterable[tuple[Any, ...]]) -> int:  # noqa: ANN401
    text = io.TextIOWrapper(file, encoding="utf-8", newline="")
    count = _rows_as_csv(text, names, rows)
    text.flush()
    text.detach()
    return count


def _write_json(file: Any, names: list[str], rows: Iterable[tuple[Any, ...]]) -> int:  # noqa: ANN401
    import json  # noqa: PLC0415 its name is an option's elsewhere

    count = 0
    file.write(b"[")
    for row in rows:
        content = json.dumps(dict(zip(names, row, strict=True)), ensure_ascii=False)
        file.write(f"{',' if count else ''}\n  {content}".encode())
        count += 1
    file.write(b"\n]\n" if count else b"]\n")
    return count
