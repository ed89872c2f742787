"""Checks of the type and range of each option."""

from __future__ import annotations

from os import PathLike, fspath
from typing import TYPE_CHECKING

from venice._native import UsageError
from venice.options.run_options import BOUNDS, KINDS, RunOptions
from venice.text.unicode import fault_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


_LONGEST_SHOWN = 80
"""Maximum length of a wrong value in messages [characters]."""


_UNBOUNDED = 2**63
"""Value above which upper bounds are register widths, which messages do not mention."""


LONGEST_US = 2**64 / 1e6
"""Largest simulated time, where the simulator's clock ends [µs]."""


_PATHS = ("trace", "load_state", "save_state")
"""Options whose values are paths, which may contain arbitrary bytes."""


def check_types(options: Mapping[str, object]) -> None:
    """Refuse values of a wrong type.

    Raises
    ------
    UsageError
        The message states the key, the value and the expected type.
    """
    for key, value in options.items():
        wanted = KINDS.get(key)
        if wanted is None or value is None:
            continue
        # In Python, `bool` is a subclass of `int`.
        is_wrong = isinstance(value, bool) != (bool in wanted.types)
        if is_wrong or not isinstance(value, wanted.types):
            raise UsageError(f"`{key}=` is {_shown(value)}; it should be {wanted.text}")
        if isinstance(value, str | PathLike):
            check_texts(key, [str(fspath(value))], are_paths=key in _PATHS)


def check_texts(key: str, texts: Iterable[str], *, are_paths: bool = False) -> None:
    """Refuse texts that are not valid Unicode, such as lone surrogates.

    Raises
    ------
    UsageError
        The message names the key and the text.
    """
    for text in texts:
        if fault := fault_of(text, is_path=are_paths):
            raise UsageError(f"`{key}=`: {fault}; expected text in UTF-8")


def _shown(value: object) -> str:
    """Return a value as text, or the name of its type if the text has several lines."""
    try:
        text = repr(value)
    except RecursionError:  # nested too deeply for `repr`
        text = ""
    is_short = 0 < len(text) <= _LONGEST_SHOWN and "\n" not in text
    return text if is_short else f"a {type(value).__name__}"


def check_ranges(options: RunOptions) -> None:
    """Refuse numbers that are out of range.

    Raises
    ------
    UsageError
        If a number is too small or too large.
    """
    for key in BOUNDS:
        check_range(key, getattr(options, key))
    warmup_us = options.warmup_us
    if warmup_us is not None and not 0 <= warmup_us < LONGEST_US:
        raise UsageError(
            f"`warmup_us=` is {warmup_us:g}; it should be from 0 to {LONGEST_US:.0f} µs"
        )

    for at_us in options.power_loss_us:
        if not 0 <= at_us < LONGEST_US:
            raise UsageError(
                f"`power_loss_us=` is {at_us:g}; it should be from 0 to {LONGEST_US:.0f} µs"
            )


def check_range(key: str, value: object) -> None:
    """Refuse a whole number that is out of range.

    Raises
    ------
    UsageError
        If the number is too small or too large.
    """
    smallest, largest = BOUNDS[key]
    if isinstance(value, int) and not smallest <= value <= largest:
        has_bound = largest < _UNBOUNDED or value > largest
        expected = f"from {smallest} to {largest}" if has_bound else f"{smallest} or more"
        raise UsageError(f"`{key}=` is {value}; it should be {expected}")
