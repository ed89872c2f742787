"""Warnings about a database of results, printed to standard error."""

from __future__ import annotations

import warnings
from contextlib import contextmanager
from typing import TYPE_CHECKING, TextIO

from venice.cli.screen import warn
from venice.sweep.notices import StoreWarning

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def store_warnings() -> Iterator[None]:
    """Print warnings about a database of results while the ``with`` block runs."""
    others = warnings.showwarning

    def show(
        message: Warning | str,
        category: type[Warning],
        filename: str,
        lineno: int,
        file: TextIO | None = None,
        line: str | None = None,
    ) -> None:
        if issubclass(category, StoreWarning):
            warn(str(message))
        else:
            others(message, category, filename, lineno, file, line)

    with warnings.catch_warnings():
        warnings.simplefilter("always", StoreWarning)
        warnings.showwarning = show
        yield
