"""Panics of libraries written in Rust, as errors."""

from __future__ import annotations


def is_panic(error: BaseException) -> bool:
    """Return true if a library in Rust has panicked.

    Every library built with PyO3 raises its own class, which does not derive from
    :class:`Exception`.
    """
    return type(error).__module__ == "pyo3_runtime"
