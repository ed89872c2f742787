//! Counters that a fabric accumulates over a run.

use venice_kernel::SimSpan;

venice_kernel::counters! {
    /// Counters of a fabric. The counts of single deliveries are in [`Delivery`](crate::Delivery).
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct FabricCounters {
        /// Scouts sent, on fabrics that reserve paths by scouts.
        pub scouts: u64,
        /// Scouts that returned without a path.
        pub scout_failures: u64,
        /// Number of hops of reserved paths in excess of the shortest path, summed over paths.
        pub detour_hops: u64,
        /// Hops of scouts: forward, backtracking, and back along the reserved path.
        pub scout_hops: u64,
        /// Time for which paths carried data, summed over paths of any length. A path of *n* links passes *n*
        /// + 1 routers, so the routers' active time is this time plus the links' active time.
        pub paths_used: SimSpan,
        /// Time for which links carried data, summed over links. Counted separately where links are reserved
        /// for longer than they carry data.
        pub links_crossed: SimSpan,
        /// Time for which wires to second controller ports carried data, counted as link time. These wires
        /// lead to no additional router.
        pub port_wires_crossed: SimSpan,
        /// Time for which paths were held without carrying data, summed over the paths that
        /// [`Fabric::path_busy`] lists.
        pub paths_kept: SimSpan,
    }
}
