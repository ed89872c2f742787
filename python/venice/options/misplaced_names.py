"""Detection of a built-in name that was given to the wrong option of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from venice._native import UsageError, drive_names, fabric_names, workload_names
from venice.files.documents import is_file

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

_BUILT_IN: Mapping[str, Callable[[], Sequence[str]]] = {
    "drive": drive_names,
    "fabric": fabric_names,
    "workload": workload_names,
}
_CHECKED = (*_BUILT_IN, "trace")


def check_names(options: Mapping[str, object]) -> None:
    """Refuse a built-in drive, fabric or workload in an option for another kind of object.

    Raises
    ------
    UsageError
        The message names the option that accepts the name.

    Examples
    --------
    >>> check_names({"trace": "bus"})
    Traceback (most recent call last):
    venice.UsageError: `bus` is a built-in fabric; expected: a trace; did you mean `fabric="bus"`?
    """
    for option in _CHECKED:
        name = options.get(option)
        if not isinstance(name, str) or name in _names(option) or is_file(name):
            continue
        for kind in _BUILT_IN:
            if name in _names(kind):
                raise UsageError(
                    f"`{name}` is a built-in {kind}; expected: a {option}; "
                    f'did you mean `{kind}="{name}"`?'
                )


def _names(option: str) -> list[str]:
    return [*_BUILT_IN[option]()] if option in _BUILT_IN else []
