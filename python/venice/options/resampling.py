"""Resampling of traces: the method, and the length of blocks."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from venice._native import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from venice.options.run_options import RunOptions

METHODS = ("offset", "blocks")
"""Values of ``trace_resample``."""

_UNITS_PS = {"ns": 10**3, "us": 10**6, "ms": 10**9, "s": 10**12, "min": 60 * 10**12}
_TEXT = r"(\d+(?:\.\d+)?)\s*([a-zµ]+)?"
_SHORTEST_PS = 10**6
_LONGEST = 2**64 - 1


def resampling_of(options: RunOptions) -> str | None:
    """Return the method of resampling; a seed without a method selects a random start.

    Examples
    --------
    >>> from venice.options.run_options import RunOptions
    >>> resampling_of(RunOptions(trace_seed=7))
    'offset'
    """
    if options.trace_resample is None:
        return None if options.trace_seed is None else "offset"
    return options.trace_resample


def block_of(options: RunOptions) -> tuple[int, bool] | None:
    """Return the length of a block; true if it is in picoseconds, false for requests.

    Examples
    --------
    >>> from venice.options.run_options import RunOptions
    >>> block_of(RunOptions(trace_block="10ms")), block_of(RunOptions(trace_block=500))
    ((10000000000, True), (500, False))
    """
    return None if options.trace_block is None else _length(options.trace_block)


def resampling_notes(options: RunOptions, seeds: Sequence[int]) -> list[str]:
    """Return a note on the resampling of a trace; `seeds` are the seeds of the runs.

    Examples
    --------
    >>> from venice.options.run_options import RunOptions
    >>> resampling_notes(RunOptions(trace_resample="blocks", trace_block="10ms"), [1, 2, 3])
    ['The trace is resampled (seeds 1 to 3, block 10ms): another trace of the same load.']
    >>> resampling_notes(RunOptions(trace_seed=7), [1])
    ['The trace is resampled (seed 7, random offset): another trace of the same load.']
    >>> resampling_notes(RunOptions(), [1])
    []
    """
    method = resampling_of(options)
    if method is None:
        return []
    seed = options.trace_seed
    drawn = [*dict.fromkeys(seeds)] if seed is None else [seed]
    text = f"seed {drawn[0]}" if len(drawn) == 1 else f"seeds {drawn[0]} to {drawn[-1]}"
    method_text = "random offset" if method == "offset" else _block_text(options.trace_block)
    return [f"The trace is resampled ({text}, {method_text}): another trace of the same load."]


def _block_text(block: object) -> str:
    if block is None:
        return "block of as many requests as the square root of their number"
    text = str(block)
    return f"block of {text} requests" if text.isdecimal() else f"block {text}"


def check_resampling(options: RunOptions) -> None:
    """Refuse an unknown method, and an invalid or unused length of blocks.

    Raises
    ------
    UsageError
        The message states the expected value.
    """
    method = resampling_of(options)
    if method is not None and method not in METHODS:
        raise UsageError(f"`trace_resample=` is `{method}`; it should be {' or '.join(METHODS)}")
    if options.trace_block is None:
        return
    if method != "blocks":
        raise UsageError(
            '`trace_block=` requires `trace_resample="blocks"`; '
            'expected: `trace_resample="blocks"` as well; add it, or leave `trace_block=` out'
        )
    block_of(options)


def _length(block: object) -> tuple[int, bool]:
    found = re.fullmatch(_TEXT, str(block).strip().lower())
    number, unit = (found[1], (found[2] or "").replace("µ", "u")) if found else ("", "")
    if unit in _UNITS_PS:
        length, least, is_time = round(float(number) * _UNITS_PS[unit]), _SHORTEST_PS, True
    elif number.isdecimal() and not unit:
        length, least, is_time = int(number), 1, False
    else:
        length, least, is_time = 0, 1, False
    if not least <= length <= _LONGEST:
        raise UsageError(
            f"`trace_block=` is `{block}`; it should be a time from 1us with its unit (100ms, 1s, "
            "2min), or a number of requests from 1 (5000)"
        )
    return length, is_time
