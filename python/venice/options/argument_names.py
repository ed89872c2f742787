"""Replacement of command-line options by argument names in messages of the Python API."""

from __future__ import annotations

import re

_SET = re.compile(r"--set (?P<change>[^\n;]+)")
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
