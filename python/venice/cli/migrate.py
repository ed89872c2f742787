"""``venice migrate``: replace renamed keys in definition files."""

from __future__ import annotations

from pathlib import Path

from venice.cli import options
from venice.cli.command import command, flag
from venice.cli.files import each
from venice.cli.screen import print_text
from venice.cli.value_types import InputFile
from venice.migration.files import migration_of
from venice.text import counts

_UP_TO_DATE, _OUTDATED = 0, 1


@command()
@options.argument(
    "files",
    metavar="FILE...",
    nargs=-1,
    required=True,
    type=InputFile(reads=each, path_type=Path),
    help="Files to migrate: drives, workloads, sweeps or explorations in TOML.",
)
@flag(
    "--check",
    help="Report the renamed keys without writing the files; the exit code is 1 if there are any.",
)
def migrate(*, files: tuple[Path, ...], check: bool) -> int:
    """Replace renamed keys in files by their current names.

    Comments and layout are kept. Nothing is written if a file cannot be read.
    """
    migrations = [migration_of(path) for path in dict.fromkeys(files)]
    for one in migrations:
        if not check:
            one.write()
        for old, present in one.renamed:
            print_text(f"{one.path}: {old} → {present}")
    outdated = sum(bool(one.renamed) for one in migrations)
    done = "to change" if check else "changed"
    print_text(f"{outdated} of {counts.of(len(migrations), 'file')} {done}")
    return _OUTDATED if check and outdated else _UP_TO_DATE
