"""Cost of a design by Table 4 and §6.6: board wires, package pins, router area.

The unit of wire, one Baseline, is eight channels of eight data bits. A mesh link of eight bits has
0.04 of a channel's wire area; wires of the same kind are counted by number.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from venice.papers.experiments.designs import Design

_BITS = 8
_CHANNEL_MB_PER_S = 1200
_LINK_AREA = 0.04
"""Wire area of a link of eight bits, relative to a channel: Table 4 and §6.6."""
_PORTS = 5
"""Number of ports of a Venice router: four neighbours and the chip; 5 × 8 bits are the paper's 40
pins."""
_CONTROL_PINS = 8
"""Assumed number of control pins, equal to that of data pins; pSSD uses both to double its rate
(§3.2)."""


def link_width(bits: int) -> tuple[str, ...]:
    """Return the setting of the mesh's link width, which determines wires, pins and energy."""
    return (f"fabric.mesh.link_width_bits={bits}",)


def channel_width(bits: int) -> tuple[str, ...]:
    """Return the settings of the channel width, including the resulting rate."""
    return (f"fabric.channel_rate_mb_per_s={_CHANNEL_MB_PER_S * bits / _BITS:g}",)


@dataclass(frozen=True)
class WiredDesign:
    """Design with a given amount of wire.

    Attributes
    ----------
    design
        Design whose wire is counted.
    family
        Name of a family of designs that differ only in their wire.
    wires
        Wire on the board, relative to Baseline.
    chip_pins
        Signal pins of a flash package.
    router_pins
        Pins of the largest router outside the flash packages; 0 without such a router. NoSSD's
        router is in the flash package.
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
        """Number of pins at each chip, including the pins of a separate router."""
        return self.chip_pins + self.router_pins


def bus(family: str, fabric: str, bits: int, sets: tuple[str, ...] = ()) -> WiredDesign:
    """Return a design whose channels have `bits` data bits; Baseline has eight.

    pSSD uses the control pins of the channel for data, and pnSSD splits the channel into a row bus
    and a column bus: neither adds a wire.
    """
    share = bits / _BITS
    pins = bits + _CONTROL_PINS if fabric == "bus" else 2 * bits
    name = f"{family}, {bits} bits"
    design = Design(name, name, fabric, (*sets, *channel_width(bits)))
    return WiredDesign(design, family, share, pins, 0, 8 * pins)


def nossd(family: str, bits: int, sets: tuple[str, ...]) -> WiredDesign:
    """Return NoSSD with lanes of `bits` bits; each of its 112 links has a lane per direction."""
    name = f"{family}, {bits} bits"
    design = Design(name, name, "nossd", (*sets, *link_width(bits)))
    wires = 2 * 112 * _LINK_AREA * bits / _BITS / 8
    return WiredDesign(design, family, wires, 4 * 2 * bits, 0, 8 * 2 * bits)


@dataclass(frozen=True)
class MeshAttachment:
    """Attachment of controllers to Venice's mesh [default: the paper's].

    Attributes
    ----------
    ports
        Number and position of a controller's ports: ``one``, ``two`` or ``both_sides``.
    circuits
        Maximum number of simultaneous circuits of a controller.
    column_0_links
        Links between neighbours of column 0.
    """

    ports: str = "one"
    circuits: int = 1
    column_0_links: int = 1

    @property
    def sets(self) -> tuple[str, ...]:
        """Settings of the drive for the attachment."""
        return (
            f"fabric.venice.controller_ports={self.ports}",
            f"fabric.venice.circuits_per_controller={self.circuits}",
            f"fabric.venice.column_0_links={self.column_0_links}",
        )

    def port_wires(self, cols: int) -> int:
        """Return the length of the wires to second ports at the far ends of rows, in links."""
        return {"one": 0, "two": 1, "both_sides": cols}[self.ports]

    @property
    def router_ports(self) -> int:
        """Number of ports of the routers in column 0, which have the most ports."""
        return _PORTS + (self.ports == "two") + 2 * (self.column_0_links - 1)


PAPER = MeshAttachment()


def venice(
    family: str, bits: int, sets: tuple[str, ...], rows: int = 8, joined: MeshAttachment = PAPER
) -> WiredDesign:
    """Return Venice with links of `bits` bits and 64 chips in `rows` rows."""
    cols = 64 // rows
    name = f"{family}, {bits} bits"
    shape = (f"array.rows={rows}", f"array.cols={cols}") if rows != cols else ()
    ways = joined.sets if joined != PAPER else ()
    design = Design(name, name, "venice", (*sets, *link_width(bits), *shape, *ways))
    links = rows * (cols - 1) + cols * (rows - 1) + (rows - 1) * (joined.column_0_links - 1)
    wires = (links + rows * joined.port_wires(cols)) * _LINK_AREA * bits / _BITS / 8
    ports = 1 if joined.ports == "one" else 2
    router_pins = joined.router_ports * bits
    return WiredDesign(design, family, wires, 2 * _CONTROL_PINS, router_pins, ports * rows * bits)


def data_first(wired: WiredDesign) -> WiredDesign:
    """Return a design that sends waiting data before commands; by default, commands are first."""
    design, sets = wired.design, ("fabric.first_on_path=data",)
    name = f"{design.name}, data first"
    changed = replace(design, name=name, title=name, sets=(*design.sets, *sets))
    return replace(wired, design=changed, family=f"{wired.family}, data first")


def ideal() -> WiredDesign:
    """Return the ideal design, with a channel for each of the 64 chips."""
    pins = _BITS + _CONTROL_PINS
    return WiredDesign(Design("ideal", "ideal", "ideal"), "ideal", 8.0, pins, 0, 64 * pins)
