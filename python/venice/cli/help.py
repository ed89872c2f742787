"""The texts of ``--help``, and what is said above a mistake."""

from __future__ import annotations

from textwrap import dedent, fill, indent, wrap
from typing import TYPE_CHECKING

from venice.cli.commands import Group
from venice.cli.declared import Option

if TYPE_CHECKING:
    from collections.abc import Iterable

    from venice.cli.commands import Place
    from venice.cli.declared import Command, Parameter

Row = tuple[str, str]
"""What is explained, and its explanation."""

_WIDTH = 78
_WIDEST_TITLE = 30
"""Wider ones stand on lines of their own."""
_HELP: Row = ("--help", "Show this message and exit.")
_VERSION: Row = ("--version", "Show the version.")


def help_of(command: Command) -> str:
    """Say what a command does and takes."""
    return _joined(
        f"Usage: {usage_of(command)}",
        _paragraphs(command.function.__doc__ or ""),
        _section("Arguments", map(_argument, command.arguments)),
        _section("Options", [*_options(command), _HELP]),
    )


def help_of_group(path: str, group: Group, *, has_version: bool) -> str:
    """Say which commands a group has."""
    return _joined(
        f"Usage: {usage_of_group(path)}",
        _paragraphs(group.help),
        _section("Options", [_VERSION, _HELP] if has_version else [_HELP]),
        _section("Commands", [(name, _summary(one)) for name, one in group.commands.items()]),
    )


def usage_of(command: Command) -> str:
    """Say how a command is called."""
    return " ".join([command.path, "[OPTIONS]", *map(_placeholder, command.arguments)])


def usage_of_group(path: str) -> str:
    """Say how the commands of a group are called."""
    return f"{path} [OPTIONS] COMMAND [ARGS]..."


def _joined(*parts: str) -> str:
    return "\n\n".join(part for part in parts if part)


def _summary(place: Place | Group) -> str:
    text = place.help if isinstance(place, Group) else place.load("").function.__doc__ or ""
    return text.partition("\n")[0]


def _paragraphs(text: str) -> str:
    first, _, others = text.partition("\n")
    paragraphs = f"{first}\n{dedent(others)}".strip().split("\n\n")
    return "\n\n".join(
        indent(fill(" ".join(paragraph.split()), _WIDTH - 2, break_on_hyphens=False), "  ")
        for paragraph in paragraphs
    )


def _section(title: str, rows: Iterable[Row]) -> str:
    listed = [*rows]
    if not listed:
        return ""
    widest = min(max(len(name) for name, _ in listed), _WIDEST_TITLE)
    lines = [line for row in listed for line in _laid_out(row, widest)]
    return f"{title}:\n{indent(chr(10).join(lines), '  ')}"


def _laid_out(row: Row, widest: int) -> list[str]:
    title, text = row
    lines = wrap(text, _WIDTH - 4 - widest, break_on_hyphens=False) or [""]
    first = [title] if len(title) > widest else [f"{title:<{widest}}  {lines.pop(0)}"]
    return [*first, *(f"{'':<{widest}}  {line}" for line in lines)]


def _placeholder(argument: Parameter) -> str:
    metavar = str(argument.declared.metavar)
    if argument.is_required:
        return f"{{{metavar}}}"
    return metavar if metavar.startswith("[") else f"[{metavar}]"


def _argument(argument: Parameter) -> Row:
    return str(argument.declared.metavar), _with_remark(argument.declared.help, argument)


def _options(command: Command) -> Iterable[Row]:
    for parameter, option in command.options:
        off = option.off
        title = ", ".join(option.names)
        if off is not None and not off.help:
            title += f" / {', '.join(off.names)}"
        if not parameter.is_flag:
            title += " " + (option.metavar or f"<{'|'.join(parameter.choices)}>")
        yield title, _with_remark(option.help, parameter)
        if off is not None and off.help:
            yield ", ".join(off.names), off.help


def _with_remark(text: str, parameter: Parameter) -> str:
    """Add the default and the least value, or that it must be given."""
    least = getattr(parameter.declared, "least", None)
    remarks = [
        *([f"default: {_default(parameter)}"] if _default(parameter) else []),
        *([f"x>={least}"] if least is not None else []),
        *(["required"] if parameter.is_required else []),
    ]
    return f"{text}  [{'; '.join(remarks)}]" if remarks else text


def _default(parameter: Parameter) -> str:
    """Write the default; of what is on or off, the name that says it if there are two."""
    option, default = parameter.declared, parameter.default
    if default is None or not parameter.is_flag:
        return "" if default is None else str(default)
    if not isinstance(option, Option) or option.off is None:
        return ""
    return (option if default else option.off).names[0].lstrip("-")
