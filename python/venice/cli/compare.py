"""``venice compare``: run the same requests on several fabrics, drives or host schedulers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, BinaryIO

from venice.api.compare import SCHEDULER, line_up, parse_fabrics, run_lineup
from venice.api.explanation import explain
from venice.api.schemes import ALL, parse_schemes, run_schemes, scheme_variants
from venice.cli import options
from venice.cli.checks import Checking, checking
from venice.cli.command import command
from venice.cli.files import STANDARD_STREAM
from venice.cli.output_files import claim, claim_picture, claimed_files, write_json
from venice.cli.progress import progress_lines
from venice.cli.results import show, show_explanations
from venice.cli.run_outputs import watch_of
from venice.cli.screen import warn
from venice.cli.usage import OptionError
from venice.options.argument_names import split_values
from venice.options.checks import check
from venice.options.remarks import remarks
from venice.options.run_options import RunOptions
from venice.report.percentiles import USUAL
from venice.report.report_lists import reports_to_json

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from venice.api.compare import Lineup
    from venice.api.explanation import Explanation
    from venice.report import Report


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """Rows of a comparison, with the options that select what is shown of each row."""

    drives: tuple[str, ...]
    fabrics: str | None
    schemes: str | None
    vary: tuple[str, ...]
    seeds: int
    percentiles: tuple[float, ...]
    confidence: float
    why: bool | None

    def check(self, why_plot: Path | None, *, causes: bool) -> None:
        """Refuse conflicting options.

        Raises
        ------
        OptionError
            The message names the first conflicting option.
        """
        options.confidence_pct(self.confidence)
        if self.schemes is not None:
            self._check_schemes(self.schemes)
        if why_plot is not None and not self.why:
            raise OptionError("--why-plot", "`--why-plot` requires `--why`", "add --why")
        if self.why and not causes:
            raise OptionError(
                "--why", "`--why` and `--no-causes` cannot be combined", "leave --no-causes out"
            )

    def _check_schemes(self, schemes: str) -> None:
        if self.percentiles != USUAL:
            raise OptionError(
                "--percentiles",
                "`--percentiles` and `--schemes` cannot be combined",
                "expected: one of them; the table of host schedulers has columns of its own",
            )
        others = {"--vary": self.vary, "--why": self.why, "--seeds": self.seeds > 1}
        given = [name for name, value in others.items() if value]
        if given:
            raise OptionError(
                given[0],
                f"`{given[0]}` and `--schemes` cannot be combined",
                f"use --vary {SCHEDULER}={schemes} instead of --schemes",
            )

    def lineup(self, run: RunOptions) -> Lineup:
        """Return the rows of fabrics or drives."""
        requested = parse_fabrics(self.fabrics) if self.fabrics else None
        vary = _axes(self.vary)
        lineup = line_up(self.drives, requested, run, vary=vary, seeds=self.seeds)
        _warn_of(lineup)
        return lineup

    def scheme_variants(
        self, schemes: str, run: RunOptions
    ) -> tuple[Sequence[str], Callable[..., list[Report]]]:
        """Return the names of the rows of host schedulers, and the function that runs the rows."""
        names = [name for name in schemes.split(",") if name]
        requested = parse_schemes(schemes if schemes == ALL else names)
        fabrics = parse_fabrics(self.fabrics) if self.fabrics else None
        lineup, variants = scheme_variants(requested, fabrics, self._on_one_drive(run))
        _warn_of(lineup)
        names = [f"{row.fabric} {scheme}".strip() for row in lineup.rows for scheme in requested]
        return names, partial(run_schemes, variants)

    def _on_one_drive(self, run: RunOptions) -> RunOptions:
        if not self.drives:
            return run
        if len(self.drives) > 1 or run.drive is not None:
            raise OptionError("--schemes", "`--schemes` was given with several drives")
        return replace(run, drive=self.drives[0])


@command()
@options.drives
@options.drive(None, "Drive of all rows: a preset or a file [default: venice-performance].")
@options.fabrics
@options.schemes
@options.vary
@options.sets
@options.load_state
@options.request_source
@options.seed
@options.seeds
@options.percentiles()
@options.confidence
@options.json
@options.plot
@options.why_plot
@options.observing
@options.why
@options.audit
@options.workers
@checking
@options.gather(comparison=Comparison, run=RunOptions, observing=options.Observing, checks=Checking)
def compare(
    comparison: Comparison,
    run: RunOptions,
    observing: options.Observing,
    checks: Checking,
    *,
    json: str | None,
    plot: Path | None,
    why_plot: Path | None,
    workers: int | None,
) -> int:
    """Compare fabrics, drives or host schedulers.

    Every row serves the same requests.
    """
    comparison.check(why_plot, causes=observing.causes is not False)
    check(run)
    checks.check(json)
    watched = watch_of(observing, usual_causes=True)
    lineup: Lineup | None = None
    names: Sequence[str]
    run_all: Callable[..., list[Report]]
    if comparison.schemes is None:
        lineup = comparison.lineup(run)
        names, run_all = lineup.names, partial(run_lineup, lineup)
    else:
        names, run_all = comparison.scheme_variants(comparison.schemes, run)
    with claimed_files() as files:
        plot_file, json_file = claim_picture(files, plot), claim(files, json)
        why_file, junit = claim_picture(files, why_plot), claim(files, checks.junit)
        with progress_lines(names) as lines:
            reports = run_all(workers=workers, progress=lines.update, watch=watched)
        write_json(lambda: reports_to_json(checks.written(reports)), json, json_file)
        _draw(reports, comparison, plot, plot_file)
        why = lineup if comparison.why else None
        explanations = explain(why, reports, workers=workers) if why else []
        _draw_why(explanations, why_plot, why_file)
        _show(reports, comparison, run, json)
        show_explanations(explanations, json)
        return checks.end(names, reports, junit, stderr=json == STANDARD_STREAM)


def _show(
    reports: Sequence[Report], comparison: Comparison, run: RunOptions, json: str | None
) -> None:
    of_schemes = comparison.schemes is not None
    two_rows = not of_schemes and len(reports) == 2 * comparison.seeds
    show(
        reports,
        json,
        of_schemes=of_schemes,
        run=run,
        percentiles=comparison.percentiles,
        seeds=comparison.seeds,
        why=two_rows if comparison.why is None else comparison.why,
        confidence_pct=comparison.confidence,
    )


def _axes(texts: Sequence[str]) -> dict[str, list[str]]:
    """Parse settings to vary, each written as ``key=value,value``."""
    axes: dict[str, list[str]] = {}
    for text in texts:
        key, _, values = text.partition("=")
        parts = split_values(values)
        if not key or not all(parts):
            raise OptionError(
                "--vary",
                f"`--vary` is `{text}`",
                "expected: a setting and its values, such as flash.t_read_us=3,40",
            )
        axes.setdefault(key, []).extend(parts)
    return axes


def _warn_of(lineup: Lineup) -> None:
    """Warn of fabrics that are left out and of settings that have no effect."""
    for name, reason in lineup.left_out:
        headline = reason.splitlines()[0].removeprefix("error: ")
        warn(f"{name} is not run: {headline}")
    rows: dict[str, list[str]] = {}
    for name, row in zip(lineup.row_names(), lineup.rows, strict=True):
        for remark in remarks(row.drive(), row.options):
            rows.setdefault(remark, []).append(name)
    for remark, names in rows.items():
        is_of_all = len(names) == len(lineup.rows)
        warn(
            remark
            if is_of_all
            else f"{', '.join(names)} ({len(names)} of {len(lineup.rows)} rows): {remark}"
        )


def _draw(
    reports: Sequence[Report], comparison: Comparison, path: Path | None, file: BinaryIO | None
) -> None:
    if path is None or file is None:
        return
    from venice import plot  # noqa: PLC0415 matplotlib takes a second to load

    if comparison.schemes is not None:
        figure = plot.draw_schedule(reports)
    else:
        figure = plot.draw_comparison(
            reports, seeds=comparison.seeds, confidence_pct=comparison.confidence
        )
    plot.save(figure, file, path.suffix.lower())


def _draw_why(
    explanations: Sequence[Explanation], path: Path | None, file: BinaryIO | None
) -> None:
    if path is None or file is None:
        return
    from venice import plot  # noqa: PLC0415 matplotlib takes a second to load
    from venice.plot.explanation import draw_why  # noqa: PLC0415 seldom wanted

    plot.save(draw_why(explanations), file, path.suffix.lower())
