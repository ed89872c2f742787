"""Table 4: area of routers and links, by arithmetic, for the paper's array and others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from venice.reproduce.experiment import Experiment, Finding
from venice.reproduce.scorecard import Claim
from venice.sweep import Point

if TYPE_CHECKING:
    from venice.reproduce.experiment import Runs
    from venice.reproduce.size import Size

_SHAPES = ((4, 16), (8, 8), (16, 4), (16, 16), (32, 32))
_FABRICS = ("bus", "pssd", "nossd", "venice")
_COLUMNS = (
    "rows", "cols", "fabric", "routers_mm2", "routers_pct", "wires_in_channels", "wires_saved_pct",
    "router_mw", "link_mw", "channel_mw",
)  # fmt: skip
_NOTE = "arithmetic on the area of one router and one link, which are Table 4's"


def _points(_size: Size) -> list[Point]:
    return [
        Point(
            {"rows": rows, "cols": cols, "fabric": fabric},
            {
                "workload": "random-read",
                "fabric": fabric,
                "requests": 1,  # areas do not depend on what runs
                "sets": (f"array.rows={rows}", f"array.cols={cols}"),
            },
        )
        for rows, cols in _SHAPES
        for fabric in _FABRICS
    ]


def _tell(runs: Runs, _size: Size) -> Finding:
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
    return Finding(_COLUMNS, rows, _claims(runs))


def _claims(runs: Runs) -> list[Claim]:
    mesh: dict[str, int | str] = {"rows": 8, "cols": 8, "fabric": "venice"}
    claims = (("link area saved", 44.0, "wires_saved_pct"), ("router area", 8.0, "routers_pct"))
    return [
        Claim(
            "tab4", claim, paper, runs.figure(f"area.{figure}", **mesh), "%", "§6.6, Table 4",
            "8x8", _NOTE,
        )
        for claim, paper, figure in claims
    ]  # fmt: skip


EXPERIMENT = Experiment(
    "tab4", "venice", "Area of routers and links", "Venice, Table 4", _tell, _points
)
