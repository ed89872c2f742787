"""Figure of write amplification over over-provisioning, with a curve for each victim policy."""

from __future__ import annotations

from math import nan
from typing import TYPE_CHECKING, Any

from matplotlib.lines import Line2D

from venice._native import UsageError, own_policies
from venice.figures import words
from venice.figures.least_writes import check_writes
from venice.figures.recipe import Recipe
from venice.plot.canvas import lay_out
from venice.plot.results.data_table import Table
from venice.plot.results.figures import half_title, interval_note
from venice.report.fabric_looks import looks_of
from venice.report.figure_paths import figure
from venice.stats import mean_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from matplotlib.artist import Artist

    from venice.figures.bench import Bench
    from venice.figures.request import FigureRequest
    from venice.plot.picture import Picture
    from venice.plot.results.data_table import Cell
    from venice.report import Report
    from venice.report.fabric_looks import Dash, Look

_SETTING = "ftl.over_provisioning_pct"
_SHARES_PCT = (7, 10, 15, 20, 28, 40)
_VICTIMS = ("greedy", "cost_benefit", "fifo", "random")
_LABELS = {"greedy": "Greedy", "cost_benefit": "Cost-benefit", "fifo": "FIFO", "random": "Random"}
_ROOM = 1.25
"""Ratio of the top of the axis to the highest point; longer confidence intervals are cut off."""
_POLICY, _SHARE, _MEAN, _HALF, _SEEDS, _EXPECTED = range(6)


def _victims() -> tuple[str, ...]:
    """Return the names of the built-in victim policies and of those in an installed package."""
    return (*_VICTIMS, *(name for kind, name, _ in own_policies() if kind == "victim"))


def _measure(request: FigureRequest, bench: Bench) -> Table:
    check_writes(request)
    axes: list[Mapping[str, Any]] = [
        {"ftl.victim": _victims()},
        {_SETTING: _SHARES_PCT},
        request.seed_axis,
    ]
    results = bench.sweep("runs", request.scenario() | request.pace, axes)
    found: dict[tuple[str, float], list[Report]] = {}
    for result in results:
        key = str(result.choices["ftl.victim"]), float(result.choices[_SETTING])
        found.setdefault(key, []).append(result.report)
    half = half_title(request.confidence_pct)
    rows = tuple(_rows(found, request.confidence_pct))
    if not rows:
        raise UsageError(
            f"{request.measured:,} requests are too few: no run states its write amplification; "
            "give more with --requests"
        )
    return Table(
        ("victim", "over_provisioning_pct", "write_amplification", half, "seeds", "closed_form"),
        rows,
        interval_note([request.seeds], request.confidence_pct),
    )


def _rows(
    found: Mapping[tuple[str, float], list[Report]], confidence_pct: float
) -> Iterator[tuple[Cell, ...]]:
    for (victim, share_pct), reports in found.items():
        values = [report.write_amplification for report in reports]
        written = [value for value in values if value is not None]
        if len(written) == len(reports):
            yield victim, share_pct, *mean_of(written, confidence_pct), _expected(reports[0])


def _expected(report: Report) -> float | None:
    """Return the closed-form write amplification, converted from pages to bytes."""
    pages = figure(report, "over_provisioning.expected_pages_per_written_page")
    measured = figure(report, "pages_per_written_page")
    if pages is None or not measured or report.write_amplification is None:
        return None
    return float(pages * report.write_amplification / measured)


def _draw(picture: Picture, table: Table, _request: FigureRequest) -> None:
    axes = picture.subplots()
    looks = looks_of([str(row[_POLICY]) for row in table.rows])
    handles: list[Artist] = []
    labels: list[str] = []
    for victim, look in looks.items():
        rows = [row for row in table.rows if row[_POLICY] == victim]
        shares = [float(row[_SHARE] or 0) for row in rows]
        axes.errorbar(
            shares,
            [float(row[_MEAN] or 0) for row in rows],
            yerr=[float(row[_HALF] or nan) for row in rows],
            color=look.colour,
            linestyle="none",
            marker=look.marker,
            capsize=2,
            elinewidth=0.8,
        )
        is_known = all(row[_EXPECTED] is not None for row in rows)
        column = _EXPECTED if is_known else _MEAN
        dash: Dash = "-" if is_known else ":"
        axes.plot(shares, [float(row[column] or 0) for row in rows], dash, color=look.colour)
        handles.append(_entry(look, dash))
        labels.append(_LABELS.get(victim, victim))
    tallest = max(max(float(row[_MEAN] or 0), float(row[_EXPECTED] or 0)) for row in table.rows)
    axes.set_ylim(0, _ROOM * tallest)
    axes.set_xlabel("Over-provisioning (% of the raw flash)")
    axes.set_ylabel("Write amplification")
    lay_out(picture, handles, labels)


def _entry(look: Look, dash: Dash) -> Artist:
    return Line2D([], [], color=look.colour, linestyle=dash, marker=look.marker)


def _caption(request: FigureRequest, table: Table) -> str:
    is_known = any(row[_EXPECTED] is not None for row in table.rows)
    policies = [_LABELS.get(str(row[_POLICY]), str(row[_POLICY])) for row in table.rows]
    return words.paragraph(
        "Write amplification (bytes programmed over bytes written) over over-provisioning with "
        f"{words.listed(list(dict.fromkeys(policies)))} victims ({words.load_of(request)}).",
        "Markers: simulation. Solid lines: closed form." if is_known else "",
        words.intervals_of(request),
        words.runs_of(request),
    )


RECIPE = Recipe(
    _measure,
    _draw,
    _caption,
    workloads=("random-write",),
    sets=(
        "flash.blocks_per_plane=128",
        "flash.pages_per_block=64",
        "precondition.mode=steady_state",
    ),
    fabrics="",
    options=frozenset({"rate_scale", "closed_loop"}),
)
