"""Strict parsing of command lines: full names of options; errors are exceptions."""

from __future__ import annotations

from typing import Any

import click

from venice.cli.usage import UnknownNameError

HELP_NAMES = ["-h", "--help"]
SETTINGS: dict[str, Any] = {
    "help_option_names": HELP_NAMES,
    "show_default": True,
    "max_content_width": 100,
}
"""Settings of all commands and groups."""


class StrictWords(click.Command):
    """A command or group with strict parsing."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the command line.

        Raises
        ------
        UnknownNameError
            If there is no such option.
        """
        try:
            return super().parse_args(ctx, args)
        except click.BadOptionUsage as error:
            error.ctx = ctx
            raise
        except click.NoSuchOption as error:
            names = option_names(self, ctx)
            raise UnknownNameError("option", error.option_name, names, ctx) from None


def option_names(command: click.Command, ctx: click.Context) -> list[str]:
    """Return all names of the options of a command."""
    return [
        name
        for param in command.get_params(ctx)
        if isinstance(param, click.Option)
        for name in (*param.opts, *param.secondary_opts)
    ]
