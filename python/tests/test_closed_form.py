"""Printed closed form of write amplification, and drives to which it does not apply."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from .conftest import Outcome

_SIZE = ("--set", "array.rows=2", "--set", "array.cols=2", "--set", "flash.planes_per_die=1")


@pytest.mark.parametrize(("blocks", "is_printed"), [(32, False), (256, True)])
def test_closed_form_is_printed_if_the_drive_has_enough_blocks(
    blocks: int, is_printed: bool, venice: Callable[..., Outcome]
) -> None:
    settings = (
        "ftl.over_provisioning_pct=20",
        "flash.pages_per_block=64",
        f"flash.blocks_per_plane={blocks}",
    )
    drive = (*_SIZE, *(word for setting in settings for word in ("--set", setting)))
    shown = venice("config", "show", *drive)
    assert shown.code == 0, shown.stderr
    assert ("(closed form)" in shown.stdout) == is_printed
    assert ("no closed form" in shown.stdout) != is_printed
    state = ("--set", "precondition.mode=steady_state")
    run = venice("run", *drive, *state, "--workload", "random-write", "--requests", "20000")
    assert run.code == 0, run.stderr
    assert ("closed form (greedy)" in run.stdout) == is_printed
    assert ("no closed form" in run.stdout) != is_printed
