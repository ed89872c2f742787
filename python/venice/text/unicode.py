"""Detection of texts that are not valid Unicode: bytes of a command line, or lone surrogates."""

from __future__ import annotations


def fault_of(text: str, *, is_path: bool = False) -> str | None:
    r"""Return the first part of a text that is not valid UTF-8; ``None`` if the text is valid.

    Python represents a byte of the command line that is not UTF-8 as a lone surrogate, which paths
    may contain.

    Examples
    --------
    >>> fault_of("a=µ") is None
    True
    >>> fault_of("a=\udcff")
    "'a=\\udcff' is not UTF-8 text (byte 0xff at character 3)"
    """
    try:
        text.encode(errors="surrogateescape" if is_path else "strict")
    except UnicodeEncodeError as error:
        from venice.text.quotation import quote  # noqa: PLC0415 for mistakes alone

        found = ord(text[error.start])
        escaped = 0xDC80 <= found <= 0xDCFF  # noqa: PLR2004 PEP 383
        what = f"byte {found - 0xDC00:#04x}" if escaped else f"lone surrogate U+{found:04X}"
        return f"{quote(repr(text))} is not UTF-8 text ({what} at character {error.start + 1})"
    return None
