"""Appearance of each fabric in all pictures: name, colour, marker and dash.

The colours are those of Okabe and Ito ("Color Universal Design", 2008), which are distinguishable
with any colour vision, plus grey for the baseline and black for the ideal fabric. Markers and
dashes distinguish the fabrics in greyscale prints.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from venice.text.labels import settings_in_words

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Literal, TypeAlias

    Dash: TypeAlias = Literal["-", "--", "-.", ":"]


class Look(NamedTuple):
    """Appearance of one series in pictures: name, colour, marker, dash and hatch."""

    label: str
    """Display name."""
    colour: str
    """Colour as ``#rrggbb``."""
    marker: str
    """Marker in matplotlib's notation."""
    dash: Dash
    """Dash pattern in matplotlib's notation."""
    hatch: str
    """Hatch pattern for bars, in matplotlib's notation."""


FABRICS: Mapping[str, Look] = {
    "bus": Look("Bus", "#7a7a7a", "o", "-", ""),
    "pssd": Look("pSSD", "#e69f00", "s", "--", "////"),
    "pnssd": Look("pnSSD", "#cc79a7", "^", "-.", "\\\\\\\\"),
    "nossd": Look("NoSSD", "#56b4e9", "D", "--", "xxxx"),
    "venice": Look("Venice", "#0072b2", "v", "-", ""),
    "ideal": Look("Ideal", "#000000", "X", ":", "...."),
    "hlnand": Look("HLNAND", "#009e73", "P", "-.", "----"),
    "decoupled": Look("Decoupled", "#d55e00", "*", "-", "++++"),
}
"""Appearance of each fabric."""

_OTHERS = ("venice", "pssd", "hlnand", "pnssd", "decoupled", "nossd")
"""Fabrics whose appearance is used for other series if these fabrics are absent."""
_FIRST_WORD = re.compile(r"[^\s,]+")
_TOWARDS = (None, ("#000000", 0.45), ("#ffffff", 0.5), ("#000000", 0.7))
"""Shades of a fabric's first and further series: the colour to mix in, and its share."""
_DASHES: tuple[Dash, ...] = ("-", "--", ":", "-.")


def fabric_label(name: str) -> str:
    """Return the display name of a fabric or of another series.

    Examples
    --------
    >>> fabric_label("pnssd"), fabric_label("bus my-drive"), fabric_label("my-drive")
    ('pnSSD', 'Bus my-drive', 'my-drive')
    """
    first = _FIRST_WORD.match(name)
    if first is None or first[0] not in FABRICS:
        return settings_in_words(name)
    return FABRICS[first[0]].label + settings_in_words(name[first.end() :])


def looks_of(names: Sequence[str]) -> dict[str, Look]:
    """Return the appearance of each series, by its name.

    A series whose name begins with a fabric has the fabric's colour; further series of that fabric
    have other shades. Other series have colours of absent fabrics.

    Examples
    --------
    >>> looks = looks_of(["bus", "venice", "venice, rate_scale=8"])
    >>> looks["venice"].colour == FABRICS["venice"].colour != looks["venice, rate_scale=8"].colour
    True
    """
    shades: dict[str, int] = {}
    found: dict[str, Look] = {}
    present = set(map(_fabric_of, names))
    free = [FABRICS[fabric] for fabric in _OTHERS if fabric not in present] or [*FABRICS.values()]
    for name in dict.fromkeys(names):
        fabric = _fabric_of(name)
        if fabric in FABRICS:
            place = shades[fabric] = shades.get(fabric, -1) + 1
            found[name] = _shaded(FABRICS[fabric], fabric_label(name), place)
        else:
            place = shades[""] = shades.get("", -1) + 1
            base = free[place % len(free)]
            found[name] = base._replace(
                label=fabric_label(name), dash=_DASHES[place % len(_DASHES)]
            )
    return found


def _fabric_of(name: str) -> str:
    first = _FIRST_WORD.match(name)
    return first[0] if first is not None and first[0] in FABRICS else ""


def _shaded(look: Look, label: str, place: int) -> Look:
    towards = _TOWARDS[place % len(_TOWARDS)]
    if towards is None:
        return look._replace(label=label)
    dash = _DASHES[place % len(_DASHES)]
    return look._replace(label=label, colour=mixed(look.colour, *towards), dash=dash)


def mixed(colour: str, other: str, share: float) -> str:
    """Return a colour mixed with a share of another.

    Examples
    --------
    >>> mixed("#000000", "#ffffff", 0.5)
    '#808080'
    """
    parts = (
        round(int(colour[at : at + 2], 16) * (1 - share) + int(other[at : at + 2], 16) * share)
        for at in (1, 3, 5)
    )
    return "#" + "".join(f"{part:02x}" for part in parts)
