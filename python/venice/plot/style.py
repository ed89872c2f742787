"""Style that all figures have in common."""

from __future__ import annotations

import logging
from contextlib import contextmanager
from importlib.resources import as_file, files
from textwrap import fill
from typing import TYPE_CHECKING, Any, cast

import matplotlib as mpl

from venice.plot.print_style import SCREEN
from venice.report.demand import is_saturated
from venice.report.fabric_looks import fabric_label
from venice.report.summary_table import drives_of, names_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from venice.plot.print_style import PrintStyle
    from venice.report import Report

_CHARACTERS_BELOW = 13

# Suppresses matplotlib's message on first use that it builds the list of fonts.
logging.getLogger("matplotlib.font_manager").setLevel(logging.ERROR)


@contextmanager
def style(print_style: PrintStyle = SCREEN) -> Iterator[None]:
    """Set the package's style, with the sizes of a print style, during a ``with`` block."""
    with (
        as_file(files(__package__) / "venice.mplstyle") as path,
        mpl.rc_context(fname=path),
        mpl.rc_context(rc=cast("Any", dict(print_style.settings))),
    ):
        yield


def title_of(reports: Sequence[Report]) -> str:
    """Return the title of a figure: drive, requests, and a remark on synthetic requests."""
    first = reports[0]
    synthetic = "synthetic workload" if first.is_synthetic else "trace"
    requests = f"{first.workload.name}, {first.requests.completed:,} requests"
    return f"{drives_of(reports)}, {synthetic} {requests}"


def names_below(reports: Sequence[Report]) -> list[str]:
    """Return the names of reports, in lines that fit below a bar.

    A saturated drive is marked, since its latencies depend on the length of the run.
    """
    return [
        fill(_marked(fabric_label(name), report), _CHARACTERS_BELOW)
        for name, report in zip(names_of(reports), reports, strict=True)
    ]


def _marked(name: str, report: Report) -> str:
    return f"{name} (saturated)" if is_saturated(report) else name


def colours(count: int) -> list[str]:
    """Return `count` colours of the style, which repeat if there are more series than colours."""
    cycle: list[str] = [entry["color"] for entry in mpl.rcParams["axes.prop_cycle"]]
    return [cycle[index % len(cycle)] for index in range(count)]
