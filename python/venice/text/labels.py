"""Names for the rows of a comparison, which state the settings in which the rows differ."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_SETTING = re.compile(r"\b(?P<key>[a-z][a-z0-9_]*)=(?P<value>[^\s,]+)")
"""Regular expression for a setting in a name."""
_UNITS = {
    "bits": "bits",
    "bytes": "bytes",
    "mb_per_s": "MB/s",
    "ms": "ms",
    "us": "µs",
    "ns": "ns",
    "pct": "%",
}
"""Units of settings, by the endings of their keys."""
_MOST_KEYS = 2
"""Maximum number of settings in a name; if more differ, the names are numbered."""


def labels(rows: Sequence[tuple[str, str]], configs: Sequence[Mapping[str, Any]] = ()) -> list[str]:
    """Return names for rows of drives and fabrics, with the settings in which they differ.

    Parameters
    ----------
    rows
        Name of each row's drive, and its fabric.
    configs
        Configurations of the drives. If drives with equal names have different settings, the names
        state the settings, or a number if there are too many. Equal rows have equal names.

    Examples
    --------
    >>> labels([("fast", "bus"), ("fast", "venice")])
    ['bus', 'venice']
    >>> labels([("fast", "bus"), ("slow", "bus")])
    ['fast', 'slow']
    >>> labels([("fast", "bus"), ("fast", "venice"), ("wide", "venice")])
    ['bus', 'venice', 'venice wide']
    >>> labels([("a", "bus"), ("a", "bus")], [{"flash": {"dies": 1}}, {"flash": {"dies": 2}}])
    ['bus dies=1', 'bus dies=2']
    """
    names = _by_drive_and_fabric(rows)
    for name in [name for name, count in Counter(names).items() if count > 1]:
        places = [place for place, other in enumerate(names) if other == name]
        settings = [dict(_flat(configs[place])) if configs else {} for place in places]
        for place, more in zip(places, _apart(settings), strict=True):
            names[place] = f"{name} {more}".rstrip()
    return names


def settings_in_words(name: str) -> str:
    """Return a name for pictures, in which settings are words with units.

    Examples
    --------
    >>> settings_in_words("venice, link_width_bits=4")
    'venice, link width 4 bits'
    >>> settings_in_words("bus victim=oldest_first t_read_us=5")
    'bus victim oldest_first t read 5 µs'
    """
    return _SETTING.sub(lambda found: _in_words(found["key"], found["value"]), name)


def _in_words(key: str, value: str) -> str:
    for ending, unit in _UNITS.items():
        if key.endswith(f"_{ending}"):
            key, value = key.removesuffix(f"_{ending}"), f"{value} {unit}"
            break
    return f"{key.replace('_', ' ')} {value}"


def _by_drive_and_fabric(rows: Sequence[tuple[str, str]]) -> list[str]:
    if len({fabric for _, fabric in rows}) == 1 and len({drive for drive, _ in rows}) > 1:
        return [drive for drive, _ in rows]
    return [fabric if drive == rows[0][0] else f"{fabric} {drive}" for drive, fabric in rows]


def _apart(settings: Sequence[Mapping[str, str]]) -> list[str]:
    """Return the settings in which rows differ, or numbers if there are too many."""
    keys = dict.fromkeys(key for one in settings for key in one)
    differing = [key for key in keys if len({one.get(key) for one in settings}) > 1]
    labels = [
        " ".join(
            f"{key.rsplit('.', 1)[-1]}={one[key]}" for key in differing[:_MOST_KEYS] if key in one
        )
        for one in settings
    ]
    if not differing or len(set(labels)) == len(labels):
        return labels
    return [f"{text} #{number}".strip() for number, text in enumerate(labels, 1)]


def _flat(config: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, str]]:
    for key, value in config.items():
        if hasattr(value, "items"):
            yield from _flat(value, f"{before}{key}.")
        else:
            yield f"{before}{key}", str(value).lower() if isinstance(value, bool) else str(value)
