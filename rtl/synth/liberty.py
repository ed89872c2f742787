"""Reader of Liberty files: areas, functions, capacitances, delays, energies, leakage."""

import re
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

TOKEN = re.compile(r'"[^"]*"|[{}();:,]|[^\s{}();:,"]+')
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)


@dataclass
class Group:
    """A group of a Liberty file: `kind(name) { ... }`."""

    kind: str
    name: str
    values: dict[str, str] = field(default_factory=dict)
    groups: list["Group"] = field(default_factory=list)

    def all(self, kind: str) -> list["Group"]:
        """Return the inner groups of one kind."""
        return [group for group in self.groups if group.kind == kind]


def parse(path: Path) -> Group:
    """Read a Liberty file and return its library group."""
    text = COMMENT.sub(" ", path.read_text()).replace("\\\n", " ")
    tokens = TOKEN.findall(text)
    library = Group("", "")
    _fill(library, tokens, 0)
    return library.groups[0]


def _fill(group: Group, tokens: list[str], at: int) -> int:
    while at < len(tokens) and tokens[at] != "}":
        name, follows = tokens[at], tokens[at + 1] if at + 1 < len(tokens) else ""
        if follows == ":":
            end = at + 2
            while tokens[end] not in (";", "}"):
                end += 1
            group.values[name] = " ".join(tokens[at + 2 : end]).strip('"')
            at = end
        elif follows == "(":
            end = tokens.index(")", at)
            arguments = " ".join(token.strip('"') for token in tokens[at + 2 : end])
            if end + 1 < len(tokens) and tokens[end + 1] == "{":
                inner = Group(name, arguments)
                at = _fill(inner, tokens, end + 2)
                group.groups.append(inner)
            else:
                group.values[name] = arguments
                at = end + 1
        else:
            at += 1
    return at + 1


@dataclass
class Surface:
    """Table of a figure over load and slew."""

    first: np.ndarray
    second: np.ndarray
    numbers: np.ndarray

    def at(self, slew: float, load: float) -> float:
        """Return the interpolated figure; beyond the table, that of its edge."""
        column = [float(np.interp(slew, self.second, row)) for row in self.numbers]
        return float(np.interp(load, self.first, column))


def _numbers(text: str) -> np.ndarray:
    return np.array([float(word) for word in text.replace(",", " ").split()])


class Library:
    """Library of cells by name."""

    def __init__(self, path: Path) -> None:
        tree = parse(path)
        self.name = tree.name
        self.volts = float(tree.values.get("nom_voltage", "1.8"))
        self.templates = {
            group.name: group
            for kind in ("lu_table_template", "power_lut_template")
            for group in tree.all(kind)
        }
        self.cells = {cell.name: Cell(self, cell) for cell in tree.all("cell")}

    def surface(self, table: Group) -> Surface:
        """Convert a table of delays or energies to axes (load, slew)."""
        template = self.templates.get(table.name, Group("", ""))
        axes = []
        for number in ("1", "2"):
            points = table.values.get(f"index_{number}", template.values.get(f"index_{number}"))
            if points is not None:
                axes.append((template.values.get(f"variable_{number}", ""), _numbers(points)))
        numbers = _numbers(table.values["values"])
        none = np.array([0.0])
        if len(axes) <= 1:
            variable, points = axes[0] if axes else ("", none)
            if "capacitance" in variable:
                return Surface(points, none, numbers.reshape(-1, 1))
            return Surface(none, points, numbers.reshape(1, -1))
        grid = numbers.reshape(len(axes[0][1]), len(axes[1][1]))
        if "capacitance" in axes[0][0]:
            return Surface(axes[0][1], axes[1][1], grid)
        return Surface(axes[1][1], axes[0][1], grid.T)


class Cell:
    """One cell."""

    def __init__(self, library: Library, group: Group) -> None:
        self.name = group.name
        self.area = float(group.values["area"])
        self.leakage_nw = float(group.values.get("cell_leakage_power", "0"))
        self.is_flop = bool(group.all("ff"))
        flop = group.all("ff")[0] if self.is_flop else None
        self.next_state = flop.values["next_state"] if flop else ""
        self.clock = flop.values["clocked_on"] if flop else ""
        self.state = flop.name.split()[0].strip(",") if flop else ""
        self.pins = {pin.name: Pin(library, pin) for pin in group.all("pin")}


class Pin:
    """One pin of a cell."""

    def __init__(self, library: Library, group: Group) -> None:
        self.name = group.name
        self.is_output = group.values.get("direction") == "output"
        self.farads_p = float(group.values.get("capacitance", "0"))
        self.function = group.values.get("function", "")
        arcs = group.all("timing")
        self.delays = self._tables(library, arcs, ("cell_rise", "cell_fall"))
        self.slews = self._tables(library, arcs, ("rise_transition", "fall_transition"))
        self.setup = self._tables(
            library,
            [arc for arc in arcs if arc.values.get("timing_type") == "setup_rising"],
            ("rise_constraint", "fall_constraint"),
        )
        powers = group.all("internal_power")
        self.rise_energy = self._tables(library, powers, ("rise_power",))
        self.fall_energy = self._tables(library, powers, ("fall_power",))

    @staticmethod
    def _tables(
        library: Library, groups: list[Group], kinds: tuple[str, ...]
    ) -> list[tuple[str, Surface]]:
        return [
            (group.values.get("related_pin", ""), library.surface(table))
            for group in groups
            for kind in kinds
            for table in group.all(kind)
        ]


def expression(function: str, pins: dict[str, str]) -> str:
    """Return a Liberty function as a Python expression of 0 and 1, with names in place of pins."""
    text = re.sub(r"([A-Za-z_]\w*)\s*'", r"!\1", function.strip('"'))
    tokens = re.findall(r"[A-Za-z_]\w*|[!()+|*&^01]", text)
    parts: list[str] = []
    for token in tokens:
        ends = bool(parts) and (parts[-1] == ")" or parts[-1].endswith("]") or parts[-1] in "01")
        starts = token in "(!01" or token[0].isalpha()
        if ends and starts:
            parts.append("&")
        if token in ("+", "|"):
            parts.append("|")
        elif token in ("*", "&"):
            parts.append("&")
        elif token == "!":
            parts.append("1^")
        elif token[0].isalpha():
            parts.append(pins[token])
        else:
            parts.append(token)
    # In Liberty `!` has the highest precedence, in Python `^` does not: each negation is put in
    # brackets.
    return _bracket(parts)


def _bracket(parts: list[str]) -> str:
    out: list[str] = []
    at = 0
    while at < len(parts):
        if parts[at] != "1^":
            out.append(parts[at])
            at += 1
            continue
        end = at
        while parts[end] == "1^":
            end += 1
        if parts[end] == "(":
            depth = 1
            end += 1
            while depth:
                depth += {"(": 1, ")": -1}.get(parts[end], 0)
                end += 1
        else:
            end += 1
        out.append("(1^" + _bracket(parts[at + 1 : end]) + ")")
        at = end
    return "".join(out)
