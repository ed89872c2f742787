"""Hostile numbers, texts and names."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from random import Random

MARK = "hostile-mark"
"""Name of an HTML element that hostile texts contain and no page may have."""

NUMBERS = (
    *("0", "-1", "-0", "1", "2", "3.5", "7", "64", "511", "4096", "100", "101", "65536"),
    *("1e3", "1e18", "1e308", "1e309", "1e-320", "nan", "inf", "-inf", "NaN", "Infinity"),
    *("2147483648", "4294967296", "9223372036854775807", "9223372036854775808"),
    *("18446744073709551615", "18446744073709551616", "340282366920938463463374607431768211456"),
    *("0x10", "0o7", "0b1", "1_000", "+5", "007", " 5", "5 ", "5%", "5us", "1,5", "\u0663", "½"),
    *("", "-", ".", "1.", ".5", "1e", "--1", "true", "null", "9" * 400),
)

TEXTS = (
    *("", " ", ".", "..", "/", "-", "--", "../../escaped", "/etc/passwd"),
    *("/dev/null", "~", "$HOME", "${HOME}", "$x_{", "$\\frac{1}{0}$", "%s%n", "{0}", "{}", "\\"),
    *("'", '"', "`", "'; DROP TABLE runs; --", "\n", "\r\n", "\t", "\x1b[31mred", "\x7f"),
    *("é", "e\u0301", "\u202egnp.exe", "\ufeff", "\U0001f4a9", "ﬃ", "İ", "\u2028", "a\u0000b"),
    *("a" * 300, "a" * 5000, "long " * 20_000, "true", "nan", "1", "con", "a=b", "[", "]]", "{"),
)

PAGE_TEXTS = (
    f"<{MARK}>",
    f"</script><{MARK}>",
    f'"><{MARK} a="',
    f"'><{MARK} a='",
    f"--><{MARK}>",
    f"]]><{MARK}>",
    f"</title><{MARK}>",
    f"</style><{MARK}>",
    f"<!--<script><{MARK}>",
    f"&lt;{MARK}&gt;",
    f'" onmouseover="{MARK}',
    f"javascript:{MARK}",
    f"\u2028</SCRIPT ><{MARK}>",
    "${alert}",
    "$",
    "a$b$c",
    "\\u003c",
)


def number(draw: Random) -> str:
    """Draw a hostile number, or a text in place of a number."""
    return draw.choice(NUMBERS)


def text(draw: Random) -> str:
    """Draw a hostile text without NUL, since arguments of a process cannot contain NUL."""
    return draw.choice([one for one in TEXTS if "\0" not in one])


def few(value: str) -> str:
    """Replace a number of requests or runs that is valid but would take too long by a small one."""
    return "100" if value.isdecimal() and len(value.lstrip("0")) > 4 else value


def argument(draw: Random) -> str | bytes:
    """Draw a value of an option; some are not UTF-8."""
    kind = draw.random()
    if kind < 0.1:
        return b"\xff\xfe" + bytes(draw.randrange(128, 256) for _ in range(3))
    return number(draw) if kind < 0.55 else text(draw)
