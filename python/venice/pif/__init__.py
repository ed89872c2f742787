"""Search of stored data: in the chips, in the controller, or by the host."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from venice.pif.report import SearchReport
from venice.pif.search import FileFound, Search, Unreadable

if TYPE_CHECKING:
    from venice.pif.filtered_table import TableFound, filter_table
    from venice.pif.sql import query_table

__all__ = [
    "FileFound",
    "Search",
    "SearchReport",
    "TableFound",
    "Unreadable",
    "filter_table",
    "query_table",
]

_HOMES = {
    "TableFound": "filtered_table",
    "filter_table": "filtered_table",
    "query_table": "sql",
}
"""Module of each name that is imported on first access (PEP 562). Text searches thus import no
libraries for tables."""


def __getattr__(name: str) -> Any:  # noqa: ANN401 any of the names above
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
