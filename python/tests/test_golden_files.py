"""Golden files are written by one process."""

from __future__ import annotations

import pytest

from .conftest import pytest_configure


@pytest.mark.parametrize("processes", [None, 0])
def test_one_process_may_write_golden_files(
    pytestconfig: pytest.Config, monkeypatch: pytest.MonkeyPatch, processes: int | None
) -> None:
    monkeypatch.setattr(pytestconfig.option, "bless", True)
    monkeypatch.setattr(pytestconfig.option, "numprocesses", processes, raising=False)
    pytest_configure(pytestconfig)


def test_several_processes_may_not(
    pytestconfig: pytest.Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pytestconfig.option, "numprocesses", 2, raising=False)
    pytest_configure(pytestconfig)
    monkeypatch.setattr(pytestconfig.option, "bless", True)
    with pytest.raises(pytest.UsageError, match="in one process"):
        pytest_configure(pytestconfig)
