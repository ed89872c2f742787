"""Detection of panics in libraries written in Rust."""

from __future__ import annotations


def is_panic(error: BaseException) -> bool:
    """Return true if the exception is a panic of a library written in Rust.

    Every library built with PyO3 raises its own class, which does not derive from
    :class:`Exception`.
    """
    return type(error).__module__ == "pyo3_runtime"
