"""Checks of the files of a command, made before it runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from venice.cli.value_types import FileType
from venice.files.ledger import Ledger

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


def check_files(ctx: click.Context) -> None:
    """Refuse a command that would overwrite an input, or write two outputs to one file.

    Raises
    ------
    UsageError
        The message names the options that name the file.
    """
    ledger = Ledger()
    ledger.write_standard_output()
    for register, name, path in _named(ctx, ledger):
        register(name, path)


def _named(
    ctx: click.Context, ledger: Ledger
) -> Iterator[tuple[Callable[[str, str], None], str, str]]:
    """Yield the files that the parameters name, each with a description of its use."""
    for param in ctx.command.params:
        value, kind = ctx.params.get(param.name or ""), param.type
        if value in (None, ()) or not isinstance(kind, FileType):
            continue
        name = param.opts[-1] if isinstance(param, click.Option) else str(param.metavar)
        for paths, register in ((kind.reads, ledger.read), (kind.writes, ledger.write)):
            if paths is not None:
                for path in dict.fromkeys(map(str, paths(value, ctx.params))):
                    yield register, name, path
