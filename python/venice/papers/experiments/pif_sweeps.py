"""Processing in flash beyond the paper: variation of its fixed parameters, and other fabrics."""

from __future__ import annotations

import random
from functools import cache
from statistics import fmean
from typing import TYPE_CHECKING, Any

from venice.papers.experiment import Experiment, Finding
from venice.papers.experiments.pif import APPLICATIONS, CHIPS, ENERGIES, PAGES, ratio
from venice.papers.experiments.pif_searches import (
    CHANNELS,
    CYCLES,
    MONTHS,
    Array,
    by,
    draw,
    timed,
    times_us,
    wear,
    wear_sets,
)
from venice.pif import Search

if TYPE_CHECKING:
    from venice.config import FabricName
    from venice.papers.experiment import Runs
    from venice.papers.size import Size
    from venice.pif.report import SearchReport

_GROUP = "pif"
_FABRICS: tuple[FabricName, ...] = ("bus", "venice", "ideal")
_ROWS = 8
_COLS = 8
_SELECTIVITIES = (0.0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)
_COLS_SWEPT = (1, 2, 4, 8, 16, 32, 64)
_PATTERNS = (1, 2, 4, 8)
_SHARE_OF_A_PATTERN = 0.04
_BASES_W = (0.5, 1.0, 2.0, 5.0, 10.0, 20.0)
_PAGES = 2048
"""Number of pages: enough for a steady search, and few enough for an overloaded mesh."""
_GIVE_UP_PAGES = 512
_PAGES_PER_CHIP = 16
_PAGE_BYTES = 16_384
_LINE_BYTES = 64
_PLACES = ("pif", "pis", "host")
_TIMES = ("pif_us", "pis_us", "host_us", "speed_up_over_pis")


def _times_us(array: Array, pages: int, selectivity: float) -> list[float]:
    times: list[float] = [timed(place, array, pages, selectivity)["time_us"] for place in _PLACES]
    return [*times, times[1] / times[0]]


def _beside_bus(rows: list[list[Any]]) -> list[list[Any]]:
    """Append the speed-up over the fabric bus to each row of (fabric, x, time, ...)."""
    on_bus = {row[1]: row[2] for row in rows if row[0] == "bus"}
    return [[*row, on_bus[row[1]] / row[2]] for row in rows]


def _tell_selectivity(_runs: Runs, size: Size) -> Finding:
    rows = _beside_bus(
        [
            [fabric, share, *_times_us(Array(fabric, _ROWS, _COLS), _PAGES, share)]
            for fabric in _FABRICS
            for share in size.some(_SELECTIVITIES)
        ]
    )
    columns = ("fabric", "selectivity", *_TIMES, "pif_over_pif_on_bus")
    return Finding(columns, rows, (), lambda: draw(
        "PiF over PiS, 8 × 8 chips", "share of pages that match", "× faster", by(rows, 0, 1, 5)
    ))  # fmt: skip


def _tell_chips(_runs: Runs, size: Size) -> Finding:
    share = APPLICATIONS["grep"]
    rows: list[list[Any]] = []
    for fabric in _FABRICS:
        for cols in size.some(_COLS_SWEPT):
            pages = max(_PAGES, _PAGES_PER_CHIP * _ROWS * cols)
            rows.append([fabric, cols, *_times_us(Array(fabric, _ROWS, cols), pages, share)])
    columns = ("fabric", "chips_per_channel", *_TIMES, "pif_over_pif_on_bus")
    beside = _beside_bus(rows)
    return Finding(columns, beside, (), lambda: draw(
        "PiF over PiS, 8 rows, 6.3 % of pages match", "chips in a row", "× faster",
        by(beside, 0, 1, 5),
    ))  # fmt: skip


@cache
def _text(needles: int, share: float) -> bytes:
    """Return a text in which each search pattern occurs in the given share of pages."""
    choose = random.Random(1)  # noqa: S311 nothing is secret
    lines_per_page = _PAGE_BYTES // _LINE_BYTES
    plain = [b"." * (_LINE_BYTES - 1) + b"\n"] * lines_per_page
    pages = []
    for _ in range(_PAGES):
        lines = plain.copy()
        for index in range(needles):
            if choose.random() < share:
                needle = _needle(index)
                lines[choose.randrange(lines_per_page)] = needle.ljust(_LINE_BYTES - 1) + b"\n"
        pages.append(b"".join(lines))
    return b"".join(pages)


def _needle(index: int) -> bytes:
    return b"needle %d" % index


def _searched(fabric: FabricName, patterns: int, text: bytes, wear_of: list[str]) -> SearchReport:
    sets = [*Array(fabric, _ROWS, _COLS).sets, "pif.errors=statistical", *wear_of]
    needles = [_needle(index) for index in range(patterns)]
    search = Search(needles, wanted="count", fabric=fabric, sets=sets)
    search.bytes(text)
    return search.report()


def _tell_patterns(_runs: Runs, size: Size) -> Finding:
    text = _text(_PATTERNS[-1], _SHARE_OF_A_PATTERN)
    rows: list[list[Any]] = []
    for fabric in _FABRICS:
        for patterns in size.some(_PATTERNS):
            report = _searched(fabric, patterns, text, [])
            matched = report.matched_pages / report.pages
            times = times_us(report.pif, report.pis, report.host)
            rows.append([fabric, patterns, matched, *times])
    columns = ("fabric", "patterns", "share_of_pages_matched", *_TIMES)
    return Finding(columns, rows, (), lambda: draw(
        "PiF over PiS, each pattern in 4 % of pages", "patterns", "× faster", by(rows, 0, 1, 6)
    ))  # fmt: skip


def _tell_wear(_runs: Runs, size: Size) -> Finding:
    text = _text(1, APPLICATIONS["grep"])
    rows: list[list[Any]] = []
    for fabric in _FABRICS:
        # Without failures, all states of wear give the same result.
        for cycles in CYCLES if fabric == "bus" else CYCLES[-1:]:
            for months in size.some(MONTHS):
                report = _searched(fabric, 1, text, wear_sets(cycles, months))
                failed = report.pages_failed_in_chip / report.pages
                again = report.pages_with_extra_reads / report.pages
                times = times_us(report.pif, report.pis, report.host)
                errors = wear(cycles, months)[0]
                rows.append([fabric, cycles, months, errors, failed, again, *times])
    columns = (
        "fabric", "pe_cycles", "months", "mean_raw_errors", "share_of_pages_failed_in_chip",
        "share_of_pages_read_again", *_TIMES,
    )  # fmt: skip
    named = [[f"{row[0]}, {row[1]} cycles", *row[1:]] for row in rows]
    return Finding(columns, rows, (), lambda: draw(
        "PiF over PiS, 8 × 8 chips", "months of retention", "× faster", by(named, 0, 2, 9), 1.0
    ))  # fmt: skip


def _tell_power(_runs: Runs, size: Size) -> Finding:
    rows: list[list[Any]] = []
    for counted, energy in ENERGIES.items():
        for base_w in size.some(_BASES_W):
            sets = (f"power.controller_mw={1e3 * base_w}",)
            each = [
                ratio(energy, chips, share, sets=sets)
                for share in APPLICATIONS.values()
                for chips in CHIPS
            ]
            rows.append([counted, base_w, max(each), fmean(each)])
    columns = ("energy", "base_w", "most_per_watt_over_pis", "mean_per_watt_over_pis")
    lines = {
        f"{what}, {counted}": [(row[1], row[column]) for row in rows if row[0] == counted]
        for column, what in ((2, "most"), (3, "mean"))
        for counted in ENERGIES
    }
    return Finding(columns, rows, (), lambda: draw(
        f"PiF over PiS for each watt, four channels, {PAGES:,} pages",
        "power of all but chips and channels, W", "× better", lines,
    ))  # fmt: skip


_PJ_PER_BYTE = (80, 500, 1000, 1400, 1800, 2200, 3000, 5000, 10_000)
"""Energy of the controller's decoder and matcher [pJ/byte]: 80 for an ASIC, 1,800 for an FPGA (1.9
W at the rate of a channel)."""
_PAPER = (18.6, 6.6)


def _tell_fit(_runs: Runs, size: Size) -> Finding:
    """Return the gain per watt for several energies of the controller's logic."""
    rows: list[list[Any]] = []
    for channels in (1, CHANNELS):
        for counted, energy in ENERGIES.items():
            for energy_pj in size.some(_PJ_PER_BYTE):
                sets = (f"pif.controller_pj_per_byte={energy_pj}",)
                each = [
                    _of_channels(channels, energy, chips, share, sets)
                    for share in APPLICATIONS.values()
                    for chips in CHIPS
                ]
                found = (max(each), fmean(each))
                off = max(abs(ours / paper - 1) for ours, paper in zip(found, _PAPER, strict=True))
                rows.append([channels, counted, energy_pj, *found, off])
    columns = (
        "channels", "energy", "controller_pj_per_byte", "most_per_watt_over_pis",
        "mean_per_watt_over_pis", "worse_error",
    )  # fmt: skip
    named = [[f"{row[0]} channels, {row[1]}", *row[2:]] for row in rows]
    return Finding(columns, rows, (), lambda: draw(
        "Most gain per watt against what the controller's logic takes", "pJ for each byte",
        "× better", by(named, 0, 1, 2), _PAPER[0],
    ))  # fmt: skip


def _of_channels(
    channels: int, energy: str, chips: int, share: float, sets: tuple[str, ...]
) -> float:
    """Return the speed-up of a drive with `channels` channels, for 40,000 pages per channel."""
    pages = PAGES // CHANNELS * channels
    changes = (f"flash.blocks_per_plane={8192 // chips}", *sets)
    pis, pif = (
        timed(place, Array("bus", channels, chips), pages, share, 0.0, changes)[energy]
        for place in ("pis", "pif")
    )
    return float(pis) / float(pif)


_GIVE_UP = (10, 20, 40, 80, 160, 300)


def _tell_give_up(_runs: Runs, size: Size) -> Finding:
    """Return the effect of the limit on decoder iterations in a worn chip."""
    text = _text(1, APPLICATIONS["grep"])[: _GIVE_UP_PAGES * _PAGE_BYTES]
    rows: list[list[Any]] = []
    for months in size.some((3, 6, 12)):
        for iterations in size.some(_GIVE_UP):
            sets = [
                *Array("bus", CHANNELS, 4).sets,
                f"pif.ecc_w_iterations={iterations}",
                # Without a limit on failing checks, so that the number of iterations alone decides.
                "pif.ecc_w_failing_checks=1024",
                *wear_sets(2000, months),
            ]
            search = Search([_needle(0)], wanted="count", sets=sets)
            search.bytes(text)
            report = search.report()
            failed = report.pages_failed_in_chip / report.pages
            times = times_us(report.pif, report.pis, report.host)
            rows.append([months, iterations, failed, *times])
    columns = ("months", "ecc_w_iterations", "share_of_pages_failed_in_chip", *_TIMES)
    named = [[f"{row[0]} months", *row[1:]] for row in rows]
    return Finding(columns, rows, (), lambda: draw(
        "PiF over PiS, 2,000 cycles, 4 × 4 chips", "iterations until given up", "× faster",
        by(named, 0, 1, 6), 1.0,
    ))  # fmt: skip


EXPERIMENTS = tuple(
    Experiment(name, _GROUP, title, "ours", evaluate)
    for name, title, evaluate in (
        ("pif-selectivity", "Fabrics against the share of pages that match", _tell_selectivity),
        ("pif-chips", "Fabrics against the number of chips in a row", _tell_chips),
        ("pif-patterns", "Fabrics against the number of patterns", _tell_patterns),
        ("pif-wear", "Fabrics against wear, with extra reads", _tell_wear),
        ("pif-fit", "The one constant of the gain per watt", _tell_fit),
        ("pif-give-up", "When a chip gives a page up", _tell_give_up),
        ("pif-power", "Speed-ups per watt against the rest of the drive", _tell_power),
    )
)
