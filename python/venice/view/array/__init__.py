"""Animation of the array on the page: chips, paths, scouts and circuits in a window of the run."""

from venice.view.array.content import MOST_SLICES, absence_of, array_of
from venice.view.array.window import window_of_slowest

__all__ = ["MOST_SLICES", "absence_of", "array_of", "window_of_slowest"]
