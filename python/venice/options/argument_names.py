"""Names of options and arguments in messages, and lists of values of a setting."""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import TYPE_CHECKING

from venice._native import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

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


@contextmanager
def settings_given_as(arguments: Mapping[str, str]) -> Iterator[None]:
    """Name in errors the arguments in which settings were given.

    Parameters
    ----------
    arguments
        Text of the argument for each setting ``KEY=VALUE``.

    Raises
    ------
    ConfigError
        With the argument in place of ``sets=["KEY=VALUE"]``.

    Examples
    --------
    >>> with settings_given_as({"flash.t_read_us=-1": 'vary={"flash.t_read_us": [-1]}'}):
    ...     raise ConfigError('1 problem in sets=["flash.t_read_us=-1"]')
    Traceback (most recent call last):
    venice.ConfigError: 1 problem in vary={"flash.t_read_us": [-1]}
    """
    try:
        yield
    except ConfigError as error:
        message = _SETS.sub(lambda found: arguments.get(found["change"], found[0]), str(error))
        raise ConfigError(message) from None


def split_values(text: str) -> list[str]:
    """Split a list of a setting's values; commas within brackets do not separate values.

    Examples
    --------
    >>> split_values("3,[4,5]")
    ['3', '[4,5]']
    """
    return _COMMA.split(text)
