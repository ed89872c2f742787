//! What the dies of a chip have in common: its pins, and how long it has been busy.

use venice_kernel::SimTime;

/// A chip, apart from its dies.
#[derive(Clone, Debug, Default)]
pub(super) struct Package {
    /// Whether a transfer to or from one of its dies is on the pins.
    pub pins_busy: bool,
    /// When the pins last became free.
    pub pins_free_since: SimTime,
    /// When one of its dies last became free.
    pub die_free_since: SimTime,
    /// Dies that are not idle.
    pub active_dies: u32,
    /// When the first of the active dies became so.
    pub active_since: SimTime,
}
