"""Interactive pages about runs: self-contained HTML files."""

from venice.view.page import page_of
from venice.view.sample import Sample

__all__ = ["Sample", "page_of"]
