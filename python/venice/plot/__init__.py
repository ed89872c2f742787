"""Pictures drawn from results, so that each can be drawn again without a run."""

from venice.plot.compare import draw_comparison
from venice.plot.over_time import draw_over_time
from venice.plot.picture import Picture
from venice.plot.results.draw import draw
from venice.plot.save import PLOT_SUFFIXES, save
from venice.plot.schedule import draw_schedule
from venice.plot.trace import draw_trace

__all__ = [
    "PLOT_SUFFIXES",
    "Picture",
    "draw",
    "draw_comparison",
    "draw_over_time",
    "draw_schedule",
    "draw_trace",
    "save",
]
