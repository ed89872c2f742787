"""Commands of ``venice``: click commands with groups of options, file checks and strict parsing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from venice._native import VeniceError
from venice.cli.command_words import WORDS, given_words
from venice.cli.file_checks import check_files
from venice.cli.problem import LocatedError
from venice.cli.strict_parsing import SETTINGS, StrictWords, option_names
from venice.cli.usage import UnexpectedArgumentError
from venice.cli.value_types import Integer, Number, Pattern, Text
from venice.files.output import OutputError
from venice.report.files import ReportError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]

OWN, DRIVE, REQUESTS, OUTPUT, DIAGNOSIS, OTHERS = GROUPS = (
    "Options",
    "Drive",
    "Requests",
    "Output",
    "Diagnosis",
    "Others",
)
"""Headings of the groups of options, in the order of the help."""

_BEFORE_REMARKS = ".  ["
"""Text that separates an option's help from click's additions, such as ``default: 1]``."""


class Argument(click.Argument):
    """An argument with a help text."""

    def __init__(self, *names: Any, help: str, **others: Any) -> None:  # noqa: A002, ANN401 as click
        super().__init__(*names, **others)
        self.explanation = help


class Option(click.Option):
    """An option with a group in the help."""

    def __init__(self, *names: Any, group: str = OWN, **others: Any) -> None:  # noqa: ANN401 as click
        super().__init__(*names, **others)
        self.group = group

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """Return the option's names and its help, with click's additions before the full stop."""
        record = super().get_help_record(ctx)
        if record is None:
            return None
        names, text = record
        sentence, mark, remarks = text.partition(_BEFORE_REMARKS)
        return names, f"{sentence} [{remarks}." if mark else text

    def type_cast_value(self, ctx: click.Context, value: Any) -> Any:  # noqa: ANN401 as click
        """Convert the value; refuse the name of another option as a value.

        Raises
        ------
        click.BadOptionUsage
            If the name of another option follows instead of a value.
        """
        texts = value if self.multiple else [value]
        if not isinstance(self.type, Pattern) and any(
            _is_long_option(ctx, one) for one in texts or ()
        ):
            raise click.BadOptionUsage(max(self.opts, key=len), "", ctx)
        return super().type_cast_value(ctx, value)


def _is_long_option(ctx: click.Context, text: object) -> bool:
    if not isinstance(text, str) or not text.startswith("--"):
        return False
    return text in option_names(ctx.command, ctx)


class Command(StrictWords):
    """Command with grouped options that checks its files before it runs."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the command line.

        Raises
        ------
        UnexpectedArgumentError
            If there are more arguments than the command takes.
        """
        ctx.meta[WORDS] = tuple(args)
        ctx.allow_extra_args = True
        left = super().parse_args(ctx, args)
        if left and not ctx.resilient_parsing:
            raise UnexpectedArgumentError(left, self._advice(left[0]), ctx)
        return left

    def invoke(self, ctx: click.Context) -> Any:  # noqa: ANN401 as click
        """Check the files and run the command.

        Raises
        ------
        LocatedError
            If the command refuses its values or fails.
        """
        try:
            check_files(ctx)
            return super().invoke(ctx)
        except (VeniceError, ReportError, OutputError) as error:
            raise LocatedError(error, ctx.command_path, given_words(ctx)) from error

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write arguments and options, group by group."""
        arguments: list[tuple[str, str]] = [
            (param.make_metavar(ctx), param.explanation)
            for param in self.params
            if isinstance(param, Argument)
        ]
        sections = {"Arguments": arguments, **{name: [] for name in GROUPS}}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx)
            if isinstance(param, click.Option) and record is not None:
                sections[getattr(param, "group", OTHERS)].append(record)
        for title, rows in sections.items():
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)

    def _advice(self, word: str) -> Sequence[str]:
        """Return advice for an unexpected word: the option that accepts the word as its value."""
        from venice.options.file_kinds import kind_of_file  # noqa: PLC0415 for mistakes alone

        kind = kind_of_file(word)
        for param in self.params:
            values = param.type.values if isinstance(param.type, Text) else None
            is_defined = kind is not None and getattr(param.type, "defines", None) == kind
            if is_defined or (values is not None and word in values()):
                return [f"did you mean `{param.opts[0]} {word}`?"]
        return []


def command(
    name: str | None = None,
    cls: type[Command] = Command,
    **settings: Any,  # noqa: ANN401 as click
) -> Callable[[Callable[..., Any]], Command]:
    """Return a decorator that makes a function a command; keywords are click's context settings."""
    return click.command(name, cls=cls, context_settings=SETTINGS | settings)


def option(*names: str, type: Any = None, **others: Any) -> Decorator:  # noqa: A002, ANN401 as click
    """Declare an option with a value; the value is text unless `type` is given."""
    kinds = {int: Integer(), float: Number(), None: Text()}
    kind = kinds[type] if type in (int, float, None) else type
    return click.option(*names, cls=Option, type=kind, **others)


def flag(names: str, *others: str, **settings: Any) -> Decorator:  # noqa: ANN401 as click
    """Declare an option without a value, which is false by default."""
    return click.option(names, *others, cls=Option, is_flag=True, **settings)
