"""``venice validate``: comparison of a simulated drive with measurements of real drives."""

from __future__ import annotations

from contextlib import ExitStack
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from venice._native import UsageError, drive_names
from venice.cli import options
from venice.cli.command import OUTPUT, REQUESTS, command, option
from venice.cli.files import STANDARD_STREAM, files_below, of_drives
from venice.cli.output_files import (
    claim,
    claim_picture,
    require_html,
    require_matplotlib,
    write_json,
)
from venice.cli.progress import progress_count
from venice.cli.screen import print_table, print_text, warn
from venice.cli.usage import WrongValueError
from venice.cli.value_types import InputFile, Keyword, OutputFile, Text
from venice.options.run_options import RunOptions
from venice.options.value_checks import check_range
from venice.report.files import to_json
from venice.text import counts
from venice.validation.halves import HALVES
from venice.validation.summary import (
    MOST_ROWS,
    by_load,
    points_table,
    shares_table,
    unsteady_text,
)
from venice.validation.validate import Selection, names_of, read_data, rows_for, validate_drive
from venice.validation.verdict import validations_as_json

if TYPE_CHECKING:
    from collections.abc import Sequence

    import click

    from venice.validation.halves import Half
    from venice.validation.rows import Row
    from venice.validation.verdict import Validation

    Bounds = tuple[float, float]

_PERCENT = 100.0


class _Shares(Text):
    """Type of an option value with two shares in %, such as ``90,75``."""

    name = "shares"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:  # noqa: ANN401 as click has it
        """Parse the two shares.

        Raises
        ------
        WrongValueError
            If the text is not two numbers from 0 to 100.
        """
        if isinstance(value, tuple):
            return value
        try:
            shares = tuple(float(part) for part in super().convert(value, param, ctx).split(","))
        except ValueError:
            shares = ()
        if len(shares) != 2 or not all(0 <= share <= _PERCENT for share in shares):  # noqa: PLR2004 a pair
            raise WrongValueError(value, "two shares from 0 to 100 %, such as 90,75", param, ctx)
        return shares


@command()
@options.argument(
    "drives",
    metavar="DRIVE...",
    nargs=-1,
    required=True,
    type=InputFile(reads=of_drives, values=drive_names, defines="drive"),
    help="Drives to validate: presets or TOML files.",
)
@option(
    "--data",
    metavar="DIR",
    required=True,
    type=InputFile(reads=files_below, path_type=Path),
    help="Folder of measurements: CSV, fio's JSON output, fio's latency logs.",
)
@option(
    "--op",
    type=Keyword(["read", "write", "all"]),
    default="all",
    group=REQUESTS,
    help="Operation whose measurements are compared.",
)
@option(
    "--split",
    type=Keyword([*HALVES]),
    group=REQUESTS,
    help="Half of the measured loads that is simulated: `fitted`, which `venice fit` uses, or "
    "`held-out`, which tests the fit [default: both].",
)
@option(
    "--require",
    metavar="MEAN_PCT,P99_PCT",
    type=_Shares(),
    help="Required shares in %: of rows whose mean latency is within 10 % of the measurement, "
    "and of rows whose p99 is within 15 %. The exit code is 1 if a share is smaller.",
)
@options.sets
@options.seed
@options.json
@option(
    "--plot",
    metavar="FILE.png",
    group=OUTPUT,
    type=OutputFile(path_type=Path),
    help="Plot of measured and simulated figures: PNG, SVG or PDF.",
)
@option(
    "--html",
    metavar="FILE.html",
    group=OUTPUT,
    type=OutputFile(path_type=Path),
    help="HTML page with tables and plots.",
)
@options.workers
def validate(
    drives: Sequence[str],
    *,
    data: Path,
    op: str,
    split: Half | None,
    require: Bounds | None,
    sets: Sequence[str],
    seed: int | None,
    json: str | None,
    plot: Path | None,
    html: Path | None,
    workers: int | None,
) -> int:
    """Compare drives with measurements of real ones.

    Each measured row is simulated with its queue depth, request size, mix, rates and
    preconditioning. Rows that a drive cannot simulate are counted by reason.
    """
    selection = Selection(None if op == "all" else op, split)  # type: ignore[arg-type] # a choice
    if seed is not None:
        check_range("seed", seed)
    scenarios = [RunOptions(drive=drive, sets=sets, seed=seed) for drive in drives]
    rows = read_data(data)
    for scenario in scenarios:
        rows_for(rows, names_of(scenario)[1])
    with ExitStack() as files:
        file, picture = claim(files, json), claim_picture(files, plot)
        page = _claim_page(files, html)
        validations = [_run(scenario, rows, selection, workers) for scenario in scenarios]
        if not any(one.points for one in validations):
            _warn_of_refusals(validations)
            raise UsageError(
                f"no row was compared\n  --> --data {data}\n   = expected: rows that the drive can "
                "simulate; name data of the drive, or another `--op` or `--split`"
            )
        write_json(lambda: to_json(validations_as_json(validations)), json, file)
        if picture is not None and plot is not None:
            # Matplotlib takes a second to load.
            from venice.plot.save import save  # noqa: PLC0415
            from venice.plot.validation import draw_validations  # noqa: PLC0415

            save(draw_validations(validations), picture, plot.suffix)
        if page is not None:
            from venice.plot.validation import validation_svg  # noqa: PLC0415 as above
            from venice.validation.page import page_of  # noqa: PLC0415 seldom wanted

            page.write(page_of(validations, validation_svg).encode())
    _show(validations, stderr=json == STANDARD_STREAM)
    return _verdict(validations, require)


def _claim_page(files: ExitStack, html: Path | None) -> Any:  # noqa: ANN401 a binary file
    if html is None:
        return None
    require_matplotlib()
    require_html(html, "a page about a validation")
    return claim(files, html)


def _run(
    scenario: RunOptions, rows: Sequence[Row], selection: Selection, workers: int | None
) -> Validation:
    name, _ = names_of(scenario)
    with progress_count(name) as count:
        return validate_drive(scenario, rows, selection, workers=workers, progress=count.update)


def _show(validations: Sequence[Validation], *, stderr: bool) -> None:
    for one in validations:
        print_text(f"{one.drive}, measured as {', '.join(one.names)}", stderr=stderr)
        if one.points:
            print_table(points_table(one), stderr=stderr)
            left = len(by_load(one.points)) - MOST_ROWS
            if left > 0:
                print_text(
                    f"... and {counts.of(left, 'more load')}; --json has all rows\n", stderr=stderr
                )
    _warn_of_refusals(validations)
    for one in validations:
        if one.unsteady_scenes:
            warn(unsteady_text(one))
    print_table(shares_table(validations), stderr=stderr)


def _warn_of_refusals(validations: Sequence[Validation]) -> None:
    for refusal in chain.from_iterable(one.refused for one in validations):
        warn(f"not simulated: {counts.of(refusal.rows, 'row')} of {refusal.file}: {refusal.reason}")


def _verdict(validations: Sequence[Validation], require: Bounds | None) -> int:
    """Return 1 if a share is below the limit of `--require`, otherwise 0."""
    if require is None:
        return 0
    failed = 0
    for one in validations:
        for name, share, bound in zip(("mean", "p99"), one.shares(), require, strict=True):
            if (share.pct or 0.0) < bound:
                found = "no row" if share.pct is None else f"{share.pct:.1f} %"
                warn(f"{one.drive}: {name} agrees at {found}, required: {bound:g} %")
                failed = 1
    return failed
