"""Figure 8: the worked example of non-minimal adaptive routing, executed by the engine's router.

Four rows of five chips; three circuits are reserved, and controller FC3 has to reach chip F2. No
minimal path is free. The scout's random choices are repeated with several seeds of the routers'
LFSRs; `crates/fabric/tests/venice_figure8.rs` covers all 3^20 states.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from venice._native import resolve, scout_search
from venice.papers.experiment import Experiment, Finding
from venice.papers.experiments.designs import LETTER
from venice.papers.markdown import section

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from venice.papers.experiment import Runs
    from venice.papers.size import Size

ROWS, COLS = 4, 5
CIRCUITS = ((0, (0, 1, 6)), (1, (5, 6, 7, 8)), (2, (10, 11, 12, 7)))
"""Reserved circuits, each with its controller and the routers of its path."""
REQUEST = (3, 2)
"""Controller and chip of the new request."""
PAPER = (15, 16, 17, 18, 13, 8, 3, 2)
"""Conflict-free path that the paper gives as an example. Algorithm 1 does not choose it: at F17 the
port up, to F12, is free and the only minimal one."""
ROUTINGS = {
    "non_minimal_adaptive": "Algorithm 1, non-minimal",
    "minimal_adaptive": "minimal paths only",
    "dimension_order": "X, then Y",
}
SEEDS = range(64)
_COLUMNS = ("routing", "seed", "found", "path_links", "links_crossed", "path")
_TAKEN, _NEW, _FREE = "#C0392B", "#2E5FA3", "0.8"

Link = tuple[int, int]
"""Two neighbouring routers, the smaller number first."""


@dataclass(frozen=True)
class Search:
    """Search of a scout for a path.

    Attributes
    ----------
    routing
        Routing algorithm.
    seed
        Seed of the routers' LFSRs.
    course
        Routers that the scout visited, in order, including those of dead ends.
    path
        Routers of the reserved path; none if the search failed.
    """

    routing: str
    seed: int
    course: Sequence[int]
    path: Sequence[int]

    @property
    def links(self) -> int:
        """Number of links of the path."""
        return max(0, len(self.path) - 1)

    @property
    def crossed(self) -> int:
        """Number of links that the scout crossed, including backwards in dead ends."""
        return len(self.course) - 1

    @property
    def row(self) -> list[object]:
        """Row of the table for the search."""
        path = "-".join(map(str, self.path))
        return [self.routing, self.seed, bool(self.path), self.links, self.crossed, path]


def search(routing: str, seed: int) -> Search:
    """Run the scout search of Figure 8 in the simulated mesh."""
    sets = (
        *LETTER.sets,
        f"array.rows={ROWS}",
        f"array.cols={COLS}",
        f"fabric.venice.routing={routing}",
    )
    drive = resolve("venice-performance", fabric="venice", sets=sets, seed=seed)
    return Search(routing, seed, *scout_search(drive, CIRCUITS, REQUEST))


def links(path: Sequence[int]) -> Iterator[Link]:
    """Yield the links of a path, given as its routers."""
    return ((min(ends), max(ends)) for ends in pairwise(path))


def marks(path: Sequence[int]) -> dict[Link, str]:
    """Return the used links, each with the number of its controller, or R for the new path."""
    taken = {link: str(number) for number, routers in CIRCUITS for link in links(routers)}
    return {**taken, **dict.fromkeys(links(path), "R")}


def mesh(path: Sequence[int]) -> str:
    """Return a text drawing of the mesh: controllers, chips, and the circuit of each link."""
    used = marks(path)
    entrances = {
        **{number: str(number) for number, _ in CIRCUITS},
        **({REQUEST[0]: "R"} if path else {}),
    }
    lines: list[str] = []
    for row in range(ROWS):
        chips = range(row * COLS, (row + 1) * COLS)
        cells = [f"FC{row}{_across(entrances.get(row))}F{chips[0]:<2}"]
        cells += [f"{_across(used.get((chip - 1, chip)))}F{chip:<2}" for chip in chips[1:]]
        lines.append("".join(cells).rstrip())
        if row + 1 < ROWS:
            downs = (used.get((chip, chip + COLS), "|") for chip in chips)
            lines.append(
                "".join(
                    f"{down:>9}" if not place else f"{down:>8}" for place, down in enumerate(downs)
                )
            )
    return "\n".join(lines)


def _across(circuit: str | None) -> str:
    return "-----" if circuit is None else f"=={circuit}=="


def shown(searches: Sequence[Search]) -> Search:
    """Return the search to draw: of the successful searches with the fewest links, the first."""
    return min((it for it in searches if it.path), key=_crossed)


def _counted(searches: Sequence[Search], routing: str) -> str:
    own = [it for it in searches if it.routing == routing]
    found = [it for it in own if it.path]
    text = f"{ROUTINGS[routing]}: {len(found)} of {len(own)} seeds find a path"
    if not found:
        return text
    lengths, crossed = ([value(it) for it in found] for value in (_links, _crossed))
    return f"{text}, of {_ends(lengths)} links, after crossing {_ends(crossed)}"


def _of_paper(searches: Sequence[Search]) -> str:
    """Return a sentence with the number of searches that found the path of the paper."""
    alike = sum(tuple(it.path) == PAPER for it in searches)
    path = " > ".join(f"F{router}" for router in PAPER)
    return f"The paper's path, {path}: free, as long, and found by {alike} of these searches"


def _links(it: Search) -> int:
    return it.links


def _crossed(it: Search) -> int:
    return it.crossed


def _ends(values: Sequence[int]) -> str:
    low, high = min(values), max(values)
    return f"{low}" if low == high else f"{low} to {high}"


def summary(searches: Sequence[Search]) -> str:
    """Return the example as text: the mesh, the path, and the results of each routing."""
    one = shown(searches)
    path = " > ".join([f"FC{REQUEST[0]}", *(f"F{router}" for router in one.path)])
    lines = [
        f"Figure 8: FC{REQUEST[0]} has to reach F{REQUEST[1]} past the circuits of FC0 to FC2.",
        "",
        mesh(one.path),
        "",
        f"R (seed {one.seed}): {path}",
        *(_counted(searches, routing) for routing in ROUTINGS),
        _of_paper(searches),
    ]
    return "\n".join(lines)


def _evaluate(_runs: Runs, _size: Size) -> Finding:
    searches = [search(routing, seed) for routing in ROUTINGS for seed in SEEDS]
    rows = [it.row for it in searches]
    text = summary(searches)
    markdown = section("Figure 8", f"```text\n{text}\n```")
    return Finding(_COLUMNS, rows, (), lambda: _draw(shown(searches)), markdown, text)


def _draw(one: Search) -> Figure:
    from venice.papers.draw import grid  # noqa: PLC0415 matplotlib is slow

    figure, ((axes,),) = grid(1, 1, width_inches=5.4, height_inches=3.9)
    for link in _all_links():
        _line(axes, link, color=_FREE, linewidth=1.2)
    for number, routers in CIRCUITS:
        _circuit(axes, number, routers, _TAKEN)
    _circuit(axes, REQUEST[0], one.path, _NEW)
    for chip in range(ROWS * COLS):
        _name(axes, (chip % COLS, chip // COLS), f"F{chip}", "o")
    for row in range(ROWS):
        _name(axes, (-1, row), f"FC{row}", "s")
    axes.set_xlim(-1.5, COLS - 0.5)
    axes.set_ylim(ROWS - 0.5, -0.5)
    axes.set_axis_off()
    axes.set_title("Figure 8: circuits of FC0 to FC2 (red), path found by Algorithm 1 (blue)")
    return figure


def _all_links() -> Iterator[Link]:
    for chip in range(ROWS * COLS):
        if (chip + 1) % COLS:
            yield chip, chip + 1
        if chip + COLS < ROWS * COLS:
            yield chip, chip + COLS


def _circuit(axes: Axes, controller: int, routers: Sequence[int], colour: str) -> None:
    axes.plot([-1, 0], [controller, controller], color=colour, linewidth=3)
    for link in links(routers):
        _line(axes, link, color=colour, linewidth=3)


def _line(axes: Axes, link: Link, **style: Any) -> None:  # noqa: ANN401 keywords of plot
    xs, ys = zip(*((chip % COLS, chip // COLS) for chip in link), strict=True)
    axes.plot(xs, ys, zorder=1, **style)


def _name(axes: Axes, at: tuple[int, int], text: str, marker: str) -> None:
    axes.plot(*at, marker, markersize=20, color="white", markeredgecolor="black", zorder=2)
    axes.text(*at, text, ha="center", va="center", fontsize=8, zorder=3)


EXPERIMENT = Experiment(
    "fig8", "venice", "Worked example of non-minimal routing", "Venice, Figure 8", _evaluate
)
