"""Write amplification against an independent page-mapped model, on the same writes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import venice
from page_mapped_ftl import WRITES, Plane, pages_written, programs

if TYPE_CHECKING:
    from pathlib import Path

BLOCKS, PAGES = 24, 32
LOGICAL = int(BLOCKS * PAGES * 0.72)
TURNS = 8
#: Number of writes that bring the drive into its steady state.
SETTLED = 5 * LOGICAL

_DRIVE = {
    "array.rows": 1,
    "array.cols": 1,
    "flash.dies_per_chip": 1,
    "flash.planes_per_die": 1,
    "flash.blocks_per_plane": BLOCKS,
    "flash.pages_per_block": PAGES,
    "ftl.over_provisioning_pct": 28.0,
    "ftl.gc_start_free_blocks_pct": 0.0,
    "ftl.static_wear_levelling": "false",
    "ftl.gc_yields_to_host": "false",
}


def engine(folder: Path, pages: list[int], depth: int = 1, **ftl: object) -> tuple[int, int]:
    """Return the number of programs, and of host programs, with `depth` writes outstanding."""
    trace = folder / "writes.txt"
    trace.write_text("".join(f"{n * 1000} 0 {page * 8} 8 0\n" for n, page in enumerate(pages)))
    settings = _DRIVE | {f"ftl.{key}": value for key, value in ftl.items()}
    report = venice.run(
        drive="venice-performance",
        fabric="bus",
        trace=str(trace),
        format="mqsim-ascii",
        closed_loop=depth,
        warmup=SETTLED,
        audit=True,
        sets=[f"{key}={value}" for key, value in settings.items()],
    )
    served, after = report.flash, report.after_last_completion.flash
    return served.programs + after.programs, served.host_programs + after.host_programs


@pytest.mark.parametrize("frontiers", ["separate", "shared"])
@pytest.mark.parametrize("threshold", [2, 3, 4, 6])
@pytest.mark.parametrize("writes", WRITES)
def test_the_engine_programs_as_many_pages_as_the_independent_model(
    tmp_path: Path, writes: str, threshold: int, frontiers: str
) -> None:
    pages = pages_written(writes, LOGICAL, TURNS, seed=5)
    for victim in ("greedy", "fifo"):
        count = 2 if frontiers == "separate" else 1
        plane = Plane(BLOCKS, PAGES, LOGICAL, threshold, count, victim)
        found = engine(
            tmp_path,
            pages,
            gc_start_free_blocks_min=threshold,
            victim=victim,
            write_frontiers=frontiers,
        )
        expected = programs(plane, pages, SETTLED)
        assert found == (expected, len(pages) - SETTLED), victim


@pytest.mark.parametrize("spare", [1.5, 2.5, 3.5])
def test_planes_with_few_blocks_to_spare_agree_too(tmp_path: Path, spare: float) -> None:
    logical = int((BLOCKS - spare) * PAGES)
    pages = pages_written("zipf", logical, TURNS, seed=5)
    kept = 100 * (1 - (logical + 0.5) / (BLOCKS * PAGES))
    found = engine(tmp_path, pages, gc_start_free_blocks_min=2, over_provisioning_pct=kept)
    expected = programs(Plane(BLOCKS, PAGES, logical, 2), pages, SETTLED)
    # Here the host may take reserved blocks during garbage collection; the model collects
    # instantly.
    assert found[0] == pytest.approx(expected, rel=0.002)


@pytest.mark.parametrize("yields", [(2, False), (6, True)])
def test_skewed_writes_are_amplified_less_with_two_frontiers(
    tmp_path: Path, yields: tuple[int, bool]
) -> None:
    """Garbage collection that yields to steady writes starts only if no block is free."""
    threshold, gc_yields = yields
    pages = pages_written("zipf", LOGICAL, TURNS, seed=5)

    def found(frontiers: str) -> float:
        all_programs, of_host = engine(
            tmp_path,
            pages,
            depth=16,
            gc_start_free_blocks_min=threshold,
            gc_yields_to_host=str(gc_yields).lower(),
            gc_hard_free_blocks_min=2,
            write_frontiers=frontiers,
        )
        return all_programs / of_host

    assert found("separate") < 0.95 * found("shared")
