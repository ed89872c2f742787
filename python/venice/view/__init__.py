"""A run to look into: one HTML file that needs no other and no network."""

from venice.view.page import page_of
from venice.view.sample import Sample

__all__ = ["Sample", "page_of"]
