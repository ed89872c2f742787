"""Processing in flash: speed-ups, speed-ups per watt, wear, failures and a chip's budget."""

from __future__ import annotations

import json
import math
from statistics import fmean
from typing import TYPE_CHECKING, Any

from venice._native import resolve
from venice.papers.experiment import Experiment, Finding
from venice.papers.experiments.pif_searches import (
    CHANNELS,
    CYCLES,
    MONTHS,
    blocks,
    by,
    draw,
    of_paper,
    timed,
    wear,
)
from venice.papers.scorecard import Claim

if TYPE_CHECKING:
    from venice.papers.experiment import Runs
    from venice.papers.size import Size

_GROUP = "pif"
CHIPS = (4, 8, 16, 32, 64)
APPLICATIONS = {"grep": 0.063, "SQL_Query": 0.167}
"""Applications, each with the share of pages that match."""
_FAILURES = {0.0: 1.0, 0.05: 0.83, 0.10: 0.63, 0.15: 0.51}
"""Performance relative to a chip decoder without failures, by its failure rate (Table 2)."""
_REACH = 72.0
PAGES = 160_000
"""Number of searched pages: 40,000 for each channel, so that tables and pipeline filling are
negligible."""
_PAGES_PER_CHIP = 256
"""Number of pages per chip in Figure 1b, where the searched data grows with the number of chips."""
_MANY_CHIPS = 32
ENERGIES = {
    "with flash arrays": "energy_uj",
    "without flash arrays": "energy_without_arrays_uj",
}
_DRIVE = "four channels of 1.2 GB/s, 160,000 pages"
_PARTS = {"T_flash": "flash_us", "T_transfer": "transfer_us", "T_accel": "accelerators_us"}


def ratio(
    figure: str,
    chips: int,
    selectivity: float,
    failure: float = 0.0,
    sets: tuple[str, ...] = (),
) -> float:
    """Return the ratio of a figure: search in the controller divided by search in the chips."""
    changes = (blocks(chips), *sets)
    pis, pif = (
        timed(place, of_paper(chips), PAGES, selectivity, failure, changes)[figure]
        for place in ("pis", "pif")
    )
    return float(pis) / float(pif)


def _speed_up(chips: int, selectivity: float, failure: float = 0.0) -> float:
    return ratio("time_us", chips, selectivity, failure)


def _tell_fig1b(_runs: Runs, _size: Size) -> Finding:
    rows: list[list[Any]] = []
    for accelerators, sets in (("one for each channel", ()), ("one", ("pif.accelerators=1",))):
        for chips in CHIPS:
            pages = _PAGES_PER_CHIP * CHANNELS * chips
            changes = (blocks(chips), *sets)
            found = timed("pis", of_paper(chips), pages, APPLICATIONS["grep"], 0.0, changes)
            parts = [found[figure] for figure in _PARTS.values()]
            rows.append([accelerators, chips, *parts, found["time_us"]])
    columns = (
        "accelerators", "chips_per_channel", "t_flash_us", "t_transfer_us", "t_accel_us", "time_us",
    )  # fmt: skip
    lines = {
        f"{part}, accelerators: {which}": [
            (row[1], row[2 + index]) for row in rows if row[0] == which
        ]
        for index, part in enumerate(_PARTS)
        for which in dict.fromkeys(row[0] for row in rows)
    }
    return Finding(columns, rows, (), lambda: draw(
        "A search in the controller of a growing drive", "chips in a channel", "µs at work", lines
    ))  # fmt: skip


def _tell_fig6a(_runs: Runs, _size: Size) -> Finding:
    rows: list[list[Any]] = [
        [name, chips, _speed_up(chips, share)]
        for name, share in APPLICATIONS.items()
        for chips in CHIPS
    ]
    found: list[float] = [row[2] for row in rows]
    claims = [
        Claim("pif-fig6a", "most speed-up over PiS", 15.9, max(found), "×", "Figure 6a", _DRIVE),
        Claim("pif-fig6a", "mean speed-up over PiS", 5.7, fmean(found), "×", "Figure 6a", _DRIVE),
    ]
    columns = ("application", "chips_per_channel", "speed_up_over_pis")
    return Finding(columns, rows, claims, lambda: draw(
        "PiF over PiS", "chips in a channel", "× faster", by(rows, 0, 1, 2)
    ))  # fmt: skip


def _tell_fig6b(_runs: Runs, _size: Size) -> Finding:
    rows: list[list[Any]] = [
        [name, chips, counted, ratio(energy, chips, share)]
        for name, share in APPLICATIONS.items()
        for chips in CHIPS
        for counted, energy in ENERGIES.items()
    ]
    counted = next(iter(ENERGIES))
    found: list[float] = [row[3] for row in rows if row[2] == counted]
    note = (
        "the physical sum; what the paper counted is not said, see pif-fit; 5 W for all but "
        "chips and channels is assumed"
    )
    claims = [
        Claim(
            "pif-fig6b", f"{claim} speed-up per watt over PiS", paper, ours, "×", "Figure 6b",
            f"{_DRIVE}; {counted}", note,
        )
        for claim, paper, ours in (("most", 18.6, max(found)), ("mean", 6.6, fmean(found)))
    ]  # fmt: skip
    columns = ("application", "chips_per_channel", "energy", "per_watt_over_pis")
    named = [[f"{row[0]}, {row[2]}", *row[1:]] for row in rows]
    return Finding(columns, rows, claims, lambda: draw(
        "PiF over PiS for each watt", "chips in a channel", "× better", by(named, 0, 1, 3)
    ))  # fmt: skip


def _tell_fig7(_runs: Runs, _size: Size) -> Finding:
    rows = [[cycles, months, *wear(cycles, months)] for cycles in CYCLES for months in MONTHS]
    beyond = [f"{row[0]} cycles, {row[1]} months" for row in rows if row[2] > _REACH]
    claim = Claim(
        "pif-fig7", "wear beyond 72 errors in a codeword", "2000 cycles, 12 months",
        "; ".join(beyond), "", "Figure 7", "mean errors by formula",
        "constants attributed to Kim et al., FAST 2019, not checked there",
    )  # fmt: skip
    columns = (
        "pe_cycles", "months", "mean_raw_errors", "page_fails_in_chip", "page_fails_hard_ecc_s",
    )  # fmt: skip
    return Finding(columns, rows, [claim], lambda: draw(
        "Raw errors in a codeword", "months of retention", "mean errors",
        by([[f"{row[0]} cycles", *row[1:]] for row in rows], 0, 1, 2), _REACH,
    ))  # fmt: skip


def _tell_tab1(_runs: Runs, _size: Size) -> Finding:
    """Return a table of the inputs of Table 1, which are taken from the paper."""
    config = json.loads(resolve("pif").to_json())
    power, pif = config["power"], config["pif"]
    parts = ("decoder", "matcher")
    rows: list[list[Any]] = [
        [
            f"ECC {part}" if part == "decoder" else f"pattern {part}",
            pif[f"{part}_mm2"],
            pif[f"{part}_mw"],
        ]
        for part in parts
    ]
    areas, powers = ([row[column] for row in rows] for column in (1, 2))
    sensing = power["array_read_mw"]
    rows += [
        ["both", math.fsum(areas), math.fsum(powers)],
        ["both and sensing", None, sensing + math.fsum(powers)],
        ["limit: free area, power of programming", pif["free_mm2"], power["array_program_mw"]],
    ]
    return Finding(("part", "area_mm2", "power_mw"), rows)


def _tell_tab2(_runs: Runs, _size: Size) -> Finding:
    rows = []
    for failure in _FAILURES:
        each = [
            _speed_up(_MANY_CHIPS, share, failure) / _speed_up(_MANY_CHIPS, share)
            for share in APPLICATIONS.values()
        ]
        rows.append([failure, *each, fmean(each)])
    claims = [
        Claim(
            "pif-tab2", f"performance at a failure rate of {row[0]}", _FAILURES[row[0]], row[-1],
            "", "Table 2", f"{_DRIVE}; {_MANY_CHIPS} chips in a channel, mean of both applications",
        )
        for row in rows
        if row[0]
    ]  # fmt: skip
    columns = ("failure_rate", *(f"{name}_relative" for name in APPLICATIONS), "mean_relative")
    return Finding(columns, rows, claims)


EXPERIMENTS = tuple(
    Experiment(name, _GROUP, title, source, evaluate)
    for name, title, source, evaluate in (
        ("pif-fig1b", "What a search in the controller waits for", "PiF, Figure 1b", _tell_fig1b),
        ("pif-fig6a", "Search in chips over controller", "PiF, Figure 6a", _tell_fig6a),
        ("pif-fig6b", "The same for each watt", "PiF, Figure 6b", _tell_fig6b),
        ("pif-fig7", "Raw errors against wear", "PiF, Figure 7", _tell_fig7),
        ("pif-tab1", "Area and power of a chip's parts", "PiF, Table 1", _tell_tab1),
        ("pif-tab2", "Decoding failures in the chip", "PiF, Table 2", _tell_tab2),
    )
)
