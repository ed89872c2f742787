"""``venice figure``: standard figures of papers, from the runs to the picture."""

from __future__ import annotations

import shlex
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from venice._native import fabric_names, workload_names
from venice.cli import options, picture_options
from venice.cli.command import DRIVE, OUTPUT, REQUESTS, command, option
from venice.cli.command_words import given_words
from venice.cli.files import in_folder, of_workload
from venice.cli.output_files import claim, claim_picture
from venice.cli.progress import progress_count
from venice.cli.screen import print_text, warn
from venice.cli.store_warnings import store_warnings
from venice.cli.usage import OptionError
from venice.cli.value_types import InputFile, Integer, Keyword, OutputFile, Text
from venice.figures.catalogue import FIGURES
from venice.text import counts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from venice.figures import FigureRequest, Made

_FOLDER = Path("out") / "figures"
_NO_PART = ("--output", "--out", "--workers")
"""Options that are left out of the command recorded in a picture, which they do not affect."""


def _figures() -> Iterable[str]:
    from venice.report.figure_paths import FIGURES  # noqa: PLC0415 a tenth of a second, for shells alone

    return FIGURES


def _each_workload(names: Iterable[str], values: Mapping[str, Any]) -> Iterator[str]:
    for name in names:
        yield from of_workload(name, values)


def _each_trace(names: Iterable[str], _: Mapping[str, Any]) -> Iterator[str]:
    yield from names


def _store_files(folder: Path, _: Mapping[str, Any]) -> Iterator[str]:
    yield from in_folder(folder)


@dataclass(frozen=True, kw_only=True)
class Asked:
    """Options that choose the content of a figure."""

    drive: str | None
    sets: tuple[str, ...]
    fabrics: str | None
    trace: tuple[str, ...]
    workload: tuple[str, ...]
    seeds: int
    seed: int
    requests: int | None
    warmup: int | None
    rate_scale: float | None
    closed_loop: int | None
    loads: int
    of: tuple[str, ...]
    baseline: str | None
    confidence: float
    style: str

    def request(self, reading: Mapping[str, Any]) -> FigureRequest:
        """Return the request for a figure; `reading` contains the options for reading traces."""
        from venice.figures import FigureRequest, Source  # noqa: PLC0415 matplotlib takes a second
        from venice.plot.print_style import print_style  # noqa: PLC0415 likewise

        if self.trace and self.workload:
            raise OptionError("--workload", "`--trace` and `--workload` cannot be combined")
        sources = [Source(trace=one) for one in self.trace]
        sources += [Source(workload=one) for one in self.workload]
        return FigureRequest(
            drive=self.drive,
            sets=self.sets,
            fabrics=self.fabrics,
            sources=tuple(sources),
            reading={key: value for key, value in reading.items() if value},
            seeds=self.seeds,
            first_seed=self.seed,
            requests=self.requests,
            warmup=self.warmup,
            rate_scale=self.rate_scale,
            closed_loop=self.closed_loop,
            loads=self.loads,
            figures=self.of,
            baseline=self.baseline,
            confidence_pct=options.confidence_pct(self.confidence),
            style=print_style(self.style),
        )


@dataclass(frozen=True, kw_only=True)
class Reading:
    """Options for reading a trace."""

    format: str | None
    columns: str | None
    event: str | None
    skip_bad: int | None
    devices: str | None
    fold: bool
    most_folded_pct: float | None


@command()
@options.argument(
    "recipe",
    metavar="FIGURE",
    type=Keyword([*FIGURES]),
    help="; ".join(f"{name}: {entry.summary}" for name, entry in FIGURES.items()) + ".",
)
@option(
    "-o",
    "--output",
    metavar="FILE",
    required=True,
    group=OUTPUT,
    type=OutputFile(writes=picture_options.with_data, path_type=Path),
    help="Picture file to write, .pdf, .png or .svg; its data is written next to it as .csv.",
)
@options.drive(None, "Drive: preset or TOML file [default: the figure's].")
@options.sets
@option(
    "--fabrics",
    metavar="A,B,C|all|every",
    group=DRIVE,
    type=Text(fabric_names),
    help="Fabrics to compare, the baseline first [default: depends on the figure].",
)
@option(
    "--trace",
    metavar="FILE",
    multiple=True,
    group=REQUESTS,
    type=InputFile(reads=_each_trace),
    help="Trace, plain or compressed, replayed from a different random instant with each seed. "
    "For the figure speedup, the option may be given several times.",
)
@option(
    "--workload",
    metavar="NAME|FILE",
    multiple=True,
    group=REQUESTS,
    type=InputFile(reads=_each_workload, values=workload_names, defines="workload"),
    help="Workload: built-in name, TOML file or fio job file [default: depends on the figure]. "
    "For the figure speedup, the option may be given several times.",
)
@options.trace_reading
@options.fold
@options.most_folded_pct
@option(
    "--seeds",
    metavar="N",
    default=5,
    group=REQUESTS,
    type=Integer(1),
    help="Number of seeds for each point of the figure, 1 or more, from which confidence "
    "intervals are computed.",
)
@option(
    "--seed",
    metavar="S",
    default=1,
    group=REQUESTS,
    type=Integer(0),
    help="First seed; each further seed is larger by one.",
)
@option(
    "--requests",
    metavar="N",
    group=REQUESTS,
    type=Integer(1),
    help="Measured requests of a run [default: depends on the figure, 20,000 for most].",
)
@option(
    "--warmup",
    metavar="N",
    group=REQUESTS,
    type=Integer(0),
    help="Warm-up requests, not measured [default: a tenth of the measured ones].",
)
@options.rate_scale
@options.closed_loop
@option(
    "--loads",
    metavar="N",
    default=8,
    group=REQUESTS,
    type=Integer(2),
    help="Number of loads to simulate for the figure load-tail, up to the throughput of the best "
    "fabric.",
)
@option(
    "--of",
    metavar="FIGURE",
    multiple=True,
    group=OUTPUT,
    type=Text(_figures),
    help="Value of the report, such as latency_us.all.mean, to plot in the figures load-tail, "
    "speedup, tornado and front; repeatable in load-tail, which draws a panel for each "
    "[default: depends on the figure].",
)
@option(
    "--baseline",
    metavar="FABRIC",
    group=OUTPUT,
    type=Text(fabric_names),
    help="Fabric to which the others are compared [default: the first of --fabrics].",
)
@options.confidence
@picture_options.style_name
@picture_options.size
@picture_options.title
@option(
    "--out",
    metavar="DIR",
    default=str(_FOLDER),
    group=OUTPUT,
    type=OutputFile(writes=_store_files, path_type=Path),
    help="Folder in which all runs are stored.",
)
@options.workers
@options.gather(asked=Asked, reading=Reading)
def figure(
    recipe: str,
    asked: Asked,
    reading: Reading,
    *,
    output: Path,
    size: str | None,
    title: str | None,
    out: Path,
    workers: int | None,
) -> None:
    """Run the simulations of a standard figure, and draw it.

    The runs are stored: a repeated command resumes, and figures share runs.
    """
    with ExitStack() as files:
        picture = claim_picture(files, output)
        data = claim(files, output.with_suffix(".csv"))
        request = asked.request(vars(reading))
        # Matplotlib takes a second to load.
        from venice.figures import Bench, make  # noqa: PLC0415
        from venice.plot.metadata import About  # noqa: PLC0415
        from venice.plot.save import save  # noqa: PLC0415

        bench = Bench(out, recipe, workers=workers, progress=_progress_in(out))
        with store_warnings():
            made = make(recipe, request, bench, inches=picture_options.inches_of(size), title=title)
        if picture is not None and data is not None:
            about = About(_command(), made.caption)
            save(made.picture, picture, output.suffix, about)
            data.write(made.table.to_csv().encode())
    for fabric, reason in bench.left_out.items():
        warn(f"{fabric} is not drawn: {reason.splitlines()[0].removeprefix('error: ')}")
    _tell(made, bench.runs, bench.found, output, out)


def _tell(made: Made, runs: int, found: int, output: Path, folder: Path) -> None:
    before = f", {found:,} of them found there" if found else ""
    print_text(
        f"{output} and {output.with_suffix('.csv')}: {counts.of(runs, 'run')} in {folder}{before}"
    )
    print_text(f"\nCaption: {made.caption}")


def _progress_in(folder: Path) -> Any:  # noqa: ANN401 as the bench has it
    @contextmanager
    def progress(name: str, total: int) -> Iterator[Callable[[int, int], object]]:
        with progress_count(name, folder, total) as count:
            yield count.update

    return progress


def _command() -> str:
    """Return the typed command line without the options that do not affect the picture."""
    words = [
        word
        for name, value in given_words(click.get_current_context())
        if name not in _NO_PART
        for word in (name, value)
        if word
    ]
    return shlex.join(["venice", "figure", *words])
