"""A mapped netlist: area, the longest path, and the energy of recorded activity."""

import json
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from liberty import Cell, Library, Surface, expression

# Number of a wire, or a constant.
Wire = int | str
# Arrival time of a wire, slew of its edge, and number of cells before it.
Arrival = tuple[float, float, int]

# Slew of clock and inputs, the fastest of the library [ns].
SLEW_NS = 0.06
# Assumed capacitance of a wire [pF]; 0, since the netlist is not placed.
WIRE_PF = 0.0


@dataclass
class Longest:
    """The longest path between two flip-flops or ports."""

    ns: float
    cells: int


@dataclass
class Energy:
    """Energy of a number of cycles by cause."""

    cycles: int
    clock_pj: float
    registers_pj: float
    logic_pj: float
    leakage_uw: float


class Netlist:
    """A flat module of library cells."""

    def __init__(self, path: Path, library: Library) -> None:
        modules = json.loads(path.read_text())["modules"]
        module = next(m for m in modules.values() if "top" in m["attributes"])
        self.library = library
        self.ports = {name: port["bits"] for name, port in module["ports"].items()}
        self.inputs = {n for n, p in module["ports"].items() if p["direction"] == "input"}
        self.cells = [
            (
                library.cells[cell["type"]],
                {pin: bits[0] for pin, bits in cell["connections"].items()},
            )
            for cell in module["cells"].values()
        ]
        self.flops = [cell for cell in self.cells if cell[0].is_flop]
        self.load: dict[int, float] = defaultdict(float)
        for cell, wires in self.cells:
            for pin, wire in wires.items():
                if not cell.pins[pin].is_output:
                    self.load[wire] += cell.pins[pin].farads_p + WIRE_PF
        self.order = self._in_order()

    @property
    def area(self) -> float:
        """Area of all cells [µm²]."""
        return sum(cell.area for cell, _ in self.cells)

    @property
    def flop_area(self) -> float:
        """Area of the flip-flops [µm²]."""
        return sum(cell.area for cell, _ in self.flops)

    def _in_order(self) -> list[tuple]:
        """Return the combinational cells, each after those that drive it."""
        driver = {}
        for index, (cell, wires) in enumerate(self.cells):
            if not cell.is_flop:
                for pin, wire in wires.items():
                    if cell.pins[pin].is_output:
                        driver[wire] = index
        order: list[tuple] = []
        seen: set[int] = set()
        for start in range(len(self.cells)):
            stack = [(start, False)]
            while stack:
                index, ready = stack.pop()
                cell, wires = self.cells[index]
                if ready:
                    order.append(self.cells[index])
                    continue
                if index in seen or cell.is_flop:
                    continue
                seen.add(index)
                stack.append((index, True))
                for pin, wire in wires.items():
                    if not cell.pins[pin].is_output and wire in driver and driver[wire] not in seen:
                        stack.append((driver[wire], False))
        return order

    def longest(self, late_inputs_ns: float = 0.0) -> Longest:
        """Return the longest path without wire delays; `kind_i` changes after `late_inputs_ns`."""
        arrives: dict[int, tuple[float, float, int]] = {}
        for name in self.inputs:
            late = late_inputs_ns if name == "kind_i" else 0.0
            for wire in self.ports[name]:
                arrives[wire] = (late, SLEW_NS, 0)
        for cell, wires in self.flops:
            self._through(cell, wires, arrives, {cell.clock: (0.0, SLEW_NS, 0)})
        for cell, wires in self.order:
            known = {pin: arrives.get(wire, (0.0, SLEW_NS, 0)) for pin, wire in wires.items()}
            self._through(cell, wires, arrives, known)
        ends = [
            (
                arrives[wires["D"]][0] + self._setup(cell, arrives[wires["D"]][1]),
                arrives[wires["D"]][2],
            )
            for cell, wires in self.flops
            if wires.get("D") in arrives
        ]
        outputs = (
            wire for name, bits in self.ports.items() if name not in self.inputs for wire in bits
        )
        ends += [(arrives[wire][0], arrives[wire][2]) for wire in outputs if wire in arrives]
        ns, cells = max(ends)
        return Longest(ns, cells)

    def output_ns(self, name: str) -> float:
        """Return the time at which a port has settled [ns]."""
        arrives: dict[int, tuple[float, float, int]] = {}
        for port in self.inputs:
            for wire in self.ports[port]:
                arrives[wire] = (0.0, SLEW_NS, 0)
        for cell, wires in self.flops:
            self._through(cell, wires, arrives, {cell.clock: (0.0, SLEW_NS, 0)})
        for cell, wires in self.order:
            known = {pin: arrives.get(wire, (0.0, SLEW_NS, 0)) for pin, wire in wires.items()}
            self._through(cell, wires, arrives, known)
        return max(arrives[wire][0] for wire in self.ports[name] if wire in arrives)

    def _setup(self, cell: Cell, slew: float) -> float:
        tables = cell.pins["D"].setup
        return max((surface.at(slew, SLEW_NS) for _, surface in tables), default=0.0)

    def _through(
        self,
        cell: Cell,
        wires: dict[str, Wire],
        arrives: dict[Wire, Arrival],
        known: dict[str, Arrival],
    ) -> None:
        for pin in cell.pins.values():
            if not pin.is_output or pin.name not in wires:
                continue
            wire = wires[pin.name]
            load = self.load[wire]
            best = (0.0, SLEW_NS, 0)
            for (source, delay), (_, slope) in zip(pin.delays, pin.slews, strict=True):
                if source not in known:
                    continue
                at, slew, depth = known[source]
                best = max(best, (at + delay.at(slew, load), slope.at(slew, load), depth + 1))
            arrives[wire] = best

    def simulator(self) -> tuple[Callable[[list[int]], None], dict[int, int]]:
        """Return a function that computes all wires from state and inputs, and their indexes."""
        wires = sorted(
            {wire for _, pins in self.cells for wire in pins.values() if isinstance(wire, int)}
            | {wire for bits in self.ports.values() for wire in bits if isinstance(wire, int)}
        )
        place = {wire: index for index, wire in enumerate(wires)}

        def name(wire: Wire) -> str:
            return f"v[{place[wire]}]" if isinstance(wire, int) else wire

        lines = ["def settle(v):"]
        for cell, pins in self.order:
            names = {pin: name(wire) for pin, wire in pins.items()}
            lines.extend(
                f"    {names[pin.name]} = {expression(pin.function, names)}"
                for pin in cell.pins.values()
                if pin.is_output and pin.name in pins
            )
        scope: dict = {}
        exec("\n".join(lines), scope)
        return scope["settle"], place

    def energy(self, history: np.ndarray, place: dict[int, int]) -> Energy:
        """Return the energy of a history of the wires' values, with a row for each cycle."""
        rises = ((history[1:] == 1) & (history[:-1] == 0)).sum(axis=0)
        falls = ((history[1:] == 0) & (history[:-1] == 1)).sum(axis=0)
        cycles, volts = len(history) - 1, self.library.volts
        clock = registers = logic = 0.0
        for cell, pins in self.cells:
            spent = 0.0
            for pin in cell.pins.values():
                wire = pins.get(pin.name)
                if not isinstance(wire, int) or (cell.is_flop and pin.name == cell.clock):
                    continue
                up, down = int(rises[place[wire]]), int(falls[place[wire]])
                load = self.load[wire] if pin.is_output else 0.0
                spent += up * _mean(pin.rise_energy, load) + down * _mean(pin.fall_energy, load)
                if pin.is_output:
                    spent += (up + down) * 0.5 * load * volts**2
            if cell.is_flop:
                pin = cell.pins[cell.clock]
                edge = _mean(pin.rise_energy, 0.0) + _mean(pin.fall_energy, 0.0)
                clock += cycles * (edge + pin.farads_p * volts**2)
                registers += spent
            else:
                logic += spent
        leakage = sum(cell.leakage_nw for cell, _ in self.cells) / 1e3
        return Energy(cycles, clock, registers, logic, leakage)


def _mean(tables: list[tuple[str, Surface]], load: float) -> float:
    """Return the mean over a pin's arcs, since the arc that caused a change is not recorded."""
    if not tables:
        return 0.0
    return float(np.mean([surface.at(SLEW_NS, load) for _, surface in tables]))
