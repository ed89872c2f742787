"""Data sheets: self-contained HTML files about runs."""

from venice.sheet.page import sheet_of

__all__ = ["sheet_of"]
