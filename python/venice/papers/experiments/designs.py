"""Compared designs, each a fabric with settings; Venice is included in two variants.

§4.2 of the paper lets a flash controller that found no path try again at once, with the same
transfer. Its third footnote leaves open when to try again. Venice is therefore shown in a
paper-literal and a tuned variant, independently of the drive's default.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from venice.papers.experiments import suite

if TYPE_CHECKING:
    from collections.abc import Mapping

    from venice.sweep import Point
    from venice.sweep.definition import Value


@dataclass(frozen=True)
class Design:
    """Design: a fabric with its settings.

    Attributes
    ----------
    name
        Name in tables.
    title
        Name in figures and texts.
    fabric
        Name of the fabric.
    sets
        Settings of the drive.
    """

    name: str
    title: str
    fabric: str
    sets: tuple[str, ...] = ()


def _plain(fabric: str) -> Design:
    return Design(fabric, suite.TITLES[fabric], fabric)


LETTER = Design(
    "venice",
    "Venice",
    "venice",
    (
        "fabric.venice.retry=at_once",
        "fabric.venice.path_loops=kept",
        "fabric.venice.port_choice=random",
        "fabric.venice.order=first_come",
    ),
)
"""Paper-literal Venice (§4.2): after a transfer finds no path, its controller tries again at once
with the same transfer."""
BEST = Design(
    "venice-best",
    "Venice, best",
    "venice",
    (
        "fabric.venice.retry=next_transfer",
        "fabric.venice.path_loops=cut",
        "fabric.venice.port_choice=fixed",
        "fabric.venice.order=own_row_first",
    ),
)
"""Tuned Venice, still non-minimal and fully adaptive. A transfer that found no path waits behind
the others until a link that blocked it is free (footnote 3 leaves that open). Loops of a path are
released, Algorithm 1 tries the X direction first (§4.3 leaves that open), and a free controller
serves transfers of its own row first."""

DESIGNS = (
    *(_plain(fabric) for fabric in suite.RIVALS), LETTER, BEST, _plain("ideal"),
)  # fmt: skip
NAMES = tuple(design.name for design in DESIGNS)
TITLES = {design.name: design.title for design in DESIGNS}
_BY_NAME = {design.name: design for design in DESIGNS}
SQUARE_ONLY = ("pnssd",)
"""Fabrics that require as many rows as columns."""


def find(name: str) -> Design:
    """Return the design called `name`."""
    return _BY_NAME[name]


def point(choices: Mapping[str, Value], sets: tuple[str, ...] = (), **scenario: Any) -> Point:  # noqa: ANN401 keywords of run
    """Return the run of a design, whose name is recorded as the choice ``fabric``."""
    design = find(str(choices["fabric"]))
    return suite.point(choices, fabric=design.fabric, sets=(*design.sets, *sets), **scenario)
