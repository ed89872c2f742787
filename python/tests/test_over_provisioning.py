"""Effective over-provisioning, and write amplification by a closed formula."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import venice as api
from page_mapped_ftl import Plane, pages_written, programs

if TYPE_CHECKING:
    from collections.abc import Callable

    from .conftest import Outcome

_START_AT_6 = ("ftl.gc_start_free_blocks_pct=0", "ftl.gc_start_free_blocks_min=6")
_BLOCKS, _PAGES = 128, 64
_TOLD = (
    "over-provisioning: 7 % of the raw flash (the setting) = 7.5 % of the user capacity, "
    "of which garbage collection can use 6.3 % (effective)"
)


def _sets(settings: dict[str, object]) -> list[str]:
    return [f"{key}={value}" for key, value in settings.items()]


def _one_plane(over_provisioning_pct: float, **ftl: object) -> list[str]:
    plane = {
        "array.rows": 1,
        "array.cols": 1,
        "flash.dies_per_chip": 1,
        "flash.planes_per_die": 1,
        "flash.blocks_per_plane": _BLOCKS,
        "flash.pages_per_block": _PAGES,
        "ftl.over_provisioning_pct": over_provisioning_pct,
        "ftl.gc_start_free_blocks_pct": 0,
        "ftl.static_wear_levelling": "false",
    }
    return _sets({**plane, **{f"ftl.{key}": value for key, value in ftl.items()}})


def test_effective_over_provisioning_leaves_out_what_stays_free() -> None:
    drive = api.resolve("venice-cost", sets=_START_AT_6)
    nominal_pct, effective_pct = drive.over_provisioning_pct
    # Host data is in 93 % of the 512 blocks of a plane; six of the others stay empty.
    assert nominal_pct == pytest.approx((512 / (0.93 * 512) - 1) * 100, abs=0.01)
    assert effective_pct == pytest.approx((506 / (0.93 * 512) - 1) * 100, abs=0.01)
    assert effective_pct > 6


@pytest.mark.parametrize("mode", ["static", "dynamic"])
def test_every_allocation_mode_has_the_same_over_provisioning(mode: str) -> None:
    usual = api.resolve("venice-cost", sets=_START_AT_6)
    drive = api.resolve("venice-cost", sets=[*_START_AT_6, f"ftl.allocation_mode={mode}"])
    assert drive.over_provisioning_pct == usual.over_provisioning_pct


@pytest.mark.parametrize(
    ("ftl", "reserved_blocks"),
    [
        ({"gc_start_free_blocks_min": 2}, 1.5),
        ({"gc_start_free_blocks_min": 2, "write_frontiers": "shared"}, 1.0),
        ({"gc_start_free_blocks_min": 4}, 4.0),
        ({"gc_start_free_blocks_min": 4, "gc_destination": "cold_apart"}, 4.5),
        ({"gc_start_free_blocks_min": 4, "write_streams": 3}, 5.0),
        ({"gc_start_free_blocks_min": 40}, 1.5),
    ],
)
def test_reserved_blocks_follow_from_thresholds_and_open_blocks(
    ftl: dict[str, object], reserved_blocks: float
) -> None:
    _, effective_pct = api.resolve(
        "venice-performance", sets=_one_plane(10.0, **ftl)
    ).over_provisioning_pct
    logical = int(_BLOCKS * _PAGES * 0.9)
    expected = ((_BLOCKS - reserved_blocks) * _PAGES / logical - 1) * 100
    assert effective_pct == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("victim", ["greedy", "fifo"])
@pytest.mark.parametrize("pct", [10.0, 20.0])
def test_closed_forms_agree_with_the_independent_model(victim: str, pct: float) -> None:
    sets = _one_plane(pct, victim=victim, gc_start_free_blocks_min=2)
    expected = api.resolve("venice-performance", sets=sets).expected_pages_per_written_page
    logical = int(_BLOCKS * _PAGES * (1 - pct / 100))
    pages = pages_written("uniform", logical, 4, seed=3)
    plane = Plane(_BLOCKS, _PAGES, logical, 2, victim=victim)
    found = programs(plane, pages, 3 * logical) / (len(pages) - 3 * logical)
    assert expected == pytest.approx(found, rel=0.05)


def _native(workload: str, requests: int = 20_000, **changed: object) -> api.Report:
    settings: dict[str, object] = {
        "array.rows": 1,
        "array.cols": 1,
        "flash.pages_per_block": 64,
        "ftl.gc_start_free_blocks_pct": 0,
        "ftl.gc_start_free_blocks_min": 6,
        "ftl.gc_hard_free_blocks_pct": 0,
        "ftl.gc_hard_free_blocks_min": 3,
        "ftl.gc_yields_to_host": "true",
        "precondition.mode": "steady_state",
        **changed,
    }
    return api.run(drive="venice-cost", workload=workload, requests=requests, sets=_sets(settings))


def test_a_drive_programs_as_many_pages_as_the_closed_form_has_it() -> None:
    report = _native("random-write")
    space = report.over_provisioning
    assert space.effective_pct == pytest.approx((506 / (0.93 * 512) - 1) * 100, abs=0.1)
    measured = report.flash.programs / report.flash.host_programs
    assert measured == pytest.approx(space.expected_pages_per_written_page, rel=0.1)


@pytest.mark.parametrize("workload", ["zipf-mixed", "random-read"])
def test_no_closed_form_is_given_for_other_writes(workload: str) -> None:
    assert "expected_pages_per_written_page" not in _native(workload, 500).over_provisioning


def test_no_closed_form_is_given_for_other_victims_and_drives_that_are_not_full() -> None:
    for changed in ({"ftl.victim": "random_pp"}, {"precondition.mode": "none"}):
        space = _native("random-write", 500, **changed).over_provisioning
        assert "expected_pages_per_written_page" not in space, changed


def test_config_show_prints_effective_over_provisioning_as_a_comment(
    venice: Callable[..., Outcome],
) -> None:
    shown = venice("config", "show", "--drive", "venice-cost", *_options(_START_AT_6)).stdout
    assert f"\n# {_TOLD}\n" in shown


def test_a_run_prints_it_with_the_measured_amplification(venice: Callable[..., Outcome]) -> None:
    sets = (
        "array.rows=1",
        "array.cols=1",
        "flash.pages_per_block=64",
        "precondition.mode=steady_state",
    )
    drive = ("--drive", "venice-cost", *_options((*_START_AT_6, *sets)))
    message = venice("run", *drive, "--workload", "random-write", "--requests", 500).stdout
    assert f"{_TOLD}; pages per page" in message


def _options(sets: tuple[str, ...]) -> list[str]:
    return [part for one in sets for part in ("--set", one)]
