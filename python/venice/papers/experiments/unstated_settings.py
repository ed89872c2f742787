"""Settings of the drive that the Venice paper does not state."""

from __future__ import annotations

HOLD_OPERATION = "fabric.hold=operation"
"""Path held for a whole read: §4.2 reserves a path "for each I/O request" and §6.5 counts requests,
while Figure 3 shows transfers."""

HOLD_REQUEST = "fabric.hold=request"
"""Path held for a whole request, as §4.2, §6.3 and §6.5 name I/O requests: programs hold paths,
too."""

PLANES_FIRST = "ftl.allocation=PWCD"
WAYS_FIRST = "ftl.allocation=WPCD"
"""Order of allocation that places consecutive pages on one channel, over ways first."""

SLOW_CHANNEL = "fabric.channel_rate_mb_per_s=1000"
"""Channel rate implied by the 4 µs that §3.1 assumes for 4 KB; Table 1 states 1.2 GB/s."""

NO_HOST_LIMIT = "host.link_rate_mb_per_s=unlimited"

BY_CHIP = ("fabric.pnssd.path_choice=by_chip", "fabric.pnssd.transfers_per_controller=1")
"""pnSSD with a fixed bus for each chip, and one transfer at a time for each controller."""

FREE_BUS = ("fabric.pnssd.path_choice=free", "fabric.pnssd.transfers_per_controller=2")

HOME = "fabric.nossd.controller=home"
POOLED = "fabric.nossd.controller=nearest_free"
RETRACE = "fabric.nossd.reply=retrace"
X_THEN_Y = "fabric.nossd.reply=x_then_y"
"""X-first routing of NoSSD's replies, as for every packet, instead of the command's path."""

PACKETS = "fabric.nossd.switching=packets"
CIRCUITS = "fabric.nossd.switching=circuits"
COMMITTED = "fabric.nossd.switching=committed_circuits"
"""NoSSD with paths that are reserved as on Venice, instead of the paper's buffered routers."""
