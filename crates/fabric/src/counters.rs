//! Counters that a fabric accumulates over a run.

use venice_kernel::SimSpan;

venice_kernel::counters! {
    /// Counters of a fabric. Figures of a single transfer are in [`Delivery`](crate::Delivery).
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct FabricCounters {
        /// Scouts sent, on fabrics that reserve paths by scouts.
        pub scouts: u64,
        /// Scouts that returned without a path.
        pub scout_failures: u64,
        /// Number of hops by which reserved paths exceed the shortest path, summed over paths.
        pub detour_hops: u64,
        /// Number of hops of scouts, counted forward, during backtracking, and on the way back along the
        /// reserved path.
        pub scout_hops: u64,
        /// Time for which paths carried data, summed over paths. A path of *n* links has *n* + 1 routers. The
        /// active time of all routers is therefore the sum of this time and the active time of links.
        pub paths_used: SimSpan,
        /// Time for which links carried data, summed over links. 0 for fabrics that reserve each link exactly
        /// while it carries data.
        pub links_crossed: SimSpan,
        /// Time for which the wires to second controller ports carried data. It is counted as link time, but
        /// these wires have no additional router.
        pub port_wires_crossed: SimSpan,
        /// Time for which paths were held without carrying data, summed over the paths that
        /// [`Fabric::path_busy`] lists.
        pub paths_kept: SimSpan,
    }
}
