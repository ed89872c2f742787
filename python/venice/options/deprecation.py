"""Warnings about arguments of the Python API that will be removed."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Mapping

_SETS = (
    "`sets=` is deprecated: describe the changes in the drive, as "
    'drive=venice.Drive("venice-performance", flash=venice.config.Flash(t_read_us=5))'
)


def warn_of_sets(given: object) -> None:
    """Warn that the argument `sets` is deprecated, at the line that called the API.

    Modules of the package are exempt: the command line passes ``--set`` through the same functions.

    Examples
    --------
    >>> warn_of_sets(())
    """
    sets = given.get("sets") if isinstance(given, Mapping) else given
    caller = sys._getframe(2).f_globals.get("__name__", "")  # noqa: SLF001 of the standard library
    if sets and not caller.startswith("venice."):
        warnings.warn(_SETS, DeprecationWarning, stacklevel=3)
