"""``venice fit``: create a drive file from measurements."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from venice.cli import options
from venice.cli.command import OUTPUT, REQUESTS, command, option
from venice.cli.files import STANDARD_STREAM, files_below
from venice.cli.output_files import claim, claimed_files, write_json
from venice.cli.progress import progress_count
from venice.cli.screen import print_table, print_text, warn
from venice.cli.value_types import InputFile, Integer, Keyword, OutputFile
from venice.fitting.drive_file import drive_file
from venice.fitting.fit import fit_drive
from venice.fitting.search import require_optuna
from venice.options.run_options import RunOptions
from venice.report.files import to_json
from venice.text import counts
from venice.text.layout import format_table
from venice.validation.summary import cells_of, shares_table
from venice.validation.validate import read_data

if TYPE_CHECKING:
    from collections.abc import Sequence

    from venice.fitting.fit import Fit
    from venice.fitting.search import Profile

_MOST_SHOWN = 20
"""Maximum number of printed loads that the drive cannot reach."""


@command()
@option(
    "--data",
    metavar="DIR",
    required=True,
    type=InputFile(reads=files_below, path_type=Path),
    help="Folder of measurements: CSV, fio's JSON output, fio's latency logs.",
)
@options.drive(None, "Base of the fitted drive: preset or TOML file.")
@option(
    "-o",
    "--output",
    metavar="FILE.toml",
    required=True,
    group=OUTPUT,
    type=OutputFile(path_type=Path),
    help="Drive file to write, with the fitted values.",
)
@option(
    "--param",
    "params",
    metavar="KEY[=LOW..HIGH]",
    multiple=True,
    help="Parameter to fit, with the range to search; repeatable [default: read, program and "
    "link times and rates, each from a third to three times its value in the base drive].",
)
@option(
    "--op",
    type=Keyword(["read", "write", "all"]),
    default="all",
    group=REQUESTS,
    help="Operation whose measurements the fit uses.",
)
@option(
    "--trials",
    metavar="N",
    type=Integer(1),
    default=120,
    help="Number of sets of parameter values to try first, before each parameter is varied alone.",
)
@option("--seed", metavar="S", type=Integer(0), default=1, help="Seed of the search.")
@options.sets
@options.json
@options.workers
def fit(
    *,
    data: Path,
    drive: str | None,
    output: Path,
    params: Sequence[str],
    op: str,
    trials: int,
    seed: int,
    sets: Sequence[str],
    json: str | None,
    workers: int | None,
) -> None:
    """Fit a drive file to measurements of a real drive.

    The fit uses half of the loads; the other half tests it.
    """
    require_optuna()
    base = RunOptions(drive=drive, sets=sets)
    rows = read_data(data)
    with claimed_files() as files:
        target, file = claim(files, str(output)), claim(files, json)
        with progress_count("settings") as count:
            found = fit_drive(
                base,
                rows,
                asked=params,
                operation=None if op == "all" else op,  # type: ignore[arg-type] # a choice
                trials=trials,
                seed=seed,
                workers=workers,
                progress=count.update,
            )
        text = drive_file(found, output, data.resolve().name)
        if target is None:
            print_text(text, end="")
        else:
            target.write(text.encode())
        write_json(lambda: to_json(found.as_json()), json, file)
    _show(found, stderr=STANDARD_STREAM in (json, str(output)))


def _show(found: Fit, *, stderr: bool) -> None:
    print_table(_parameters_table(found), stderr=stderr)
    named = [
        (found.before, "base, held out"),
        (found.fitted, "fitted half"),
        (found.held_out, "held-out half"),
    ]
    print_table(shares_table([replace(one, drive=name) for one, name in named]), stderr=stderr)
    if found.unreached:
        count = counts.of(len(found.unreached), "load")
        warn(f"no setting reaches {count} of the fitted half; a mechanism may be missing:")
        print_table(format_table(*cells_of(found.unreached[:_MOST_SHOWN]), left=3), stderr=True)
    for refusal in found.held_out.refused:
        warn(f"not simulated: {counts.of(refusal.rows, 'row')} of {refusal.file}: {refusal.reason}")


def _parameters_table(found: Fit) -> str:
    titles = ["parameter", "base", "fitted", "excluded\nbelow", "excluded\nabove", "determined"]
    rows = [
        [
            one.key,
            ", ".join(f"{value:g}" for value in one.base),
            one.text(profile.value),
            _bound(profile.low),
            _bound(profile.high),
            _determination(profile),
        ]
        for one, profile in zip(found.parameters, found.profiles, strict=True)
    ]
    return format_table(titles, rows)


def _bound(value: float | None) -> str:
    return "–" if value is None else f"{value:.4g}"


def _determination(profile: Profile) -> str:
    ends = [
        100 * (end / profile.value - 1) for end in (profile.low, profile.high) if end is not None
    ]
    if len(ends) == 2:  # noqa: PLR2004 both sides
        return f"{ends[0]:+.0f} to {ends[1]:+.0f} %".replace("-", "−")
    return "on one side" if ends else "no"
