"""Conversion of click's usage errors to the layout of Venice's errors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from venice.cli.command_words import option_text
from venice.cli.problem import Problem

if TYPE_CHECKING:
    from collections.abc import Sequence


class WrongValueError(click.BadParameter):
    """An invalid value of a parameter."""

    def __init__(
        self, value: str, expected: str, param: click.Parameter | None, ctx: click.Context | None
    ) -> None:
        super().__init__(f"`{value}`; expected: {expected}", ctx, param)
        self.value = value
        self.expected = expected


class UnexpectedArgumentError(click.UsageError):
    """More arguments than a command takes."""

    def __init__(self, words: Sequence[str], advice: Sequence[str], ctx: click.Context) -> None:
        super().__init__(f"unexpected argument `{' '.join(words)}`", ctx)
        self.words = words
        self.advice = advice


class UnknownNameError(click.UsageError):
    """Error for an unknown option or command."""

    def __init__(self, kind: str, name: str, known: Sequence[str], ctx: click.Context) -> None:
        super().__init__(f"unknown {kind} `{name}`", ctx)
        self.name = name
        self.known = known


class OptionError(click.UsageError):
    """Invalid value of `option`, or a conflict with other options."""

    def __init__(self, option: str, what: str, *notes: str) -> None:
        super().__init__(what, click.get_current_context(silent=True))
        self.option = option
        self.notes = notes


def problem_of(error: click.UsageError) -> Problem:
    """Return a usage error as problem, location, expected value and advice."""
    if isinstance(error, OptionError):
        return Problem(error.message, option_text(error.option, error.ctx), error.notes)
    what, where, notes = _parts(error)
    if error.ctx is None:
        return Problem(what, where, notes)
    path = error.ctx.command_path
    usage = " ".join([path, *error.ctx.command.collect_usage_pieces(error.ctx)])
    expected = (
        [] if any(note.startswith("expected: ") for note in notes) else [f"expected: {usage}"]
    )
    return Problem(what, where or path, [*notes, *expected, f"see `{path} --help`"])


def _parts(error: click.UsageError) -> tuple[str, str, Sequence[str]]:
    """Return the problem, location and notes of a usage error."""
    match error:
        case WrongValueError(param=click.Parameter() as param):
            words = [*_name(param), error.value]
            return (
                f"{_title(param)} is `{error.value}`",
                " ".join(words),
                [f"expected: {error.expected}"],
            )
        case click.MissingParameter(param=click.Parameter() as param):
            return f"missing {param.param_type_name} {_title(param)}", "", ()
        case UnknownNameError():
            return error.message, error.name, _near(error.name, error.known)
        case click.BadOptionUsage():
            return _bad_use(error)
        case UnexpectedArgumentError():
            return error.message, " ".join(error.words), error.advice
    return error.format_message(), "", ()


def _bad_use(error: click.BadOptionUsage) -> tuple[str, str, Sequence[str]]:
    """Return problem, location and notes for a missing or surplus value of an option."""
    name = error.option_name
    params = [] if error.ctx is None else error.ctx.command.params
    if any(name in (*one.opts, *one.secondary_opts) and _is_flag(one) for one in params):
        return f"`{name}` takes no value", name, ()
    return f"`{name}` has no value", name, [f"expected: a value behind `{name}`"]


def _is_flag(param: click.Parameter) -> bool:
    return isinstance(param, click.Option) and param.is_flag


def _name(param: click.Parameter) -> Sequence[str]:
    return () if isinstance(param, click.Argument) else param.opts[:1]


def _title(param: click.Parameter) -> str:
    """Return the names of a parameter in a message: ```-o` / `--output```, ```FILE```."""
    if isinstance(param, click.Argument):
        return f"`{param.metavar}`"
    return " / ".join(f"`{name}`" for name in param.opts)


def _near(name: str, known: Sequence[str]) -> list[str]:
    from difflib import get_close_matches  # noqa: PLC0415 for mistakes alone

    near = " or ".join(f"`{one}`" for one in sorted(get_close_matches(name, known)))
    return [f"did you mean {near}?"] if near else []
