"""Consequences of the Venice paper's own numbers: the arithmetic of docs/reproducing-venice.md.

Every number here is the paper's, or follows from it. Nothing is simulated.
"""

from __future__ import annotations

from math import factorial

import pytest

from tests.conftest import REPOSITORY
from venice.papers.printed_claims import PRINTED_CLAIMS

READ_US, TRANSFER_US = 3.0, 4.0
"""§3.1."""
CHANNELS, CHIPS, CHANNEL_GB_PER_S, HOST_GB_PER_S = 8, 8, 1.2, 8.0
"""Table 1."""
WORKLOADS = 19
PAGE = " ".join((REPOSITORY / "docs" / "reproducing-venice.md").read_text().split())


def _printed(experiment: str, text: str) -> float:
    found = [it for it in PRINTED_CLAIMS if it.experiment == experiment and it.text == text]
    assert len(found) == 1
    return found[0].factor


def _rounded(value: float) -> tuple[float, float]:
    """Return the limits of the values that are rounded to this number with two decimals."""
    return value - 0.005, value + 0.005


def _quotient(top: float, bottom: float) -> tuple[float, float]:
    """Return the limits of the quotient of two rounded numbers."""
    (least, most), (smallest, largest) = _rounded(top), _rounded(bottom)
    return least / largest, most / smallest


def _erlang_c(servers: int, load: float) -> float:
    """Return the share of arrivals that wait for one of several servers with a common queue."""
    waiting = load**servers / factorial(servers) * servers / (servers - load)
    return waiting / (sum(load**n / factorial(n) for n in range(servers)) + waiting)


def test_the_means_cannot_be_geometric() -> None:
    venice = _printed("fig9a", "Venice over Baseline")
    for rival, is_possible in (("NoSSD", False), ("pnSSD", False), ("pSSD", True)):
        least, most = _quotient(venice, _printed("fig4", f"{rival} over Baseline"))
        lowest, highest = _rounded(_printed("fig9a", f"Venice over {rival}"))
        assert (least <= highest and lowest <= most) is is_possible, rival
    assert _quotient(2.65, 1.35) == pytest.approx((1.952, 1.974), abs=0.001)
    assert "1.952 to 1.974" in PAGE


def test_a_channel_for_each_chip_cannot_be_11_74_times_as_fast_by_transfers_alone() -> None:
    most = _printed("fig4", "ideal over Baseline, most")
    assert most > CHIPS
    assert most < CHIPS * (READ_US + TRANSFER_US) / TRANSFER_US == 14.0
    assert "11.74 > 8" in PAGE


def test_a_channel_of_twice_the_rate_must_gain_more_where_eight_gain_four() -> None:
    ideal, found = _printed("fig4", "ideal over Baseline"), _printed("fig4", "pSSD over Baseline")
    for parts in (float("inf"), CHIPS):
        on_channel = (1 - 1 / ideal) / (1 - 1 / parts)
        doubled = 1 / (1 - on_channel / 2)
        assert doubled == pytest.approx(1.6 if parts > CHIPS else 1.75)
        assert doubled > found * 1.25
    held = (READ_US + TRANSFER_US) / (READ_US + TRANSFER_US / 2)
    assert held == pytest.approx(1.4)
    assert "1.60 to 1.75" in PAGE


def test_the_host_link_leaves_the_baseline_two_channels_and_less_than_one() -> None:
    mean = HOST_GB_PER_S / _printed("fig4", "ideal over Baseline")
    least = HOST_GB_PER_S / _printed("fig4", "ideal over Baseline, most")
    assert mean == 2.0 < 2 * CHANNEL_GB_PER_S
    assert least == pytest.approx(0.68, abs=0.005)
    assert least < CHANNEL_GB_PER_S


def test_the_energy_figure_implies_nearly_equal_gains() -> None:
    power, energy = (
        _printed("fig14a", "power, Venice against Baseline"),
        _printed("fig14b", "energy, Venice against Baseline"),
    )
    harmonic = power / energy
    assert harmonic == pytest.approx(2.46, abs=0.005)
    mean = _printed("fig9a", "Venice over Baseline")
    most = _printed("fig9a", "Venice over Baseline, most")
    others = (WORKLOADS * mean - most) / (WORKLOADS - 1)
    largest = WORKLOADS / ((WORKLOADS - 1) / others + 1 / most)
    assert others == pytest.approx(2.40, abs=0.005)
    assert harmonic <= largest == pytest.approx(2.49, abs=0.005)
    over_pnssd = power / _printed("fig14b", "energy, Venice against pnSSD")
    assert over_pnssd == pytest.approx(2.04, abs=0.005)
    assert over_pnssd > _printed("fig9a", "Venice over pnSSD")
    assert " 2.46," in PAGE


def test_figure_13_for_single_pages_has_baseline_and_venice_at_one_load_and_not_pssd() -> None:
    """For requests of several pages see `test_reproduce_windows.py`."""
    conflicts = {
        design: _printed("fig13", f"requests without path conflict, {design}")
        for design in ("Baseline", "pSSD", "Venice")
    }
    load = CHANNELS * conflicts["Baseline"]
    assert load == pytest.approx(1.89, abs=0.005)
    assert _erlang_c(CHANNELS, load) == pytest.approx(0.0008, abs=0.0001)
    assert _erlang_c(CHANNELS, 1.5) == pytest.approx(conflicts["Venice"], abs=0.00005)
    assert pytest.approx(0.8125) == 1 - 1.5 / CHANNELS
    assert 1 - conflicts["Baseline"] / 2 == pytest.approx(0.882)
    assert conflicts["pSSD"] > conflicts["Baseline"] / 2 * 1.7


def test_four_kilobytes_in_four_microseconds_are_one_gigabyte_a_second() -> None:
    assert pytest.approx(1.024) == 4096 / TRANSFER_US / 1000
    assert pytest.approx(3.41, abs=0.005) == 4096 / (CHANNEL_GB_PER_S * 1000)
    both = READ_US + 2 * TRANSFER_US + 0.01
    assert both / (READ_US + TRANSFER_US + 0.01) == pytest.approx(1.57, abs=0.005)


def test_57_percent_are_of_the_last_completion_and_not_of_the_average_latency() -> None:
    alone = READ_US + TRANSFER_US + 0.01
    both = alone + TRANSFER_US
    assert both / alone == pytest.approx(1.57, abs=0.005)
    average = (alone + both) / 2
    assert average == pytest.approx(9.01)
    assert average / alone == pytest.approx(1.285, abs=0.001)
    assert "+29 %" in PAGE


def test_time_and_throughput_are_as_far_from_the_ideal_on_one_drive_and_not_on_the_other() -> None:
    text = "Venice against ideal"
    longer, slower = _printed("fig9a", f"time, {text}"), _printed("fig10a", f"IOPS, {text}")
    assert longer * slower == pytest.approx(1.015)
    longer, slower = _printed("fig9b", f"time, {text}"), _printed("fig10b", f"IOPS, {text}")
    assert longer * slower == pytest.approx(1.125)
    assert "1.43" in PAGE


def test_every_gain_of_throughput_is_larger_than_the_speed_up_of_the_same_runs() -> None:
    ratios = [
        _printed(f"fig10{drive}", f"IOPS, Venice against {rival}")
        / _printed(f"fig9{drive}", f"Venice over {rival}")
        for drive in "ab"
        for rival in ("Baseline", "pSSD", "pnSSD", "NoSSD")
    ]
    assert min(ratios) == pytest.approx(1.027, abs=0.001)
    assert max(ratios) == pytest.approx(1.065, abs=0.001)
    assert "2.7 to 6.5 %" in PAGE


def test_176_percent_is_no_quotient_of_figure_10_s_means_either() -> None:
    of_ideal = _printed("fig10a", "IOPS, Venice against ideal")
    baseline = of_ideal / _printed("fig10a", "IOPS, Venice against Baseline")
    assert baseline == pytest.approx(0.254, abs=0.0005)
    mean = _printed("fig4", "ideal over Baseline")
    most = _printed("fig4", "ideal over Baseline, most")
    others = (WORKLOADS * mean - most) / (WORKLOADS - 1)
    least = ((WORKLOADS - 1) / others + 1 / most) / WORKLOADS
    assert least == pytest.approx(0.270, abs=0.0005)
    assert "0.270" in PAGE


def test_mixes_gain_less_than_single_workloads_in_figures_and_more_in_the_talk() -> None:
    single, mixed = (
        _printed("fig9a", "Venice over Baseline"),
        _printed("fig12", "Venice over Baseline"),
    )
    assert mixed / single == pytest.approx(0.69, abs=0.005)
    assert _printed("fig4", "ideal over Baseline, mixes over single workloads") == 1.6


def test_each_claim_counts_once_and_its_opposite_is_another_number() -> None:
    assert len(PRINTED_CLAIMS) == len({(it.experiment, it.text) for it in PRINTED_CLAIMS}) == 67
    for claim in PRINTED_CLAIMS:
        if not claim.is_ranking:
            assert claim.factor > 0
            assert claim.inverse != claim.factor
            assert claim.shown(claim.factor) == pytest.approx(claim.paper)
