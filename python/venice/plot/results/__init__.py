"""Pictures of stored results: reports, comparisons, sweeps, request logs.

Each kind of picture first creates a table, which is written next to the picture, and then draws
only this table.
"""

from venice.plot.results.bars import bar_table, draw_bar_table
from venice.plot.results.breakdown import breakdown_table, draw_breakdown_table
from venice.plot.results.cdf import cdf_table, draw_cdf_table
from venice.plot.results.chips import chips_table, draw_chips_table
from venice.plot.results.data_table import Table
from venice.plot.results.front import draw_front_table, front_table
from venice.plot.results.links import draw_links_table, links_table
from venice.plot.results.load import draw_load_table, load_table
from venice.plot.results.source import load_results, note_of_repeats
from venice.plot.results.tail import draw_tail_table, tail_table
from venice.report.grouping import Result

__all__ = [
    "Result",
    "Table",
    "bar_table",
    "breakdown_table",
    "cdf_table",
    "chips_table",
    "draw_bar_table",
    "draw_breakdown_table",
    "draw_cdf_table",
    "draw_chips_table",
    "draw_front_table",
    "draw_links_table",
    "draw_load_table",
    "draw_tail_table",
    "front_table",
    "links_table",
    "load_results",
    "load_table",
    "note_of_repeats",
    "tail_table",
]
