"""Drive file of a fitted drive, with the base, the fitted values, their source, and the errors."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import tomlkit

from venice._native import drive_names

if TYPE_CHECKING:
    from pathlib import Path

    from venice.fitting.fit import Fit
    from venice.validation.verdict import Validation


def drive_file(fit: Fit, path: Path, data: str) -> str:
    """Return the TOML text of a fitted drive.

    Parameters
    ----------
    fit
        Result of the fit.
    path
        Path of the drive file; the path of the base is relative to it.
    data
        Name of the measurements.
    """
    document = tomlkit.document()
    document["name"] = path.stem
    document["description"] = f"Fitted by `venice fit` to {data}. {errors_text(fit)}"
    document["source"] = f"fitted to {data}, one half of the loads"
    document["extends"] = _base(fit, path)
    if fit.names:
        document["measured_as"] = list(fit.names)
    settings = [one.partition("=")[::2] for one in fit.base.sets]
    for key, text in settings:
        _insert(document, key, _value(text))
    for parameter, value in zip(fit.parameters, fit.values, strict=True):
        entry = tomlkit.inline_table()
        entry["value"] = _value(parameter.text(value))
        entry["source"] = f"fitted to {data}"
        _insert(document, parameter.key, entry)
    return tomlkit.dumps(document)


def errors_text(fit: Fit) -> str:
    """Return a sentence on the errors of the fitted and the held-out half."""
    return f"{_errors('Fitted half', fit.fitted)} {_errors('Held-out half', fit.held_out)}"


def _errors(name: str, validation: Validation) -> str:
    mean, p99 = validation.shares()
    parts = [
        f"{title} within {bound} % at {share.agreeing} of {share.known} rows "
        f"(median error {share.median_error_pct:.1f} %)"
        for title, bound, share in (("mean", 10, mean), ("p99", 15, p99))
        if share.median_error_pct is not None
    ]
    return f"{name}: {', '.join(parts) or 'no rows'}."


def _base(fit: Fit, path: Path) -> str:
    """Return the base of a drive: a preset, or a path relative to the file `path`."""
    base = os.fspath(fit.base.drive)  # type: ignore[arg-type] # a name or a path
    if base in drive_names():
        return base
    return os.path.relpath(base, path.parent)


def _value(text: str) -> object:
    """Parse a TOML value; a bare word is a text."""
    try:
        return tomlkit.parse(f"x = {text}")["x"]
    except tomlkit.exceptions.ParseError:
        return text


def _insert(document: tomlkit.TOMLDocument, key: str, value: object) -> None:
    """Insert a value under a dotted key; missing tables are created."""
    *sections, name = key.split(".")
    table: tomlkit.TOMLDocument | tomlkit.items.Table = document
    for section in sections:
        if section not in table:
            table.add(section, tomlkit.table())
        table = table[section]
    table[name] = value
