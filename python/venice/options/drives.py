"""Resolution of a drive by the engine."""

from __future__ import annotations

from os import fspath

from venice import _native
from venice._native import ConfigError, Drive
from venice.files.pipes import open_pipes
from venice.options.run_options import DEFAULT_DRIVE, RunOptions
from venice.options.value_checks import check_texts
from venice.schema_classes import DescribedDrive


def drive_of(options: RunOptions, fabric: str | None = None, typed: str | None = None) -> Drive:
    """Resolve a drive; `fabric` replaces the options' fabric, and error messages quote `typed`.

    Raises
    ------
    ConfigError
        The message lists all problems of the configuration.
    """
    drive = DEFAULT_DRIVE if options.drive is None else options.drive
    base, changes = (
        _base_and_changes(drive) if isinstance(drive, DescribedDrive) else (fspath(drive), [])
    )
    if base not in _native.drive_names():
        from venice.options.named_files import check_drive  # noqa: PLC0415 presets do without

        check_drive(base)
    fabric = fabric or options.fabric
    sets = list(options.sets)
    if typed is None and fabric is not None:
        typed = f'fabric="{fabric}"'
    for key, texts in {"drive": [base, *changes], "fabric": [fabric or ""], "sets": sets}.items():
        check_texts(key, texts)
    try:
        with open_pipes(base):
            return _native.resolve(base, fabric, sets, options.seed, changes, typed)
    except ConfigError as error:
        from venice.options.argument_names import with_arguments  # noqa: PLC0415 for mistakes alone

        raise ConfigError(with_arguments(str(error))) from None


def _base_and_changes(drive: DescribedDrive) -> tuple[str, list[str]]:
    """Return the base and the changes of a drive described in Python."""
    return drive.starts_from(), drive.changes()
