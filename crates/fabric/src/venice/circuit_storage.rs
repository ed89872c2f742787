//! Storage of circuits that were reserved at one instant, until they are released. Module `circuit` writes
//! and releases them. While a scout searches, its path is stored in `scout_path` instead.

use venice_kernel::SimTime;

use crate::noc::{FreeLinks, PathLinks, Port};

/// Storage for the circuit of a controller.
#[derive(Clone, Debug)]
pub(super) struct CircuitStorage {
    /// Exit ports of the circuit towards the next router, in path order.
    pub(super) exits: Vec<Port>,
    pub(super) links: PathLinks,
    pub(super) since: SimTime,
    /// True while the circuit is reserved and has no rows in the tables of the routers.
    pub(super) is_there: bool,
}

impl CircuitStorage {
    /// Creates empty storage for a mesh with these links.
    pub(super) fn none(board: &FreeLinks) -> Self {
        Self { exits: Vec::new(), links: board.no_links(), since: SimTime::ZERO, is_there: false }
    }
}
