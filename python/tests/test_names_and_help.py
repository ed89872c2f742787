"""Names and help agree with the documentation."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import venice as api
from venice import _native

if TYPE_CHECKING:
    from collections.abc import Callable

    from .conftest import Outcome

COMMANDS = ("", "run", "trace", "trace filter")
"""Groups and commands whose complete help is compared with a golden file."""
FABRICS = ["bus", "pssd", "pnssd", "nossd", "venice", "ideal"]
RELATED = ["hlnand", "decoupled"]


@pytest.mark.parametrize("command", COMMANDS, ids=lambda name: name.replace(" ", "_") or "venice")
def test_help_texts_change_only_on_purpose(
    command: str, venice: Callable[..., Outcome], golden: Callable[[str, str], None]
) -> None:
    outcome = venice(*command.split(), "--help")
    assert (outcome.code, outcome.stderr) == (0, "")
    words = "\n".join(" ".join(part.split()) for part in outcome.stdout.split("\n\n"))
    golden(f"help/{command.replace(' ', '_') or 'venice'}.txt", f"{words}\n")


def test_the_version_is_the_engines(venice: Callable[..., Outcome]) -> None:
    outcome = venice("--version")
    assert (outcome.code, outcome.stderr) == (0, "")
    assert outcome.stdout.split()[:2] == ["venice", api.__version__]


def test_list_shows_all_built_in_objects(venice: Callable[..., Outcome]) -> None:
    outcome = venice("list")
    assert (outcome.code, outcome.stderr) == (0, "")
    formats = [name for name, _ in api.trace_formats()]
    listed = {line.split()[0] for line in outcome.stdout.splitlines() if line.startswith("  ")}
    policies = {*_native.victim_policy_names(), *_native.host_scheduler_names()}
    named = {*api.drive_names(), *api.fabric_names(), *api.workload_names(), *formats}
    assert listed == named | policies


def test_each_drive_and_workload_has_one_line(venice: Callable[..., Outcome]) -> None:
    for command, names in (("list", api.drive_names()), ("workloads", api.workload_names())):
        lines = [line.strip() for line in venice(command).stdout.splitlines()]
        for name in names:
            (line,) = [line for line in lines if line.startswith(f"{name}  ")]
            assert 60 < len(line) <= 100


def test_there_are_the_paper_s_fabrics_two_related_ones_and_enough_workloads() -> None:
    assert api.paper_fabric_names() == FABRICS
    assert api.fabric_names() == FABRICS + RELATED
    assert len(api.workload_names()) >= 3
    assert {"venice-performance", "venice-cost"} <= set(api.drive_names())
