"""Comparison with MQSim's figures, if the reference is available."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from .mqsim_agreement import CASES, DRAWN_CASES, Case, figures_of, reference

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def folder() -> Path:
    """Return the folder of the reference."""
    found = reference()
    if found is None:
        pytest.skip("MQSim's answers are not there; set VENICE_SHARED to the folder that has them")
    return found


ALL = (*CASES, *DRAWN_CASES)


@pytest.mark.timeout(600)
@pytest.mark.parametrize("case", ALL, ids=[case.name for case in ALL])
def test_the_same_requests_take_as_long_as_in_mqsim(case: Case, folder: Path) -> None:
    outside = [
        f"{figure.name}: {figure.ours:,.1f} here, {figure.mqsim:,.1f} in MQSim, {figure.ratio:.4f}"
        for figure in figures_of(case, folder)
        if not figure.is_within(case.tolerances)
    ]
    if case.differs is None:
        assert not outside, "\n".join(outside)
    else:
        assert outside, f"it agrees by now: {case.differs}"


@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", ["flows005", "plain010"])
def test_with_the_setting_that_does_as_mqsim_does_it_agrees(name: str, folder: Path) -> None:
    (case,) = (case for case in DRAWN_CASES if case.name == name)
    found = figures_of(case, folder, case.follows)
    assert [figure for figure in found if not figure.is_within(case.tolerances)] == []


def test_every_case_of_the_reference_is_compared(folder: Path) -> None:
    found = {
        (path.parent.parent.name, path.parent.name)
        for path in folder.glob("mqsim*/*/expected.json")
    }
    assert found
    assert found == {(case.folder, case.name) for case in ALL}
