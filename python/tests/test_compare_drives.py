"""``venice compare DRIVE[:FABRICS]...``: rows of several drives, named by their differences."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import venice as api
from venice import plot
from venice.text.labels import labels

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from .conftest import Outcome

FEW = ("--workload", "random-read", "--requests", 300)


def first_column(stdout: str) -> list[str]:
    """Return the names of the table's rows."""
    below = stdout.split("──\n")[1].split("\n\n", maxsplit=1)[0]
    return [line.strip().split("  ")[0] for line in below.splitlines()]


@pytest.fixture
def faster(tmp_path: Path) -> str:
    """Write a drive with a shorter read time."""
    (tmp_path / "faster.toml").write_text(
        'extends = "venice-performance"\n[flash]\nt_read_us = 1\n'
    )
    return "faster.toml"


def test_drives_are_compared_each_with_its_own_fabric(
    faster: str, venice: Callable[..., Outcome]
) -> None:
    outcome = venice("compare", "venice-performance", faster, *FEW)
    assert (outcome.code, outcome.stderr) == (0, "")
    assert first_column(outcome.stdout) == ["venice-performance", "faster"]


def test_fabrics_stand_behind_their_drive_or_go_for_all_that_have_none(
    faster: str, venice: Callable[..., Outcome]
) -> None:
    outcome = venice("compare", "venice-performance:bus,ideal", faster, *FEW)
    assert first_column(outcome.stdout) == ["bus", "ideal", "bus faster"]
    outcome = venice("compare", "venice-performance:bus", faster, "--fabrics", "venice,ideal", *FEW)
    assert first_column(outcome.stdout) == ["bus", "venice faster", "ideal faster"]


def test_each_row_is_what_the_drive_does_alone(faster: str, tmp_path: Path) -> None:
    path = str(tmp_path / faster)
    rows = api.compare(
        drives=["venice-performance:venice", path], workload="random-read", requests=300
    )
    alone = [
        api.run(workload="random-read", requests=300, drive="venice-performance", fabric="venice"),
        api.run(workload="random-read", requests=300, drive=path),
    ]
    assert [row.latency_us.all.mean for row in rows] == [one.latency_us.all.mean for one in alone]
    assert rows[0].latency_us.all.mean != rows[1].latency_us.all.mean


def test_pictures_name_drives_where_they_differ(faster: str, tmp_path: Path) -> None:
    rows = api.compare(
        drives=["venice-performance", str(tmp_path / faster)], workload="random-read", requests=300
    )
    figure = plot.draw_comparison(rows)
    _, bars, _ = figure.axes
    below = [text.get_text().replace("\n", "") for text in bars.get_xticklabels()]
    assert below == ["venice-performance", "faster"]
    assert figure.get_suptitle().startswith("venice-performance, faster, ")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("venice-performance", "--drive", "pif"), "name the drive among"),
        (("venice-performance", "pif", "--schemes", "noop"), "given with several drives"),
        (("nowhere",), "unknown drive `nowhere`"),
        (("venice-performance:nothing",), "unknown fabric `nothing`"),
        (("pif", "pif"), "`pif:bus` more than once"),
        (("venice-cost:bus", "venice-cost:bus,pssd"), "`venice-cost:bus` more than once"),
        (
            ("pif", "--vary", "ftl.over_provisioning_pct=20,20.0"),
            "`20` more than once, also as `20.0`",
        ),
    ],
)
def test_what_cannot_be_compared_is_refused(
    arguments: tuple[str, ...], message: str, venice: Callable[..., Outcome]
) -> None:
    outcome = venice("compare", *arguments, *FEW)
    assert outcome.code == 2
    assert message in outcome.message
    assert "Traceback" not in outcome.message


def test_rows_of_one_drive_and_fabric_have_its_fabric_as_their_name() -> None:
    assert labels([("fast", "bus"), ("fast", "bus")]) == ["bus", "bus"]
