"""Damages to the bytes of a file."""

from __future__ import annotations

import bz2
import gzip
import lzma
import re
from typing import TYPE_CHECKING

from .values import number, text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from random import Random

    Damage = Callable[[Random, bytes], bytes]


def flip_bits(draw: Random, content: bytes) -> bytes:
    """Flip up to eight bits."""
    changed = bytearray(content or b"\0")
    for _ in range(draw.randint(1, 8)):
        changed[draw.randrange(len(changed))] ^= 1 << draw.randrange(8)
    return bytes(changed)


def cut(draw: Random, content: bytes) -> bytes:
    """Remove the end of a file."""
    return content[: draw.randint(0, len(content))]


def cut_middle(draw: Random, content: bytes) -> bytes:
    """Remove a part from the middle of a file."""
    begin, end = sorted(draw.randint(0, len(content)) for _ in range(2))
    return content[:begin] + content[end:]


def repeat(draw: Random, content: bytes) -> bytes:
    """Repeat a part, up to a thousand times."""
    begin, end = sorted(draw.randint(0, len(content)) for _ in range(2))
    part = content[begin : min(end, begin + 500)]
    return content[:end] + part * draw.choice([1, 2, 1000]) + content[end:]


def insert(draw: Random, content: bytes) -> bytes:
    """Insert random bytes."""
    place = draw.randint(0, len(content))
    return content[:place] + draw.randbytes(draw.choice([1, 4, 300])) + content[place:]


def replace_word(draw: Random, content: bytes) -> bytes:
    """Replace one to three words by a hostile number or text."""
    words = re.split(rb"([\s,;=:]+)", content)
    for _ in range(draw.randint(1, 3)):
        drawn = number(draw) if draw.random() < 0.7 else text(draw)
        words[draw.randrange(len(words))] = drawn.encode()
    return b"".join(words)


def reorder_lines(draw: Random, content: bytes) -> bytes:
    """Shuffle the lines."""
    lines = content.splitlines(keepends=True)
    draw.shuffle(lines)
    return b"".join(lines)


def change_encoding(draw: Random, content: bytes) -> bytes:
    """Write text in another encoding, with another end of lines, or with NULs."""
    kind = draw.randrange(5)
    if kind == 0:
        return b"\xef\xbb\xbf" + content
    if kind == 1:
        return content.decode("latin-1").encode("utf-16")
    if kind == 2:
        return content.replace(b"\n", draw.choice([b"\r", b"\r\n", b"\0", b"\n\n"]))
    if kind == 3:
        return content.replace(b"\n", b"")
    return b"\xff\xfe\xfd" + content


def empty(_draw: Random, _content: bytes) -> bytes:
    """Return an empty file."""
    return b""


def long_line(draw: Random, content: bytes) -> bytes:
    """Add a line of 100,000 or 2,000,000 characters."""
    line = draw.choice([b"x", b"7", b"[", b"1,", b" ", b"a."]) * draw.choice([100_000, 1_000_000])
    return draw.choice([line + b"\n" + content, content + line])


BYTES: tuple[Damage, ...] = (flip_bits, cut, cut_middle, repeat, insert)
LINES: tuple[Damage, ...] = (
    replace_word,
    replace_word,
    replace_word,
    reorder_lines,
    change_encoding,
    empty,
    long_line,
)


def damage_bytes(draw: Random, content: bytes) -> bytes:
    """Damage a binary file."""
    return draw.choice(BYTES)(draw, content)


def damage_text(draw: Random, content: bytes) -> bytes:
    """Damage a text file."""
    return draw.choice(BYTES + LINES + LINES)(draw, content)


_PACKED: Mapping[str, Callable[[bytes], bytes]] = {
    ".bz2": bz2.compress,
    ".gz": gzip.compress,
    ".xz": lzma.compress,
}


def compress(draw: Random, content: bytes) -> tuple[str, bytes]:
    """Return a suffix and the compressed file; half of the files are damaged afterwards."""
    suffix = draw.choice(sorted(_PACKED))
    whole = _PACKED[suffix](content)
    return suffix, damage_bytes(draw, whole) if draw.random() < 0.5 else whole
