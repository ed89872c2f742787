"""Names of options and arguments in messages, and lists of values of a setting."""

from __future__ import annotations

import re

_SET = re.compile(r"--set (?P<change>[^\n;]+)")
_COMMA = re.compile(r",(?![^\[]*\])")
_SETS = re.compile(r'sets=\["(?P<change>[^\n]+?)"\](?=\n|;|$)')


def with_arguments(message: str) -> str:
    """Replace ``--set`` in a message by the argument `sets`.

    Examples
    --------
    >>> with_arguments("1 problem in --set flash.t_read_us=x; nothing was run")
    '1 problem in sets=["flash.t_read_us=x"]; nothing was run'
    """
    return _SET.sub(r'sets=["\g<change>"]', message)


def with_sets_as(name: str, message: str) -> str:
    """Replace the argument `sets` in a message by an argument of another name.

    Examples
    --------
    >>> with_sets_as("axis", '1 problem in sets=["flash.t_read_us=x"]; nothing was run')
    '1 problem in axis flash.t_read_us=x; nothing was run'
    """
    return _SETS.sub(rf"{name} \g<change>", message)


def split_values(text: str) -> list[str]:
    """Split a list of a setting's values; commas within brackets do not separate values.

    Examples
    --------
    >>> split_values("3,[4,5]")
    ['3', '[4,5]']
    """
    return _COMMA.split(text)
