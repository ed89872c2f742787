# %% [markdown]
# # The first hour
#
# One drive, four fabrics, one change, one sweep. Every cell runs in seconds. The workloads are synthetic.
#
# ## Run a drive
#
# A run returns a report. At the end of a cell it is shown as a table of latencies and of the stages that they consist of.

# %%
import venice

report = venice.run(
    drive="venice-performance", fabric="bus", workload="strided-read", requests=5000
)
report

# %% [markdown]
# Figures are attributes with their names in the JSON report; editors complete them. `venice report explain latency_us.read.p99` explains one.

# %%
print(f"{report.iops:,.0f} requests/s, 99th percentile {report.latency_us.read.p99:.1f} µs")

# %% [markdown]
# ## Compare fabrics
#
# Four fabrics serve the same requests. The picture has the means and percentiles, the tail, and the stages of the mean.

# %%
from venice import plot

rows = venice.compare(
    drive="venice-performance",
    fabrics=["bus", "pssd", "venice", "ideal"],
    workload="strided-read",
    requests=5000,
)
rows

# %%
plot.draw_comparison(rows)

# %% [markdown]
# ## Explain the difference
#
# The stages of a latency add up to the whole, so the difference between two drives is the sum of the differences of stages.

# %%
bus, mesh = rows[0], rows[2]
for stage, mean_us in mesh.breakdown().items():
    gain_us = bus.breakdown()[stage] - mean_us
    if abs(gain_us) > 0.05:
        print(f"{stage:<14} {gain_us:+7.2f} µs shorter than on the bus")

# %% [markdown]
# ## Change the drive
#
# A drive is a preset or a file with changes. With slower chips, the fabric has less effect.

# %%
from venice.config import Flash

slow = venice.Drive("venice-performance", name="slow chips", flash=Flash(t_read_us=40))
venice.compare(
    drive=slow, fabrics=["bus", "venice", "ideal"], workload="strided-read", requests=5000
)

# %% [markdown]
# ## Sweep
#
# A sweep runs every combination of its axes, in parallel and resumably: a second execution of the cell finds all runs in the store.

# %%
from tempfile import mkdtemp

sweep = venice.Sweep.of(
    {"drive": "venice-performance", "workload": "random-read", "requests": 3000},
    [{"fabric": ["bus", "venice", "ideal"]}, {"closed_loop": [1, 4, 16, 64, 256]}],
    name="depths",
)
outcome = venice.run_sweep(sweep, mkdtemp())
outcome

# %%
plot.draw(outcome.results, "load", of="latency_us.all.p99")

# %% [markdown]
# The results are a frame for pandas, Polars, pyarrow or DuckDB.

# %%
table = outcome.frame.to_pandas()
table.pivot_table(index="closed_loop", columns="fabric", values="iops").round()

# %% [markdown]
# Next: [a paper's figure](paper-figure.ipynb), [a real trace](real-trace.ipynb), and [the guide](../guide/tutorial.md).
