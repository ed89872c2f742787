"""Quotations of other people's text in messages."""

from __future__ import annotations

MOST_CHARACTERS = 200
"""Length of a quotation: what fits into two lines of a terminal."""
_KEPT = 160


def quoted(text: str) -> str:
    """Shorten a text that a message quotes, and add how long it is.

    Examples
    --------
    >>> quoted("latency_us")
    'latency_us'
    >>> quoted("x" * 100_000)[150:]
    'xxxxxxxxxx… (100,000 characters)'
    """
    if len(text) <= MOST_CHARACTERS:
        return text
    return f"{text[:_KEPT]}… ({len(text):,} characters)"
