"""Data sheets of simulated drives, as self-contained HTML files."""

from venice.sheet.page import sheet_of

__all__ = ["sheet_of"]
