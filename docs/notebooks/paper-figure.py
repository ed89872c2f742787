# %% [markdown]
# # A paper's figure
#
# The figure of most papers on SSDs: tail latency over offered load, with intervals over seeds, in two columns of an IEEE paper. The guide to
# [figures of papers](../guide/figures.md) has the other nine recipes. The workload is synthetic.
#
# ## Request
#
# A request states fabrics, load, seeds and style. Here the runs are short; 20,000 measured requests are the default.

# %%
from tempfile import mkdtemp

from venice.figures import Bench, FigureRequest, Source, make
from venice.plot.print_style import print_style

request = FigureRequest(
    fabrics="bus,pssd,nossd,venice",
    sources=(Source(workload="poisson-read-4k"),),
    seeds=3,
    requests=2000,
    loads=6,
    style=print_style("ieee-2col"),
)

# %% [markdown]
# ## Runs and picture
#
# The bench executes the runs, in parallel, and keeps them in a store: after an interruption, or with another style, finished runs are not repeated.

# %%
store = mkdtemp()
bench = Bench(store, "load-tail")
figure = make("load-tail", request, bench)
figure

# %% [markdown]
# The table contains exactly the data of the picture.

# %%
figure.table

# %% [markdown]
# ## Is the difference significant?
#
# Runs of one seed have the same requests, so gains are compared seed by seed. The recipe `speedup` does this for several workloads.

# %%
speedup = make(
    "speedup",
    FigureRequest(
        fabrics="bus,pssd,venice",
        sources=(Source(workload="strided-read"), Source(workload="hm_0")),
        seeds=3,
        requests=2000,
        style=print_style("ieee-1col"),
    ),
    Bench(store, "speedup"),
)
speedup.picture

# %% [markdown]
# ## Files for the paper
#
# PDFs embed their fonts as TrueType and have the caption in their metadata. For a paper, use the command, whose metadata also names the command:
#
# ```
# venice figure load-tail --fabrics bus,pssd,nossd,venice --seeds 5 --style ieee-2col -o load-tail.pdf
# venice bundle artifact paper.sh
# ```
#
# [Bundles](../guide/artifacts.md) contain all that evaluators need to make the figures again.

# %%
from pathlib import Path

from venice.plot import save

path = Path(store, "load-tail.pdf")
with path.open("wb") as file:
    save(figure.picture, file, ".pdf")
print(f"{path.stat().st_size:,} bytes, Type 3 fonts: {b'/Type3' in path.read_bytes()}")
