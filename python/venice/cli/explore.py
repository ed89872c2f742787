"""``venice explore``: multi-objective search of a design space."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from venice._native import SimulationError, UsageError
from venice.cli import options
from venice.cli.cluster import on_cluster
from venice.cli.command import OUTPUT, command, option
from venice.cli.dashboard import shown_live
from venice.cli.files import STANDARD_STREAM, default_results, of_definition
from venice.cli.output_files import claim, claim_picture, claimed_files, write_json
from venice.cli.progress import progress_count
from venice.cli.screen import print_table, print_text, warn
from venice.cli.store_warnings import store_warnings
from venice.cli.usage import OptionError
from venice.cli.value_types import FileType, OutputFile
from venice.exploration import Exploration, explore
from venice.exploration.goals import unit_of
from venice.report.files import to_json
from venice.sweep.definition import located_in
from venice.text import counts
from venice.text.layout import format_table

if TYPE_CHECKING:
    from collections.abc import Iterable

    from venice.exploration import Explored, Found
    from venice.sweep import Point

_MOST_ROWS = 60
_MOST_FAILED = 10


@command("explore")
@options.argument(
    "definition",
    metavar="EXPLORE.toml",
    type=FileType(reads=of_definition, writes=default_results, path_type=Path),
    help="TOML file with scenario, axes, objectives and constraints.",
)
@option(
    "--runs",
    metavar="N",
    type=int,
    help="Maximum cost of the exploration, as a number of full runs [default: 200].",
)
@option("--seed", metavar="S", type=int, help="Seed of the optimiser [default: the file's].")
@options.results_folder
@options.fold
@options.json
@option(
    "--plot",
    metavar="FILE.png",
    group=OUTPUT,
    type=OutputFile(path_type=Path),
    help="Plot of the Pareto front: PNG, SVG or PDF.",
)
@options.workers
@options.dask
@options.dashboard
def explore_command(
    definition: Path,
    *,
    runs: int | None,
    seed: int | None,
    out: Path | None,
    workers: int | None,
    dask: str | None,
    dashboard: bool,
    fold: bool,
    plot: Path | None,
    json: str | None,
) -> None:
    """Search a design space for several objectives at once.

    A repeated command resumes the exploration.
    """
    found = Exploration.load(definition, fold=fold).with_search(runs=runs, seed=seed)
    folder = out or Path("out") / found.name
    if plot is not None and len(found.goals.objectives) == 1:
        raise OptionError(
            "--plot",
            "`--plot` draws one objective over another",
            "expected: two objectives; the file has one",
        )
    with claimed_files() as files:
        picture, file = claim_picture(files, plot), claim(files, json)
        with located_in(definition), shown_live(folder, is_wanted=dashboard):
            explored = _run(found, folder, workers, dask)
        _show(explored, folder, stderr=json == STANDARD_STREAM)
        _refuse_failure(explored)
        if picture is not None and plot is not None:
            # Matplotlib takes a second to load.
            from venice.plot.front import draw_front  # noqa: PLC0415
            from venice.plot.save import save  # noqa: PLC0415

            save(draw_front(explored), picture, plot.suffix)
        write_json(lambda: to_json(_as_json(explored)), json, file)


def _run(found: Exploration, folder: Path, workers: int | None, dask: str | None) -> Explored:
    with (
        on_cluster(dask, workers) as executor,
        progress_count(found.name, folder, found.search.runs) as count,
        store_warnings(),
    ):
        return explore(found, folder, workers=workers, executor=executor, progress=count.update)


def _refuse_failure(explored: Explored) -> None:
    """Exit with the message and the exit code of the failed runs, if some runs failed."""
    failed = len(explored.failed)
    if failed:
        is_all_refused = not explored.points and explored.refused == failed
        kind = UsageError if is_all_refused else SimulationError
        raise kind(f"the runs of {failed} points failed")


def _show(explored: Explored, folder: Path, *, stderr: bool) -> None:
    front = explored.front
    if front:
        print_table(_table(explored.exploration, front), stderr=stderr)
    if len(front) > _MOST_ROWS:
        print_text(f"... and {len(front) - _MOST_ROWS} more rows", stderr=stderr)
    if not front and explored.points:
        _print_nearest(explored)
    for reason, count in _reasons(explored.impossible):
        warn(f"not run: {counts.of(count, 'point')}: {reason}")
    for point, reason in explored.failed[:_MOST_FAILED]:
        warn(f"failed: {point}: {reason.removeprefix('error: ')}")
    for line in _summary(explored, folder):
        print_text(line, stderr=stderr)


def _table(exploration: Exploration, front: list[Found]) -> str:
    keys, figures = exploration.space.keys, exploration.goals.figures
    titles = [*keys, *(_title(name) for name in figures)]
    rows = (
        [
            *(str(found.point.choices[key]) for key in keys),
            *(f"{found.figures[name]:,.2f}" for name in figures),
        ]
        for found in front[:_MOST_ROWS]
    )
    return format_table(titles, rows, left=len(keys))


def _title(name: str) -> str:
    """Return the column title of a figure: its name, split over several lines, and its unit."""
    unit = unit_of(name)
    return "\n".join([*name.split("."), *([unit] if unit else [])])


def _print_nearest(explored: Explored) -> None:
    constraints = " and ".join(map(str, explored.exploration.goals.constraints))
    nearest = explored.nearest()
    if nearest is not None:
        has = ", ".join(f"{name} = {value:g}" for name, value in nearest.figures.items())
        warn(f"no point meets {constraints}; the nearest is {nearest.point}, with {has}")


def _reasons(impossible: list[tuple[Point, str]]) -> Iterable[tuple[str, int]]:
    """Count impossible points by the first line of the reason."""
    lines = (reason.splitlines()[0].removeprefix("error: ") for _, reason in impossible)
    return Counter(lines).most_common()


def _summary(explored: Explored, folder: Path) -> list[str]:
    full, front = len(explored.points), len(explored.front)
    size = explored.exploration.space.size
    of_all = "" if size is None else f" of {size:,}"
    within = ""
    if explored.exploration.goals.constraints:
        count = sum(found.is_within for found in explored.points)
        within = f", {count} of them within the constraints"
    lines = [f"{counts.of(front, 'point')} on the front, of {full} with a full run{within}"]
    if explored.given_up:
        lines.append(f"{counts.of(explored.given_up, 'point')} given up after a short run")
    before = f"; {explored.found} runs were found there" if explored.found else ""
    tried = full + explored.given_up + len(explored.impossible) + len(explored.failed)
    lines.append(
        f"{tried:,}{of_all} points tried for the time of {explored.spent:,.4g} full runs, "
        f"in {folder}{before}"
    )
    return lines


def _as_json(explored: Explored) -> dict[str, Any]:
    exploration = explored.exploration
    goals, search = exploration.goals, exploration.search
    on_front = {id(found) for found in explored.front}
    return {
        "exploration": exploration.name,
        "objectives": [{"figure": one.figure, "goal": one.goal} for one in goals.objectives],
        "constraints": [
            {"figure": one.figure, "at_most": one.at_most, "at_least": one.at_least}
            for one in goals.constraints
        ],
        "search": {**vars(search), "short_requests": list(search.short_requests)},
        "points_of_the_space": exploration.space.size,
        "spent_runs": explored.spent,
        "given_up": explored.given_up,
        "front": [_point_as_json(found) for found in explored.front],
        "points": [
            {
                **_point_as_json(found),
                "is_within": found.is_within,
                "is_on_front": id(found) in on_front,
            }
            for found in explored.points
        ],
        "impossible": [_reason_as_json(*one) for one in explored.impossible],
        "failed": [_reason_as_json(*one) for one in explored.failed],
    }


def _point_as_json(found: Found) -> dict[str, Any]:
    return {"point": dict(found.point.choices), "figures": dict(found.figures)}


def _reason_as_json(point: Point, reason: str) -> dict[str, Any]:
    return {"point": dict(point.choices), "reason": reason}
