//! A circuit that was laid at one instant.

use venice_kernel::SimTime;

use crate::fabric::noc::{Board, Port, Strand};

/// The circuit of a controller, or what room there is for one.
#[derive(Clone, Debug)]
pub(super) struct Laid {
    /// The ports by which it leaves one router after the other for the next one.
    pub(super) exits: Vec<Port>,
    pub(super) links: Strand,
    pub(super) since: SimTime,
    /// It was laid at one instant and is not given back, and this is all that is known of it.
    pub(super) is_there: bool,
}

impl Laid {
    /// None, in a mesh whose links are on this board.
    pub(super) fn none(board: &Board) -> Self {
        Self { exits: Vec::new(), links: board.no_links(), since: SimTime::ZERO, is_there: false }
    }
}
