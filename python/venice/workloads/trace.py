"""Base class of traces described in Python; the keywords are generated."""

from __future__ import annotations

import os
from dataclasses import fields
from typing import TYPE_CHECKING, Any, ClassVar

from venice.schema_classes import DescribedTrace
from venice.schema_classes.values import to_immutable

if TYPE_CHECKING:
    from dataclasses import Field


class TraceDescription(DescribedTrace):
    """Trace file with its reading options."""

    if TYPE_CHECKING:
        __dataclass_fields__: ClassVar[dict[str, Field[Any]]]
        path: str | os.PathLike[str]

    def __post_init__(self) -> None:
        for field in fields(self):
            object.__setattr__(self, field.name, to_immutable(getattr(self, field.name)))
        object.__setattr__(self, "path", os.fspath(self.path))

    def __repr__(self) -> str:
        assignments = (
            f"{key}={value!r}" for key, value in self.options().items() if key != "trace"
        )
        return f"Trace({', '.join([repr(self.path), *assignments])})"

    def label(self) -> str:
        """Return the path of the trace with its options."""
        assignments = (f"{key}={value}" for key, value in self.options().items() if key != "trace")
        return " ".join([str(self.path), *assignments])

    def options(self) -> dict[str, Any]:
        """Return the path and the options of the trace, as keywords of a run.

        Examples
        --------
        >>> import venice
        >>> venice.Trace("disk.csv", format="msr-csv").options()
        {'trace': 'disk.csv', 'format': 'msr-csv'}
        """
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        path = values.pop("path")
        return {"trace": path, **{key: value for key, value in values.items() if value is not None}}
