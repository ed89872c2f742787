"""Ablation of Venice's settings, one changed at a time, and the lengths of Venice's paths."""

from __future__ import annotations

from typing import TYPE_CHECKING

from venice.papers.experiment import Experiment, Finding
from venice.papers.experiments.designs import BEST, LETTER
from venice.papers.experiments.operating_points import BUSY, EVEN, SKEWED
from venice.papers.experiments.suite import ratio
from venice.papers.markdown import section, table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure

    from venice.papers.experiment import Runs
    from venice.papers.size import Size
    from venice.report import Report
    from venice.sweep import Point

_LOADS = (EVEN, SKEWED, BUSY)
_AS_IN_THE_PAPER = "as in the paper"
_VARIANTS: dict[str, tuple[str, ...]] = {
    _AS_IN_THE_PAPER: (),
    "best: the next four": BEST.sets,
    "retry: next transfer": ("fabric.venice.retry=next_transfer",),
    "loops of paths: cut": ("fabric.venice.path_loops=cut",),
    "order: own row first": ("fabric.venice.order=own_row_first",),
    "ports: X first": ("fabric.venice.port_choice=fixed",),
    "ports: unbiased": ("fabric.venice.port_choice=unbiased",),
    "best, minimal adaptive": (*BEST.sets, "fabric.venice.routing=minimal_adaptive"),
    "best, exhaustive search": (*BEST.sets, "fabric.venice.routing=exhaustive"),
    "best, home": (*BEST.sets, "fabric.venice.controller=home"),
    "routing: exhaustive search": ("fabric.venice.routing=exhaustive",),
    "routing: minimal adaptive": ("fabric.venice.routing=minimal_adaptive",),
    "routing: dimension order": ("fabric.venice.routing=dimension_order",),
    "controller: home": ("fabric.venice.controller=home",),
    "controller: least loaded": ("fabric.venice.controller=least_loaded",),
    "retry: on release": ("fabric.venice.retry=on_release",),
    "retry: after 100 ns": ("fabric.venice.retry=back_off", "fabric.venice.back_off_ns=100"),
    "retry: after 1 µs": ("fabric.venice.retry=back_off", "fabric.venice.back_off_ns=1000"),
    "hold: operation": ("fabric.hold=operation",),
    "reservation: cycle level": ("fabric.venice.reservation=cycle_level",),
    "scouts take no time": ("fabric.venice.scout_takes_time=false",),
    "links: 4 bits": ("fabric.mesh.link_width_bits=4",),
    "links: 16 bits": ("fabric.mesh.link_width_bits=16",),
    "links: 32 bits": ("fabric.mesh.link_width_bits=32",),
    "links: 2 GHz": ("fabric.mesh.link_latency_ns=0.5",),
    "links: 1.2 GHz, as fast as a channel": ("fabric.mesh.link_latency_ns=0.8333333",),
}
_METRICS = (
    "latency_us.all.mean", "latency_us.all.p99", "iops", "path.requests_conflict_pct",
    "path.mean_hops", "path.mean_detour_hops",
)  # fmt: skip
_COLUMNS = (
    "load", "variant", "mean_us", "p99_us", "iops", "requests_conflict_pct", "mean_hops",
    "mean_detour_hops", "failed_scouts_per_transfer", "mean_over_papers", "transfers_by_hops",
)  # fmt: skip


def _points(size: Size) -> Sequence[Point]:
    return [
        load.point({"variant": variant, "fabric": "venice"}, (*LETTER.sets, *sets), size)
        for load in _LOADS
        for variant, sets in _VARIANTS.items()
    ]


def _evaluate(runs: Runs, _size: Size) -> Finding:
    rows = []
    for load in _LOADS:
        for variant in _VARIANTS:
            choices = {"load": load.name, "variant": variant, "fabric": "venice"}
            report = runs.find(**choices)
            if report is None:
                continue
            figures = [runs.figure(metric, **choices) for metric in _METRICS]
            failed = ratio(report.path.scout_retries, report.path.transfers)
            counts = " ".join(map(str, report.path.hop_counts))
            relative = _relative(runs, load.name, variant)
            rows.append([load.name, variant, *figures, failed, relative, counts])
    return Finding(_COLUMNS, rows, (), lambda: _draw(runs), _text(runs))


def _text(runs: Runs) -> str:
    titles = [f"{what}: {load.name}" for what in ("mean", "conflicts, %") for load in _LOADS]
    hops = f"links of a path: {BUSY.name}"
    rows = (
        [
            variant,
            *(_relative(runs, load.name, variant) for load in _LOADS),
            *(
                runs.figure(_METRICS[3], load=load.name, variant=variant, fabric="venice")
                for load in _LOADS
            ),
            runs.figure(_METRICS[4], load=BUSY.name, variant=variant, fabric="venice"),
        ]
        for variant in _VARIANTS
    )
    return section(
        "Venice's settings, one changed at a time",
        "Mean latency relative to Venice as published, requests with a conflict, length of paths.",
        table(["setting", *titles, hops], rows),
    )


def _relative(runs: Runs, load: str, variant: str) -> float | None:
    def mean(of: str) -> float | None:
        return runs.figure("latency_us.all.mean", load=load, variant=of, fabric="venice")

    return ratio(mean(variant), mean(_AS_IN_THE_PAPER))


def _draw(runs: Runs) -> Figure:
    from venice.papers.draw import Panel, draw_lines, draw_rows, grid, label  # noqa: PLC0415 slow

    figure, axes = grid(1, 2, 7.0, 7.6, left_inches=2.4)
    names = list(_VARIANTS)
    series = {load.name: [_relative(runs, load.name, name) for name in names] for load in _LOADS}
    draw_rows(axes[0][0], names, series)
    axes[0][0].axvline(1, color="black", linewidth=0.8)
    label(axes[0][0], Panel("Venice, one setting changed", "mean latency, × the paper's"))
    lines = {}
    for load in _LOADS:
        report = runs.find(load=load.name, variant=_AS_IN_THE_PAPER, fabric="venice")
        if report is not None:
            lines[load.name] = _shares(report)
    draw_lines(axes[0][1], lines)
    axes[0][1].legend(loc="upper right")
    label(axes[0][1], Panel("Lengths of reserved paths", "links of a path", "transfers, %"))
    return figure


def _shares(report: Report) -> list[tuple[float, float]]:
    counts = report.path.hop_counts
    return [(hops, 100 * count / sum(counts)) for hops, count in enumerate(counts)]


EXPERIMENT = Experiment(
    "ablation",
    "venice",
    "Venice's settings, one at a time; lengths of paths",
    "ours",
    _evaluate,
    _points,
)
