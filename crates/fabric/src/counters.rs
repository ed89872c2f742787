//! Counters of a fabric.

use venice_kernel::SimSpan;

venice_kernel::counters! {
    /// Counters of a fabric beyond the fields of its deliveries.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct FabricCounters {
        /// Scouts sent (fabrics that reserve paths by scouts).
        pub scouts: u64,
        /// Scouts that returned without a path.
        pub scout_failures: u64,
        /// Hops of reserved paths beyond the shortest path, summed over paths.
        pub detour_hops: u64,
        /// Hops of scouts: forward, backtracking, and back along the reserved path.
        pub scout_hops: u64,
        /// Time for which paths were crossed, summed over paths regardless of length. A path of *n* links
        /// passes *n* + 1 routers, so router activity is this time plus the links' time.
        pub paths_used: SimSpan,
        /// Time for which links were crossed, summed over links; counted where links are reserved for longer
        /// than that.
        pub links_crossed: SimSpan,
        /// Time for which wires to second controller ports were crossed, in link equivalents; these wires end
        /// at no additional router.
        pub port_wires_crossed: SimSpan,
        /// Part of the busy time of paths in which they were held and idle, summed over the paths of
        /// [`Fabric::path_busy`].
        pub paths_kept: SimSpan,
    }
}
