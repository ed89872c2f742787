"""What a design costs: wires on the board, pins of packages, area of routers, by Table 4 and §6.6.

One Baseline is the wire of eight channels of eight data bits. A mesh link of eight bits is 0.04 of
a channel; wires of the same kind count by their number.
"""

from __future__ import annotations

from dataclasses import dataclass

from venice.reproduce.experiments.designs import Design

_BITS = 8
_CHANNEL_MB_PER_S = 1200
_LINK_AREA = 0.04
"""Table 4 and §6.6: of a link of eight bits, in channels."""
_PORTS = 5
"""Of a Venice router: four neighbours and the chip; 5 × 8 bits are the paper's 40 pins."""
_CONTROL_PINS = 8
"""assumed: as many control pins as data pins, which is what lets pSSD double its rate (§3.2)."""


def link_width(bits: int) -> tuple[str, ...]:
    """Give links of a mesh another width; the engine takes wire, pins and energy from it."""
    return (f"fabric.mesh.link_width_bits={bits}",)


def channel_width(bits: int) -> tuple[str, ...]:
    """Give channels another number of data bits, with the rate that comes with it."""
    return (f"fabric.channel_rate_mb_per_s={_CHANNEL_MB_PER_S * bits / _BITS:g}",)


@dataclass(frozen=True)
class Wired:
    """A design with so much wire.

    Attributes
    ----------
    design
        The design.
    family
        What it is a member of: designs that differ in their wire only.
    wires
        Wire on the board, in Baselines.
    chip_pins
        Signal pins of a flash package.
    router_pins
        Pins of the router beside it; 0 without one. NoSSD's router is in the flash package.
    controller_pins
        Signal pins of the drive's controller towards the flash.
    """

    design: Design
    family: str
    wires: float
    chip_pins: int
    router_pins: int
    controller_pins: int

    @property
    def pins(self) -> int:
        """Pins beside each chip, that of the router included."""
        return self.chip_pins + self.router_pins


def bus(family: str, fabric: str, bits: int, sets: tuple[str, ...] = ()) -> Wired:
    """Give a design of channels with so many data bits where Baseline has eight.

    pSSD uses the control pins of the same channel for data, and pnSSD splits them into a bus for
    the row and one for the column: neither adds a wire.
    """
    share = bits / _BITS
    pins = bits + _CONTROL_PINS if fabric == "bus" else 2 * bits
    name = f"{family}, {bits} bits"
    design = Design(name, name, fabric, (*sets, *channel_width(bits)))
    return Wired(design, family, share, pins, 0, 8 * pins)


def nossd(family: str, bits: int, sets: tuple[str, ...]) -> Wired:
    """Give NoSSD with lanes of so many bits: one for each direction of 112 links."""
    name = f"{family}, {bits} bits"
    design = Design(name, name, "nossd", (*sets, *link_width(bits)))
    wires = 2 * 112 * _LINK_AREA * bits / _BITS / 8
    return Wired(design, family, wires, 4 * 2 * bits, 0, 8 * 2 * bits)


def venice(family: str, bits: int, sets: tuple[str, ...], rows: int = 8) -> Wired:
    """Give Venice with links of so many bits; 64 chips in so many rows."""
    cols = 64 // rows
    name = f"{family}, {bits} bits"
    shape = (f"array.rows={rows}", f"array.cols={cols}") if rows != cols else ()
    design = Design(name, name, "venice", (*sets, *link_width(bits), *shape))
    links = rows * (cols - 1) + cols * (rows - 1)
    wires = links * _LINK_AREA * bits / _BITS / 8
    return Wired(design, family, wires, 2 * _CONTROL_PINS, _PORTS * bits, rows * bits)


def ideal() -> Wired:
    """Give a channel for each chip: sixty-four instead of eight."""
    pins = _BITS + _CONTROL_PINS
    return Wired(Design("ideal", "ideal", "ideal"), "ideal", 8.0, pins, 0, 64 * pins)
