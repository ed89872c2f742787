"""A run's options have one set of types, bounds and defaults."""

from __future__ import annotations

import pytest

import venice
from venice.api.run import run_drive
from venice.api.scenario import Scenario
from venice.cli.commands import VENICE
from venice.options.drives import drive_of
from venice.options.run_options import BOUNDS, KINDS, NAMES, POLICY_OPTIONS, RunOptions

OF_PYTHON_ALONE = {"source", *POLICY_OPTIONS}
"""Options that exist only in Python, because their values are objects."""


def test_keywords_of_a_run_are_its_options_with_the_same_types() -> None:
    assert Scenario.__annotations__.keys() == set(NAMES)
    for name, hint in Scenario.__annotations__.items():
        text = str(getattr(hint, "__forward_arg__", hint))
        general = _as_options("".join(text.split()))
        assert general == "".join(RunOptions.__annotations__[name].split())


def _as_options(hint: str) -> str:
    """Replace the names and classes of `config` and `workloads` by their base types."""
    for own, base in (
        ("config.DriveName|str", "str"),
        ("config.FabricName", "str"),
        ("config.Drive", "DescribedDrive"),
        ("workloads.TraceFormat", "str"),
        ("workloads.Trace", "DescribedTrace"),
        ("workloads.WorkloadName|str", "str"),
        ("workloads.Workload|workloads.Mix", "DescribedWorkload"),
    ):
        hint = hint.replace(own, base)
    return hint


@pytest.mark.parametrize("command", ["run", "compare"])
def test_the_command_line_takes_every_option_of_a_run(command: str) -> None:
    taken = {param.name for param in VENICE.load(command).params}
    left_out = {"fabric", "power_loss_us"} if command == "compare" else set()
    assert set(NAMES) - OF_PYTHON_ALONE - left_out <= taken


def test_defaults_are_those_of_a_run_without_options() -> None:
    options = RunOptions(workload="random-read", requests=20)
    ours = run_drive(drive_of(options), options)
    theirs = venice.run(workload="random-read", requests=20)
    assert ours.latency_us == theirs.latency_us


@pytest.mark.parametrize("name", BOUNDS)
def test_values_beyond_their_bounds_are_refused(name: str) -> None:
    least, most = BOUNDS[name]
    for value in (least - 1, most + 1):
        given = Scenario(**{"trace": "t", name: value})  # type: ignore[misc]
        with pytest.raises(venice.UsageError, match=f"`{name}=` is {value}; it should be"):
            venice.run(**given)


@pytest.mark.parametrize("name", sorted(KINDS.keys() - {"save_state"}))
def test_values_of_another_type_are_refused(name: str) -> None:
    with pytest.raises(venice.UsageError, match=f"`{name}=` is"):
        venice.run(**Scenario(**{name: object()}))  # type: ignore[misc]
