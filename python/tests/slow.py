"""Parameters of tests that only the nightly run uses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Container, Iterable


def nightly_among(values: Iterable[object], slow: Container[Any]) -> list[object]:
    """Return the values as parameters of a test, those in `slow` for `make nightly` alone."""
    return [
        pytest.param(value, marks=pytest.mark.nightly) if value in slow else value
        for value in values
    ]
