//! Shared state of a chip's dies: pins and activity.

use venice_kernel::SimTime;

/// Shared state of the dies of a chip.
#[derive(Clone, Debug, Default)]
pub struct Package {
    /// True if at most one of the chip's dies executes a command at a time.
    pub(super) one_at_a_time: bool,
    /// True if a transfer of one of the chip's dies occupies the pins.
    pub(super) pins_busy: bool,
    /// Instant at which the pins last became free.
    pub(super) pins_free_since: SimTime,
    /// Instant at which a die of the chip last became free.
    pub(super) die_free_since: SimTime,
    /// Number of the chip's dies that are not idle.
    pub(super) active_dies: u32,
    /// Number of the chip's dies with a prepared command that waits for a path. With this number, the
    /// states of the dies need not be read.
    pub(super) formed_commands: u32,
    /// Start of the period in which at least one die of the chip has been active.
    pub(super) active_since: SimTime,
}

impl Package {
    /// True if a transfer of one of the chip's dies occupies the pins.
    #[inline]
    pub const fn pins_are_busy(&self) -> bool {
        self.pins_busy
    }

    /// True if at most one of the chip's dies executes a command at a time.
    #[inline]
    pub const fn works_one_at_a_time(&self) -> bool {
        self.one_at_a_time
    }

    /// True if none of the chip's dies has a command.
    #[inline]
    pub const fn is_at_rest(&self) -> bool {
        self.active_dies == 0
    }

    /// True if a die of the chip has a prepared command that waits for a path.
    #[inline]
    pub const fn has_formed_command(&self) -> bool {
        self.formed_commands > 0
    }

    #[inline]
    pub(super) const fn free_pins(&mut self, now: SimTime) {
        (self.pins_busy, self.pins_free_since) = (false, now);
    }
}
