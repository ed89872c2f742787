"""``venice reproduce``: published figures and tables again, and a scorecard."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from venice import counts
from venice._native import SimulationError, UsageError
from venice.cli import options
from venice.cli.cluster import on_cluster
from venice.cli.declared import Argument, Option
from venice.cli.files import STORE, below
from venice.cli.progress import counted
from venice.cli.screen import say, warn
from venice.cli.store_warnings import store_warnings
from venice.cli.written import require_matplotlib
from venice.reproduce import EXPERIMENTS, FULL, GOLDEN, QUICK, choose, reproduce
from venice.reproduce.runner import PICTURES, SCORECARDS
from venice.reproduce.scorecard import digits, nearest
from venice.reproduce.traces import traces_at_hand

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from venice.reproduce import Claim, Experiment, Reproduction, Size

_REPLAYS = "piq"
"""The suite that replays real traces."""
_SIZES = {size.name: size for size in (QUICK, FULL, GOLDEN)}


def _results(folder: Path, values: Mapping[str, Any]) -> Iterator[Path]:
    """Yield what the chosen experiments write to a folder."""
    if values["list_"] or not values["names"]:
        return
    yield from (folder / name for name in (*STORE, *SCORECARDS))
    for experiment in choose(values["names"]):
        yield from (folder / f"{experiment.name}{suffix}" for suffix in (".csv", *PICTURES))


def _default_results(_: Sequence[str], values: Mapping[str, Any]) -> Iterator[Path]:
    if values["out"] is None:
        size = _size(values["quick"], values["size"])
        yield from _results(_default_folder(size), values)


def _default_folder(size: Size) -> Path:
    return Path("out") / f"reproduce-{size.name}"


def reproduce_command(
    names: Annotated[
        list[str] | None,
        Argument(
            metavar="NAME",
            help="Experiments, or a suite of them; see --list.",
            writes=_default_results,
        ),
    ] = None,
    *,
    list_: Annotated[bool, Option("--list", help="Say which experiments there are.")] = False,
    out: Annotated[
        Path | None,
        Option(
            "--out",
            metavar="DIR",
            help="Where to; out/reproduce-SIZE by default.",
            writes=_results,
        ),
    ] = None,
    quick: Annotated[
        bool, Option("--quick", help="Fewer requests: all of Venice in ten minutes.")
    ] = False,
    size: Annotated[
        str | None,
        Option(
            "--size",
            metavar="NAME",
            help=f"One of {', '.join(_SIZES)}; full by default.",
            values=lambda: list(_SIZES),
        ),
    ] = None,
    traces: Annotated[
        Path | None,
        Option(
            "--traces",
            metavar="DIR",
            help="Real traces, in any format, for what replays them: the PIQ paper's.",
            reads=below,
        ),
    ] = None,
    seeds: Annotated[
        int | None,
        Option(
            "--seeds", metavar="N", least=1, help="Repeat the Venice paper's comparisons; by size."
        ),
    ] = None,
    workers: options.Workers = None,
    dask: options.Dask = None,
) -> None:
    """Draw published figures and tables again; called again, go on where it stopped."""
    if list_:
        _list()
        return
    if not names:
        raise UsageError("name an experiment or a suite; `venice reproduce --list` names them")
    require_matplotlib()
    chosen = choose(names)
    scale = _size(quick, size)
    scale = replace(scale, traces=traces or scale.traces, seeds=seeds or scale.seeds)
    folder = out or _default_folder(scale)
    _say_what_is_no_trace(chosen, scale)
    done = _run(chosen, folder, scale, workers, dask)
    _show(nearest(done.claims))
    _tell(done, folder)


def _say_what_is_no_trace(chosen: Sequence[Experiment], size: Size) -> None:
    if any(experiment.group == _REPLAYS for experiment in chosen):
        complaint = traces_at_hand(size).complaint
        if complaint:
            warn(complaint)


def _size(quick: bool, name: str | None) -> Size:
    if quick and name not in (None, QUICK.name):
        raise UsageError(f"--quick and --size {name} were given; give one of them")
    name = QUICK.name if quick else name or FULL.name
    if name not in _SIZES:
        raise UsageError(f"`{name}` is no size; there are {', '.join(_SIZES)}")
    return _SIZES[name]


def _list() -> None:
    width = max(len(experiment.name) for experiment in EXPERIMENTS)
    for group in dict.fromkeys(experiment.group for experiment in EXPERIMENTS):
        say(f"{group}: all of")
        for experiment in EXPERIMENTS:
            if experiment.group == group:
                say(f"  {experiment.name:<{width}}  {experiment.title} ({experiment.source})")


def _run(
    chosen: Sequence[Experiment], folder: Path, size: Size, workers: int | None, dask: str | None
) -> Reproduction:
    with (
        on_cluster(dask, workers) as executor,
        counted("runs", folder) as count,
        store_warnings(),
    ):
        return reproduce(
            chosen, folder, size, workers=workers, executor=executor, progress=count.update
        )


def _show(claims: Sequence[Claim]) -> None:
    for claim in claims:
        row = claim.row()
        ours = "–" if claim.ours is None else f"{row['ours']}"
        verdict = "yes" if claim.is_reproduced else "no "
        say(
            f"{verdict} {claim.experiment:<7} {claim.claim}: paper {digits(claim.paper)}, "
            f"ours {ours} {claim.unit} ({claim.regime})"
        )


def _tell(done: Reproduction, folder: Path) -> None:
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
    say(
        f"{close} of {len(best)} claims within 15 % of the paper in the regime shown; "
        f"{counts.of(len(outcome.results), 'run')}{before}; "
        f"tables, figures and scorecard.md in {folder}"
    )
    if outcome.failed:
        raise SimulationError(f"{counts.of(len(outcome.failed), 'run')} failed")
