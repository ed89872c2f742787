"""Panics of libraries that are written in Rust.

PyO3 makes of a panic an exception that is no :class:`Exception`, so that nobody takes it for one
that was foreseen; each library has a class of its own of that name. The library prints what went
wrong, too, before Python hears of it.
"""

from __future__ import annotations

import os
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from venice.output import OutputError

if TYPE_CHECKING:
    from collections.abc import Iterator

_STDERR = 2


def is_panic(error: BaseException) -> bool:
    """Whether a library in Rust has panicked."""
    return type(error).__module__ == "pyo3_runtime"


@contextmanager
def told_as(what: str, library: str) -> Iterator[None]:
    """Make one message of a panic in the block, also of what the library prints itself.

    Raises
    ------
    OutputError
        That `what` could not be made, and why.
    """
    with tempfile.TemporaryFile() as printed:
        screen = os.dup(_STDERR)
        os.dup2(printed.fileno(), _STDERR)
        try:
            yield
        except BaseException as error:
            if not is_panic(error):
                raise
            printed.truncate(0)
            raise OutputError(_said(what, library, error)) from None
        finally:
            sys.stderr.flush()
            os.dup2(screen, _STDERR)
            os.close(screen)
            printed.seek(0)
            os.write(_STDERR, printed.read())


def _said(what: str, library: str, error: BaseException) -> str:
    reason = " ".join(str(error).split())
    is_bare = sys.platform == "linux" and not Path("/proc/self").exists()
    hint = "; it may need /proc, which is not mounted here" if is_bare else ""
    return f"{what} could not be made: {library} has ended by a fault of its own: {reason}{hint}"
