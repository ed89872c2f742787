"""Words of a command line as the user typed them, which error messages quote as locations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

WORDS = "venice.words"
"""Key in the `meta` of a click context for the words that the user typed."""
Typed = tuple[str, str]
"""Name of an option, empty for an argument, and its value, empty for a flag."""


def given_words(ctx: click.Context | None) -> list[Typed]:
    """Return the options and arguments of a command that the user gave, with their values."""
    if ctx is None or WORDS not in ctx.meta:
        return []
    command = ctx.command
    try:
        opts, _, _ = command.make_parser(ctx).parse_args([*ctx.meta[WORDS]])
    except click.UsageError:
        return []
    return [one for param in command.params for one in _of(param, opts)]


def option_text(option: str, ctx: click.Context | None) -> str:
    """Return an option with its value as it was typed; only its name if it was not given."""
    values = [value for name, value in given_words(ctx) if name == option]
    return " ".join([option, *values[-1:]]).strip()


def _of(param: click.Parameter, opts: Mapping[str, object]) -> Iterator[Typed]:
    given = opts.get(param.name or "")
    name = "" if isinstance(param, click.Argument) else max(param.opts, key=len)
    if isinstance(given, str):
        yield name, given
    elif isinstance(given, Sequence):
        yield from ((name, str(value)) for value in given)
    elif isinstance(given, bool) and given:
        yield name, ""
