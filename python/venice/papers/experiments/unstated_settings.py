"""Settings that the Venice paper does not state, as changes to a drive."""

from __future__ import annotations

HOLD_OPERATION = "fabric.hold=operation"
"""§4.2 reserves a path "for each I/O request", §6.5 counts requests; Figure 3 shows transfers."""

HOLD_REQUEST = "fabric.hold=request"
"""§4.2, §6.3 and §6.5 name I/O requests, which are reads and writes: programs hold paths, too."""

PLANES_FIRST = "ftl.allocation=PWCD"
WAYS_FIRST = "ftl.allocation=WPCD"
"""Consecutive pages on one channel: over planes and ways, or over ways and planes."""

SLOW_CHANNEL = "fabric.channel_rate_mb_per_s=1000"
"""§3.1 takes 4 µs for a transfer of 4 KB; Table 1 says 1.2 GB/s, which makes it 3.4 µs."""

NO_HOST_LIMIT = "host.link_rate_mb_per_s=unlimited"

BY_CHIP = ("fabric.pnssd.path_choice=by_chip", "fabric.pnssd.transfers_per_controller=1")
"""A fixed bus for each chip of pnSSD, and one transfer at a time for each controller."""

FREE_BUS = ("fabric.pnssd.path_choice=free", "fabric.pnssd.transfers_per_controller=2")

HOME = "fabric.nossd.controller=home"
POOLED = "fabric.nossd.controller=nearest_free"
RETRACE = "fabric.nossd.reply=retrace"
X_THEN_Y = "fabric.nossd.reply=x_then_y"
"""Routing of NoSSD's replies: back along the path of the command, or X first as for every packet.
"""

PACKETS = "fabric.nossd.switching=packets"
CIRCUITS = "fabric.nossd.switching=circuits"
COMMITTED = "fabric.nossd.switching=committed_circuits"
"""NoSSD with buffered routers, as in the paper, or with paths that are reserved as on Venice."""
