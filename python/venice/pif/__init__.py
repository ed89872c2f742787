"""Drives that search what they hold, in the chips, in the controller or by the host."""

from venice.pif.report import SearchReport
from venice.pif.search import FileFound, Search, Unreadable
from venice.pif.sql import query_table
from venice.pif.table import TableFound, filter_table

__all__ = [
    "FileFound",
    "Search",
    "SearchReport",
    "TableFound",
    "Unreadable",
    "filter_table",
    "query_table",
]
