"""``venice reproduce``: reproduction of published figures and tables, with a scorecard."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from venice._native import SimulationError, UsageError
from venice.cli import options
from venice.cli.cluster import on_cluster
from venice.cli.command import OUTPUT, command, flag, option
from venice.cli.files import STORE, files_below
from venice.cli.output_files import MATPLOTLIB_TO_INSTALL, has_matplotlib
from venice.cli.progress import progress_count
from venice.cli.screen import print_text, warn
from venice.cli.store_warnings import store_warnings
from venice.cli.usage import OptionError
from venice.cli.value_types import FileType, InputFile, Integer, OutputFile, Text
from venice.papers import EXPERIMENTS, FULL, GOLDEN, QUICK, choose, reproduce
from venice.papers.experiments.suite import REGIMES
from venice.papers.registry import replays_traces
from venice.papers.runner import PICTURES, SCORECARDS
from venice.papers.scorecard import digits, nearest
from venice.papers.traces import available_traces, named_traces
from venice.text import counts

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from venice.papers import Claim, Experiment, Reproduction, Size

_REGIMES = [regime.name for regime in REGIMES]
_OF_REGIMES = "claims"
"""Experiment to which `--regimes` applies."""
_SIZES = {size.name: size for size in (QUICK, FULL, GOLDEN)}


def _results(folder: Path, values: Mapping[str, Any]) -> Iterator[Path]:
    """Yield the output files of the selected experiments."""
    if values["list_"] or not values["names"]:
        return
    yield from (folder / name for name in (*STORE, *SCORECARDS))
    for experiment in choose(values["names"]):
        yield from (folder / f"{experiment.name}{suffix}" for suffix in (".csv", *PICTURES))


def _default_results(_: Sequence[str], values: Mapping[str, Any]) -> Iterator[Path]:
    if values["out"] is None:
        size = _size(values["quick"], values["size"])
        yield from _results(_default_folder(size), values)


class _Experiments(FileType):
    """Type of arguments that name experiments, whose results are written to a folder."""

    def __init__(self) -> None:
        super().__init__(writes=_default_results, values=_experiment_names)


def _experiment_names() -> list[str]:
    groups = dict.fromkeys(experiment.group for experiment in EXPERIMENTS)
    return [*groups, *(experiment.name for experiment in EXPERIMENTS)]


def _default_folder(size: Size) -> Path:
    return Path("out") / f"reproduce-{size.name}"


@command("reproduce")
@options.argument(
    "names",
    metavar="[NAME]...",
    nargs=-1,
    type=_Experiments(),
    help="Names of experiments or of suites; see --list.",
)
@flag("--list", "list_", help="List the experiments, without running them.")
@option(
    "--out",
    metavar="DIR",
    group=OUTPUT,
    type=OutputFile(writes=_results, path_type=Path),
    help="Folder of the results [default: out/reproduce-SIZE].",
)
@flag(
    "--quick",
    help="Same as --size quick; all experiments with the Venice paper then take ten minutes.",
)
@option(
    "--size",
    metavar="NAME",
    type=Text(lambda: list(_SIZES)),
    help=f"Number of requests: {', '.join(_SIZES)} [default: full].",
)
@option(
    "--traces",
    metavar="DIR",
    type=InputFile(reads=files_below, path_type=Path),
    help="Folder of real traces, in any format, for the experiments with the PIQ paper and for "
    "fig13 and claims.",
)
@option(
    "--seeds",
    metavar="N",
    type=Integer(1),
    help="Number of seeds for the comparisons with the Venice paper [default: depends "
    "on the size].",
)
@option(
    "--regimes",
    metavar="NAME,...",
    type=Text(lambda: _REGIMES),
    help="Regimes in which `claims` compares the Venice paper's claims: "
    f"{', '.join(_REGIMES)} [default: all].",
)
@options.workers
@options.dask
def reproduce_command(
    names: tuple[str, ...],
    *,
    list_: bool,
    out: Path | None,
    quick: bool,
    size: str | None,
    traces: Path | None,
    seeds: int | None,
    regimes: str | None,
    workers: int | None,
    dask: str | None,
) -> None:
    """Reproduce published figures and tables.

    A repeated command resumes the experiments.
    """
    if list_:
        _list()
        return
    if not names:
        raise UsageError(
            "there is nothing to reproduce; expected: an experiment or a suite; "
            "`venice reproduce --list` names them"
        )
    chosen = choose(names)
    if traces is not None:
        _check_traces(chosen)
    scale = _size(quick, size)
    scale = replace(
        scale,
        traces=traces or scale.traces,
        seeds=seeds or scale.seeds,
        regimes=None if regimes is None else parse_regimes(regimes, chosen),
    )
    folder = out or _default_folder(scale)
    _warn_of_unread_traces(chosen, scale)
    if not has_matplotlib():
        warn(f"no pictures are drawn: they need {MATPLOTLIB_TO_INSTALL}")
    done = _run(chosen, folder, scale, workers, dask)
    _show(nearest(done.claims))
    _print_summaries(done)
    _print_outcome(done, folder)


def _check_traces(chosen: Sequence[Experiment]) -> None:
    """Refuse a folder of traces if no experiment replays traces."""
    if not any(map(replays_traces, chosen)):
        raise OptionError(
            "--traces",
            "`--traces` has no effect on the named experiments",
            "expected: `claims`, `fig13` or an experiment of the suite `piq` among them",
        )


def _warn_of_unread_traces(chosen: Sequence[Experiment], size: Size) -> None:
    replaying = list(filter(replays_traces, chosen))
    if not replaying:
        return
    # The shared folder is read for the PIQ paper alone.
    is_for_piq = any(experiment.group == "piq" for experiment in replaying)
    complaint = (available_traces(size) if is_for_piq else named_traces(size)).complaint
    if complaint:
        warn(complaint)


def _size(quick: bool, name: str | None) -> Size:
    if quick and name not in (None, QUICK.name):
        raise OptionError(
            "--size", f"`--quick` and `--size {name}` cannot be combined", "expected: one of them"
        )
    name = QUICK.name if quick else name or FULL.name
    if name not in _SIZES:
        raise OptionError(
            "--size", f"`--size` is `{name}`", f"expected: one of {', '.join(_SIZES)}"
        )
    return _SIZES[name]


def parse_regimes(text: str, chosen: Sequence[Experiment]) -> tuple[str, ...]:
    """Return the regimes that a text names, separated by commas, for the chosen experiments.

    Raises
    ------
    OptionError
        If a regime is unknown or no experiment has regimes.
    """
    names = tuple(name.strip() for name in text.split(","))
    for name in names:
        if name not in _REGIMES:
            raise OptionError(
                "--regimes", f"`{name}` is not a regime", f"expected: some of {', '.join(_REGIMES)}"
            )
    if all(experiment.name != _OF_REGIMES for experiment in chosen):
        raise OptionError(
            "--regimes",
            f"`--regimes` applies to `{_OF_REGIMES}` only",
            f"expected: `{_OF_REGIMES}` among the experiments",
        )
    return names


def _list() -> None:
    width = max(len(experiment.name) for experiment in EXPERIMENTS)
    for group in dict.fromkeys(experiment.group for experiment in EXPERIMENTS):
        print_text(f"{group}: all of")
        for experiment in EXPERIMENTS:
            if experiment.group == group:
                print_text(
                    f"  {experiment.name:<{width}}  {experiment.title} ({experiment.source})"
                )


def _run(
    chosen: Sequence[Experiment], folder: Path, size: Size, workers: int | None, dask: str | None
) -> Reproduction:
    with (
        on_cluster(dask, workers) as executor,
        progress_count("runs", folder) as count,
        store_warnings(),
    ):
        return reproduce(
            chosen,
            folder,
            size,
            workers=workers,
            executor=executor,
            progress=count.update,
            pictures=has_matplotlib(),
        )


def _show(claims: Sequence[Claim]) -> None:
    for claim in claims:
        row = claim.row()
        ours = "–" if claim.ours is None else f"{row['ours']}"
        compared = f"; {claim.compared}" if claim.compared else ""
        verdict = "yes" if claim.is_reproduced else "no "
        print_text(
            f"{verdict} {claim.experiment:<7} {claim.claim}: paper {digits(claim.paper)}, "
            f"ours {ours} {claim.unit} ({claim.regime}{compared})"
        )


def _print_summaries(done: Reproduction) -> None:
    for finding in done.findings.values():
        if finding.summary:
            print_text(f"\n{finding.summary}\n")


def _print_outcome(done: Reproduction, folder: Path) -> None:
    outcome = done.outcome
    if outcome is None:
        return
    if outcome.left_out:
        point, reason = outcome.left_out[0]
        first = reason.splitlines()[0].removeprefix("error: ")
        warn(f"{len(outcome.left_out)} points have impossible drives; the first: {point}: {first}")
    for point, reason in outcome.failed:
        warn(f"failed: {point}: {reason.removeprefix('error: ')}")
    best = nearest(done.claims)
    close = sum(claim.is_reproduced for claim in best)
    before = f", {outcome.found} of them found there" if outcome.found else ""
    claims = f"{close} of {len(best)} claims within 15 % of the paper in the regime shown; "
    files = "tables, figures and scorecard.md" if has_matplotlib() else "tables and scorecard.md"
    print_text(
        f"{claims if best else ''}"
        f"{counts.of(len(outcome.results), 'run')}{before}; {files} in {folder}"
    )
    if outcome.failed:
        raise SimulationError(
            f"{folder}: {counts.of(len(outcome.failed), 'run')} failed; the reasons are above; "
            "the same command runs them again"
        )
