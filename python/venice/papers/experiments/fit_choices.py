"""Statements of the Venice paper behind the values that `fit` varies, and choices without one.

A value may take a part from a text and leave another part open: Table 2 states mean gaps, but no
distribution. The number of choices of a setting counts the parts that no text states.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from venice.papers.experiments.designs import BEST, LETTER

if TYPE_CHECKING:
    from collections.abc import Iterable


class Basis(NamedTuple):
    """Basis of a value.

    Attributes
    ----------
    stated
        Part that a text states, with its location; empty if there is none.
    chosen
        Part that no text states; empty if there is none.
    """

    stated: str = ""
    chosen: str = ""


BASES = {
    "bursts at the gaps of Table 2": Basis("Table 2's gaps", "bursts of the stand-ins"),
    "Poisson gaps of Table 2": Basis("Table 2's gaps", "Poisson gaps"),
    **{f"{depth} outstanding": Basis("", f"{depth} outstanding") for depth in (1, 2, 4, 16)},
    "all channels": Basis(),
    "1/4 of the channels": Basis("", "data on 1/4 of the channels"),
    "channels first": Basis(),
    "planes first": Basis("", "planes before channels"),
    "ways first": Basis("", "ways before channels"),
    "a transfer": Basis("Figure 3's paths for a transfer"),
    "the operation": Basis("", "paths held for reads only"),
    "the request": Basis("§4.2's paths for a request"),
    "1.2 GB/s": Basis("Table 1's channels"),
    "1.0 GB/s": Basis("§3.1's channels"),
    "8 GB/s": Basis("Table 1's host link"),
    "no limit": Basis("", "no host limit"),
    "execution time": Basis("the captions' execution time"),
    "mean latency": Basis("", "mean latency"),
    "any bus": Basis("§3.2's buses of pnSSD"),
    "a bus for each chip": Basis("", "pnSSD's bus for each chip"),
    "packets, home": Basis("§3.2's packets of NoSSD", "NoSSD's own row only"),
    "packets, pooled, retrace": Basis("§3.2's packets of NoSSD", "NoSSD's replies retrace"),
    "packets, pooled, X then Y": Basis("§3.2's packets and X-Y routing of NoSSD"),
    "circuits, home": Basis("", "NoSSD as circuits in its own row"),
    "circuits, pooled": Basis("", "NoSSD as circuits"),
    "circuits, committed": Basis("", "NoSSD as committed circuits"),
    LETTER.name: Basis("§4.2's retry"),
    BEST.name: Basis("", "tuned Venice"),
}
"""Basis of each value. Placement and order of the preset, which no text contradicts, are neither
stated nor counted as choices."""


def stated(values: Iterable[str]) -> tuple[str, ...]:
    """Return the parts of the values that the paper states, in order.

    Examples
    --------
    >>> stated(["the request", "1.0 GB/s", "no limit"])
    ("§4.2's paths for a request", "§3.1's channels")
    """
    return tuple(BASES[value].stated for value in values if BASES[value].stated)


def chosen(values: Iterable[str]) -> tuple[str, ...]:
    """Return the choices that the values contain and that no text states, in order.

    Examples
    --------
    >>> chosen(["the request", "1.0 GB/s", "no limit"])
    ('no host limit',)
    """
    return tuple(BASES[value].chosen for value in values if BASES[value].chosen)
