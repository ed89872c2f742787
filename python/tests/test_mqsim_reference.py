"""MQSim's answers, where they are at hand: the same requests take about as long here."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from .mqsim_agreement import CASES, Case, figures, reference

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def folder() -> Path:
    """Give the folder of the reference."""
    found = reference()
    if found is None:
        pytest.skip("MQSim's answers are not there; set VENICE_SHARED to the folder that has them")
    return found


def _parameters() -> list[object]:
    """Mark what cannot agree yet: a case that agrees all the same must lose its mark."""
    return [
        pytest.param(
            case,
            id=case.name,
            marks=[]
            if case.missing is None
            else [pytest.mark.xfail(reason=f"needs: {case.missing}", strict=True)],
        )
        for case in CASES
    ]


@pytest.mark.timeout(600)
@pytest.mark.parametrize("case", _parameters())
def test_the_same_requests_take_as_long_as_in_mqsim(case: Case, folder: Path) -> None:
    outside = [
        f"{figure.name}: {figure.ours:,.1f} here, {figure.mqsim:,.1f} in MQSim, {figure.ratio:.4f}"
        for figure in figures(folder / case.name)
        if not figure.is_within(case.tolerances)
    ]
    assert not outside, "\n".join(outside)


def test_every_case_of_the_reference_is_compared(folder: Path) -> None:
    found = {path.name for path in folder.iterdir() if (path / "expected.json").is_file()}
    assert found
    assert found == {case.name for case in CASES}
