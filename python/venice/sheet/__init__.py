"""A report to send: one HTML file that needs no other."""

from venice.sheet.page import sheet_of

__all__ = ["sheet_of"]
