# %% [markdown]
# # A real trace
#
# This notebook shows the content of a trace, the meaning of its times, and the part of its latency that a fabric can change. The trace is a recording
# of [SQLite](https://github.com/venice-ssd/venice/tree/main/conformance/traces/recorded); set `VENICE_TRACE` to run the notebook on a trace of your own.
#
# ## Look at it first

# %%
import os
from pathlib import Path

import venice
from venice import plot

recorded = "conformance/traces/recorded/sqlite.log"
here = Path.cwd()
root = next((one for one in (here, *here.parents) if (one / recorded).exists()), here)
trace = Path(os.environ.get("VENICE_TRACE", root / recorded))
info = venice.trace_info(trace, drive=venice.Drive("venice-performance"))
print(
    f"{info['requests']:,} requests in {info['duration_us'] / 1e6:.2f} s, format {info['format']}"
)
print(f"{info['read_pct']:.0f} % reads, {info['mean_size_kib']:.1f} KiB on average")
print(f"{info['footprint_mib']:.1f} MiB accessed")

# %%
plot.draw_trace(info, trace.name)

# %% [markdown]
# A coefficient of variation of the gaps above 1, and an index of dispersion that rises with the window, mean bursts. Gaps of exactly zero are often a
# matter of the clock's resolution, not of the program.

# %%
gaps = info.get("inter_arrival")
if gaps is not None:
    print(
        f"gaps of zero: {gaps['zero_pct']:.1f} %, variation {gaps['coefficient_of_variation'] or 0:.2f}"
    )
for window in info.get("dispersion", []):
    print(f"windows of {window['window_us']:>9,} µs: index of dispersion {window['index']:.1f}")

# %% [markdown]
# ## At its own pace
#
# The trace has two files, a database and its journal. Each gets an address range of its own (`devices`). Most published traces were recorded on slower disks. At their own pace a modern drive is idle most of the time, and fabrics hardly differ.

# %%
read = venice.Trace(trace, devices="side-by-side")
rows = venice.compare(trace=read, fabrics=["bus", "pssd", "venice", "ideal"])
rows

# %%
report = rows[0]
print(f"chips busy {report.utilisation.chip_pct:.1f} % of the time")

# %% [markdown]
# ## Faster
#
# `rate_scale` divides all gaps. A report states whether the drive kept up: past saturation, latencies tell the length of the run, not the drive.

# %%
for scale in (1, 4, 16, 64, 256):
    run = venice.run(trace=read, fabric="bus", rate_scale=scale)
    state = "saturated" if run.demand.saturated else "keeps up"
    p99_us = run.latency_us.all.p99
    print(f"rate × {scale:>2}: p99 {p99_us:>9,.1f} µs, {state}")

# %% [markdown]
# ## Intervals
#
# A trace has no randomness, so other seeds give equal runs. With `trace_resample="offset"`, each seed begins the trace at another random time, and the
# spread over seeds is an interval.

# %%
both = venice.compare(
    trace=read,
    fabrics=["bus", "venice"],
    rate_scale=4,
    trace_resample="offset",
    seeds=5,
)
both

# %%
plot.draw(both, "bars", of="latency_us.all.mean", baseline="bus")

# %% [markdown]
# The command line does the same: `venice trace info FILE --plot trace.png`, `venice figure load-tail --trace FILE -o load.pdf`.
