"""Shortening of quotations of user text in messages."""

from __future__ import annotations

import re

MOST_CHARACTERS = 200
"""Maximum length of a quotation [characters]: two lines of a terminal."""
_KEPT = 160
_LONG = re.compile(
    rf"""
      (?<=\|[ ]) [^\n]{{{MOST_CHARACTERS + 1},}}          # a line of a file, behind its number
    | (?<=-->[ ]) [^\n]{{{MOST_CHARACTERS + 1},}}         # words of the command line
    | (?<=`) [^`\n]{{{MOST_CHARACTERS + 1},}} (?=`)
    | (?<=") [^"\n]{{{MOST_CHARACTERS + 1},}} (?=")
    | (?<=') [^'\n]{{{MOST_CHARACTERS + 1},}} (?=')
    | [^\s`"']{{{MOST_CHARACTERS + 1},}}
    """,
    re.VERBOSE,
)


def quote(text: str) -> str:
    """Return a quotation of a text, shortened and with its length if it is too long.

    Examples
    --------
    >>> quote("latency_us")
    'latency_us'
    >>> quote("x" * 100_000)[150:]
    'xxxxxxxxxx… (100,000 characters)'
    """
    if len(text) <= MOST_CHARACTERS:
        return text
    return f"{text[:_KEPT]}… ({len(text):,} characters)"


def with_short_quotations(message: str) -> str:
    """Return a message with shortened quotations: words, quoted texts and lines of files.

    Examples
    --------
    >>> with_short_quotations("`" + "x y" * 100 + "` is unknown")[-39:]
    ' yx yx yx… (300 characters)` is unknown'
    """
    return _LONG.sub(lambda quotation: quote(quotation[0]), message)
