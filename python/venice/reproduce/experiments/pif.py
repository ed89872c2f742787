"""Processing in flash: speed-ups, speed-ups per watt, wear, failures, a chip's budget, and beyond.

The searches are made up: pages of which a share matches. They are timed event by event, and take
milliseconds; so there are no runs to keep.
"""

from __future__ import annotations

import json
import math
from functools import cache
from typing import TYPE_CHECKING, Any

from venice._native import ConfigError, pif_timing, pif_wear, resolve
from venice.reproduce.experiment import Experiment, Finding
from venice.reproduce.scorecard import Claim

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure

    from venice.reproduce.experiment import Runs
    from venice.reproduce.size import Size

_GROUP = "pif"
_CHIPS = (4, 8, 16, 32, 64)
_APPLICATIONS = {"grep": 0.063, "SQL_Query": 0.167}
"""The share of pages that match."""
_FAILURES = {0.0: 1.0, 0.05: 0.83, 0.10: 0.63, 0.15: 0.51}
"""Table 2: the chip decoder's failure rate, and performance relative to none."""
_CYCLES = (0, 500, 1000, 2000)
_MONTHS = (0, 1, 3, 6, 12)
_REACH = 72.0
_DAYS_PER_MONTH = 365 / 12
_PAGES = 20_000
"""So many that filling and emptying the chips does not show."""
_PAGES_BEYOND = 2000
"""Fewer for arrays of 64 chips: a mesh that is overloaded takes long to simulate."""
_MANY_CHIPS = 32
_ENERGIES = {
    "with flash arrays": "energy_uj",
    "without flash arrays": "energy_without_arrays_uj",
}
_BUS = "one channel of 1.2 GB/s"


@cache
def _timed(
    place: str, array: tuple[str, int, int], selectivity: float, failure: float
) -> dict[str, Any]:
    """Time a search over an array: its fabric, rows and chips in a row."""
    fabric, rows, chips = array
    drive = resolve("pif", fabric, [f"array.rows={rows}", f"array.cols={chips}"], None)
    pages = _PAGES if rows == 1 else _PAGES_BEYOND
    text = pif_timing(drive, place, pages=pages, selectivity=selectivity, failure=failure)
    figures: dict[str, Any] = json.loads(text)
    return figures


def _ratio(figure: str, chips: int, selectivity: float, failure: float = 0.0) -> float:
    """Give a figure of a search in the controller over that of one in the chips."""
    pis, pif = (
        _timed(place, ("bus", 1, chips), selectivity, failure)[figure] for place in ("pis", "pif")
    )
    return float(pis) / float(pif)


def _speed_up(chips: int, selectivity: float, failure: float = 0.0) -> float:
    return _ratio("time_us", chips, selectivity, failure)


def _tell_fig1b(_runs: Runs, _size: Size) -> Finding:
    page_bytes, columns = 16_384, ("chips_per_channel", "pis_mb_per_s", "chips_mb_per_s")
    rows = []
    for chips in (1, 2, *_CHIPS):
        timed = _timed("pis", ("bus", 1, chips), _APPLICATIONS["grep"], 0.0)
        reached = _PAGES * page_bytes / timed["time_us"]
        rows.append([chips, reached, chips * page_bytes / 45.0])
    full = max(row[1] for row in rows) / rows[-1][2]
    claim = Claim(
        "pif-fig1b", "share of what 64 chips sense that a channel lets through",
        45 / 64 / 15.36, full, "", "Figure 1b", _BUS,
        "the figure itself was not available: the value is that of its constants",
    )  # fmt: skip
    return Finding(columns, rows, [claim], lambda: _draw_lines(
        "A channel in front of its chips", "chips in a channel", "MB/s",
        {
            "searched in the controller": [(row[0], row[1]) for row in rows],
            "sensed by the chips": [(row[0], row[2]) for row in rows],
        },
    ))  # fmt: skip


def _tell_fig6a(_runs: Runs, _size: Size) -> Finding:
    rows: list[list[Any]] = [
        [name, chips, _speed_up(chips, share)]
        for name, share in _APPLICATIONS.items()
        for chips in _CHIPS
    ]
    found: list[float] = [row[2] for row in rows]
    claims = [
        Claim("pif-fig6a", "most speed-up over PiS", 15.9, max(found), "×", "Figure 6a", _BUS),
        Claim("pif-fig6a", "mean speed-up over PiS", 5.7, _mean(found), "×", "Figure 6a", _BUS),
    ]
    columns = ("application", "chips_per_channel", "speed_up_over_pis")
    return Finding(columns, rows, claims, lambda: _draw_lines(
        "PiF over PiS", "chips in a channel", "× faster", _by(rows, 0, 1, 2)
    ))  # fmt: skip


def _tell_fig6b(_runs: Runs, _size: Size) -> Finding:
    rows: list[list[Any]] = [
        [name, chips, counted, _ratio(energy, chips, share)]
        for name, share in _APPLICATIONS.items()
        for chips in _CHIPS
        for counted, energy in _ENERGIES.items()
    ]
    claims = []
    for counted in _ENERGIES:
        found: list[float] = [row[3] for row in rows if row[2] == counted]
        regime = f"{_BUS}; {counted}"
        note = "5 W for all but chips and channels is assumed; sensing costs the same in both"
        for claim, paper, ours in (("most", 18.6, max(found)), ("mean", 6.6, _mean(found))):
            claims.append(
                Claim(
                    "pif-fig6b", f"{claim} speed-up per watt over PiS", paper, ours, "×",
                    "Figure 6b", regime, note,
                )
            )  # fmt: skip
    columns = ("application", "chips_per_channel", "energy", "per_watt_over_pis")
    named = [[f"{row[0]}, {row[2]}", *row[1:]] for row in rows]
    return Finding(columns, rows, claims, lambda: _draw_lines(
        "PiF over PiS for each watt", "chips in a channel", "× better", _by(named, 0, 1, 3)
    ))  # fmt: skip


def _wear(cycles: float, months: float) -> tuple[float, float, float]:
    days = months * _DAYS_PER_MONTH
    sets = [f"pif.pe_cycles={cycles}", f"pif.retention_days={days!r}"]
    return pif_wear(resolve("pif", None, sets, None))


def _tell_fig7(_runs: Runs, _size: Size) -> Finding:
    rows = [[cycles, months, *_wear(cycles, months)] for cycles in _CYCLES for months in _MONTHS]
    beyond = [f"{row[0]} cycles, {row[1]} months" for row in rows if row[2] > _REACH]
    claim = Claim(
        "pif-fig7", "wear beyond 72 errors in a codeword", "2000 cycles, 12 months",
        "; ".join(beyond), "", "Figure 7", "mean errors by formula",
        "constants attributed to Kim et al., FAST 2019, not checked there",
    )  # fmt: skip
    columns = (
        "pe_cycles", "months", "mean_raw_errors", "page_fails_in_chip", "page_fails_hard_ecc_s",
    )  # fmt: skip
    return Finding(columns, rows, [claim], lambda: _draw_lines(
        "Raw errors in a codeword", "months of retention", "mean errors",
        _by([[f"{row[0]} cycles", *row[1:]] for row in rows], 0, 1, 2), _REACH,
    ))  # fmt: skip


def _tell_tab1(_runs: Runs, _size: Size) -> Finding:
    config = json.loads(resolve("pif").to_json())
    power, pif = config["power"], config["pif"]
    parts = {
        "sensing": power["array_read_mw"],
        "matcher": pif["matcher_mw"],
        "decoder": pif["decoder_mw"],
    }
    rows = [[part, mw] for part, mw in parts.items()]
    rows += [["together", math.fsum(parts.values())], ["programming", power["array_program_mw"]]]
    claim = Claim(
        "pif-tab1", "power of a chip that searches", 178.66, rows[-2][1], "mW", "§3.3",
        "sum of the configured parts", "inputs, not results; a design above 180 mW is refused",
    )  # fmt: skip
    refused = _is_refused(f"pif.matcher_mw={power['array_program_mw']}")
    limit = Claim(
        "pif-tab1", "a chip above the power of programming", "refused",
        "refused" if refused else "taken", "", "§3.3", "configuration",
    )  # fmt: skip
    return Finding(("part", "power_mw"), rows, [claim, limit])


def _is_refused(change: str) -> bool:
    try:
        pif_timing(resolve("pif", None, [change], None), "pif", pages=1, selectivity=0.0)
    except ConfigError:
        return True
    return False


def _tell_tab2(_runs: Runs, _size: Size) -> Finding:
    rows = []
    for failure in _FAILURES:
        each = [
            _speed_up(_MANY_CHIPS, share, failure) / _speed_up(_MANY_CHIPS, share)
            for share in _APPLICATIONS.values()
        ]
        rows.append([failure, *each, _mean(each)])
    claims = [
        Claim(
            "pif-tab2", f"performance at a failure rate of {row[0]}", _FAILURES[row[0]], row[-1],
            "", "Table 2", f"{_MANY_CHIPS} chips, mean of both applications",
            "the paper does not say for how many chips; these fit",
        )
        for row in rows
    ]  # fmt: skip
    columns = ("failure_rate", *(f"{name}_relative" for name in _APPLICATIONS), "mean_relative")
    return Finding(columns, rows, claims)


def _tell_beyond(_runs: Runs, _size: Size) -> Finding:
    """Sweep what the paper holds fixed: fabric, selectivity and wear."""
    rows: list[list[Any]] = []
    for fabric in ("bus", "venice", "ideal"):
        for share in (0.01, *_APPLICATIONS.values(), 0.5):
            for months in (0, 12):
                failure = _wear(2000, months)[1]
                # Only chips have their own decoder to fail.
                fails = {"pif": failure, "pis": 0.0, "host": 0.0}
                times = [
                    _timed(place, (fabric, 8, 8), share, chance)["time_us"]
                    for place, chance in fails.items()
                ]
                rows.append([fabric, share, months, failure, *times, times[1] / times[0]])
    columns = (
        "fabric", "selectivity", "months_at_2000_cycles", "chip_failure_rate",
        "pif_us", "pis_us", "host_us", "speed_up_over_pis",
    )  # fmt: skip
    young = [row for row in rows if row[2] == 0]
    return Finding(columns, rows, (), lambda: _draw_lines(
        "PiF over PiS, 8 × 8 chips", "share of pages that match", "× faster", _by(young, 0, 1, 7)
    ))  # fmt: skip


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


def _by(
    rows: Sequence[Sequence[Any]], name: int, x: int, y: int
) -> dict[str, list[tuple[float, float]]]:
    """Group rows into lines of (x, y) by the column of their names."""
    return {
        key: [(row[x], row[y]) for row in rows if row[name] == key]
        for key in dict.fromkeys(row[name] for row in rows)
    }


def _draw_lines(
    title: str,
    x: str,
    y: str,
    lines: dict[str, list[tuple[float, float]]],
    level: float | None = None,
) -> Figure:
    from venice.reproduce.draw import Panel, draw_lines, grid, label  # noqa: PLC0415 slow

    figure, axes = grid(1, 1, 6.0, 3.6)
    space = axes[0][0]
    draw_lines(space, lines)
    if level is not None:
        space.axhline(level, color="black", linewidth=0.8)
    label(space, Panel(title, x, y))
    space.legend()
    return figure


EXPERIMENTS = tuple(
    Experiment(name, _GROUP, title, source, tell)
    for name, title, source, tell in (
        ("pif-fig1b", "A channel in front of its chips", "PiF, Figure 1b", _tell_fig1b),
        ("pif-fig6a", "Search in chips over controller", "PiF, Figure 6a", _tell_fig6a),
        ("pif-fig6b", "The same for each watt", "PiF, Figure 6b", _tell_fig6b),
        ("pif-fig7", "Raw errors against wear", "PiF, Figure 7", _tell_fig7),
        ("pif-tab1", "Power of a chip that searches", "PiF, Table 1", _tell_tab1),
        ("pif-tab2", "Decoding failures in the chip", "PiF, Table 2", _tell_tab2),
        ("pif-beyond", "Fabrics, selectivity and wear", "ours", _tell_beyond),
    )
)
