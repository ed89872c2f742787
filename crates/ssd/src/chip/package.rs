//! What the dies of a chip have in common: its pins, and how long it has been busy.

use venice_kernel::SimTime;

/// A chip, apart from its dies.
#[derive(Clone, Debug, Default)]
pub struct Package {
    /// Whether its dies work one at a time.
    pub(super) one_at_a_time: bool,
    /// Whether a transfer to or from one of its dies is on the pins.
    pub(super) pins_busy: bool,
    /// When the pins last became free.
    pub(super) pins_free_since: SimTime,
    /// When one of its dies last became free.
    pub(super) die_free_since: SimTime,
    /// Dies that are not idle.
    pub(super) active_dies: u32,
    /// Dies whose formed command waits for a path: what is mostly none of a chip's is asked of the chip.
    pub(super) formed_commands: u32,
    /// When the first of the active dies became so.
    pub(super) active_since: SimTime,
}

impl Package {
    /// Whether a transfer to or from one of its dies is on the pins.
    #[inline]
    pub const fn pins_are_busy(&self) -> bool {
        self.pins_busy
    }

    /// Whether its dies work one at a time.
    #[inline]
    pub const fn works_one_at_a_time(&self) -> bool {
        self.one_at_a_time
    }

    /// Whether none of its dies has a command.
    #[inline]
    pub const fn is_at_rest(&self) -> bool {
        self.active_dies == 0
    }

    /// Whether the command that was formed for one of its dies waits for a path.
    #[inline]
    pub const fn has_formed_command(&self) -> bool {
        self.formed_commands > 0
    }

    #[inline]
    pub(super) const fn free_pins(&mut self, now: SimTime) {
        (self.pins_busy, self.pins_free_since) = (false, now);
    }
}
