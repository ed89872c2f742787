"""Table 4: area of routers and links, calculated for the paper's array and others.

The table's 44 % and 8 % are products of the areas of a link and a router, which are inputs here.
Their agreement is therefore trivial and not in the scorecard.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from venice.papers.experiment import Experiment, Finding
from venice.sweep import Point

if TYPE_CHECKING:
    from venice.config import FabricName
    from venice.papers.experiment import Runs
    from venice.papers.size import Size

_SHAPES = ((4, 16), (8, 8), (16, 4), (16, 16), (32, 32))
_FABRICS: tuple[FabricName, ...] = ("bus", "pssd", "nossd", "venice")
_COLUMNS = (
    "rows", "cols", "fabric", "routers_mm2", "routers_pct", "wires_in_channels", "wires_saved_pct",
    "router_pj_per_byte", "link_pj_per_byte", "channel_pj_per_byte",
)  # fmt: skip


def _points(_size: Size) -> list[Point]:
    return [
        Point(
            {"rows": rows, "cols": cols, "fabric": fabric},
            {
                "workload": "random-read",
                "fabric": fabric,
                "requests": 1,  # areas do not depend on the requests
                "sets": (f"array.rows={rows}", f"array.cols={cols}"),
            },
        )
        for rows, cols in _SHAPES
        for fabric in _FABRICS
    ]


def _evaluate(runs: Runs, _size: Size) -> Finding:
    rows = []
    for high, wide in _SHAPES:
        for fabric in _FABRICS:
            report = runs.find(rows=high, cols=wide, fabric=fabric)
            if report is None:
                continue
            area, power = report.area, report.config["power"]
            figures = [area[name] for name in _COLUMNS[3:7]]
            powers = [power[name] for name in _COLUMNS[7:]]
            rows.append([high, wide, fabric, *figures, *powers])
    return Finding(_COLUMNS, rows)


EXPERIMENT = Experiment(
    "tab4", "venice", "Area of routers and links", "Venice, Table 4", _evaluate, _points
)
