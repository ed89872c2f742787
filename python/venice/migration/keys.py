"""Renaming of keys in a TOML document, with comments and layout preserved."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias, cast

import tomlkit
from tomlkit.items import AbstractTable, AoT, Comment, InlineTable, Null, SingleKey, Whitespace

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tomlkit import TOMLDocument
    from tomlkit.items import Item, Key

    _Table: TypeAlias = AbstractTable | TOMLDocument

Lines: TypeAlias = "list[tuple[Key | None, Item]]"
"""Contents of a table: keys with values, comments and blank lines."""


class KeyTakenError(ValueError):
    """The document contains a key under both its old and its current name."""

    def __init__(self, old: str, present: str) -> None:
        super().__init__(f"`{present}` and its old name `{old}` are both set")


def rename_keys(text: str, names: Mapping[str, str]) -> tuple[str, list[str]]:
    r"""Rename keys of a document; return its text and the old names that it contained.

    Parameters
    ----------
    text
        TOML document.
    names
        Current names by old names, as dotted paths.

    Raises
    ------
    KeyTakenError
        If the document has a key under both names.

    Examples
    --------
    >>> names = {"fabric.venice.hold": "fabric.hold"}
    >>> rename_keys('fabric.venice.hold = "transfer"  # Figure 3', names)
    ('fabric.hold = "transfer"  # Figure 3\n', ['fabric.venice.hold'])
    """
    renamed = []
    for old, present in names.items():
        document = tomlkit.parse(_with_end_of_line(text))
        if not _has(document, old):
            continue
        if _has(document, present):
            raise KeyTakenError(old, present)
        path = old.split(".")
        _put(document, present.split("."), _take(document, path))
        _prune(document, path[:-1])
        text = document.as_string()
        renamed.append(old)
    return text, renamed


def rename_in_tables(text: str, array: str, names: Mapping[str, str]) -> tuple[str, list[str]]:
    """Rename keys whose names contain dots, such as ``"fabric.hold"``, in an array of tables.

    Raises
    ------
    KeyTakenError
        If a table has a key under both names.
    """
    document = tomlkit.parse(text)
    renamed = []
    for table in document.get(array, []):
        for old in [key for key in table if key in names]:
            if names[old] in table:
                raise KeyTakenError(old, names[old])
            _replace_key(table.value.body, old, names[old])
            renamed.append(old)
    return document.as_string(), renamed


def rename_in_settings(
    text: str, path: Sequence[str], names: Mapping[str, str]
) -> tuple[str, list[str]]:
    """Rename keys in an array of texts ``"key=value"`` at a path of the document.

    Examples
    --------
    >>> names = {"fabric.venice.hold": "fabric.hold"}
    >>> rename_in_settings('sets = ["fabric.venice.hold=transfer"]', ["sets"], names)
    ('sets = ["fabric.hold=transfer"]', ['fabric.venice.hold'])
    """
    document = tomlkit.parse(text)
    found: Any = document
    for name in path:
        found = found.get(name, {})
    renamed = []
    for place, setting in enumerate(found if isinstance(found, list) else ()):
        key, equals, value = str(setting).partition("=")
        if key.strip() in names:
            found[place] = f"{names[key.strip()]}{equals}{value}"
            renamed.append(key.strip())
    return document.as_string(), renamed


def _with_end_of_line(text: str) -> str:
    """Return the text, with a newline appended if it lacks one."""
    if text.endswith("\n"):
        return text
    return text + ("\r\n" if "\r\n" in text else "\n")


def _has(document: TOMLDocument, key: str) -> bool:
    found: Any = document
    for name in key.split("."):
        if not isinstance(found, dict) or name not in found:
            return False
        found = found[name]
    return True


def _take(table: _Table, path: Sequence[str]) -> Lines:
    """Remove a key from the table at its path, with the comment lines above it."""
    if len(path) > 1:
        parts = (_take(part, path[1:]) for part in _parts(table, path[0]))
        return next((lines for lines in parts if lines), [])
    if path[0] not in table:
        return []
    if isinstance(table, InlineTable):
        value = cast("Item", table.value.item(path[0]))
        table.remove(path[0])
        value.trivia.indent, value.trivia.trail = "", "\n"
        return [(SingleKey(path[0]), value)]
    body = _body(table)
    place = next((at for at, (key, _) in enumerate(body) if _is_named(key, path[0])), None)
    if place is None:
        return []
    start = place
    while start > 0 and isinstance(body[start - 1][1], Comment):
        start -= 1
    taken = body[start : place + 1]
    del body[start : place + 1]
    return taken


def _put(table: _Table, path: Sequence[str], lines: Lines) -> None:
    """Insert the lines of a key into the table at its path; create the table if missing."""
    name, *below = path
    if below:
        parts = _parts(table, name)
        if not parts:
            table.append(name, tomlkit.table())
            parts = _parts(table, name)
        with_values = (part for part in parts if _end_of_values(_body(part)))
        _put(next(with_values, parts[0]), below, lines)
        return
    *comments, (_, value) = lines
    if isinstance(table, InlineTable):
        table.append(name, value)
    else:
        place = _end_of_values(_body(table))
        _body(table)[place:place] = [*comments, (SingleKey(name), value)]


def _prune(table: _Table, path: Sequence[str]) -> None:
    """Remove empty tables on a path, but keep their blank lines."""
    for part in _parts(table, path[0]) if path else ():
        _prune(part, path[1:])
        left = _body(part)
        if not all(isinstance(item, Whitespace | Null) for _, item in left):
            continue
        if isinstance(table, InlineTable):
            table.remove(path[0])
        else:
            place = next(at for at, (_, item) in enumerate(_body(table)) if item is part)
            _body(table)[place : place + 1] = [] if isinstance(part, InlineTable) else left


def _parts(table: _Table, name: str) -> list[AbstractTable]:
    """Return all parts of the table `name`, since TOML may divide one table into several parts."""
    return [
        item
        for key, item in _body(table)
        if _is_named(key, name) and isinstance(item, AbstractTable)
    ]


def _body(table: _Table) -> Lines:
    return table.value.body if isinstance(table, AbstractTable) else table.body


def _is_named(key: Key | None, name: str) -> bool:
    return key is not None and key.key == name


def _end_of_values(body: Lines) -> int:
    """Return the index after a table's last value, before trailing blank lines and subtables."""
    places = (
        at + 1
        for at, (key, item) in enumerate(body)
        if key is not None and (key.is_dotted() or not _has_header(item))
    )
    return max(places, default=0)


def _has_header(item: Item) -> bool:
    return isinstance(item, AbstractTable | AoT) and not isinstance(item, InlineTable)


def _replace_key(body: Lines, old: str, present: str) -> None:
    place = next(at for at, (key, _) in enumerate(body) if _is_named(key, old))
    key, item = body[place]
    if isinstance(key, SingleKey):
        written = key.as_string()
        space = written[len(written.rstrip()) :]
        body[place] = SingleKey(present, t=key.t, sep=space + key.sep), item
