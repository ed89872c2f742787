"""Error messages about files that cannot be opened."""

from __future__ import annotations


def unreadable(error: OSError, expected: str) -> str:
    """Return the part of an error message after the path: reason, expected file, advice.

    Examples
    --------
    >>> unreadable(FileNotFoundError(), "a sweep in TOML")
    'there is no such file; expected: a sweep in TOML; check the path'
    """
    match error:
        case FileNotFoundError() | NotADirectoryError():
            what, advice = "there is no such file", "check the path"
        case IsADirectoryError():
            what, advice = "is a folder", "name a file in it"
        case PermissionError():
            what, advice = "cannot be read: permission denied", "change the permissions of the file"
        case _:
            what, advice = f"cannot be read: {error.strerror or error}", "check the file"
    return f"{what}; expected: {expected}; {advice}"
