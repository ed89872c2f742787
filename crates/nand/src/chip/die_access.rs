//! Mutable access to a die and to the shared state of its chip. Both are looked up once per event.

use venice_kernel::SimTime;

use crate::geometry::{ChipId, TransactionId};

use super::die::{CommandPhase, DataConsumer, Die, DieTransfer, Operation};
use super::package::Package;
use super::steps::{BouncedTransfer, DepartedPage, EndedTransfer, IssuedCommand};
use super::suspended_operation::BouncedCommandState;

/// Mutable access to a die and its chip.
pub struct DieAccess<'a> {
    pub(super) state: &'a mut Die,
    pub(super) package: &'a mut Package,
}

impl DieAccess<'_> {
    /// Returns the state of the die.
    #[inline]
    pub const fn state(&self) -> &Die {
        self.state
    }

    /// Returns the shared state of the chip.
    #[inline]
    pub const fn package(&self) -> &Package {
        self.package
    }

    /// Returns the chip of the die.
    #[inline]
    pub const fn chip(&self) -> ChipId {
        self.state.chip
    }

    /// Returns the instant since which an idle die could have accepted a command, because the die and the
    /// chip's pins have been free.
    #[inline]
    pub fn ready_since(&self) -> SimTime {
        let Self { state, package } = self;
        let free = if package.one_at_a_time { state.since.max(package.die_free_since) } else { state.since };
        free.max(package.pins_free_since)
    }

    /// Returns the instant since which waiting data or a prepared command could have been sent, because the
    /// chip's pins have been free.
    #[inline]
    pub fn waits_since(&self) -> SimTime {
        self.state.since.max(self.package.pins_free_since)
    }

    /// Starts a command, which occupies the chip's pins. Returns true if other dies of the chip are active
    /// (interleaved command).
    pub fn issue(&mut self, command: &IssuedCommand<'_>, now: SimTime) -> bool {
        let Self { state, package } = self;
        debug_assert!(
            matches!(state.phase, CommandPhase::Idle | CommandPhase::Suspended),
            "{state:?} has a command"
        );
        package.pins_busy = true;
        // A die with a suspended operation is already active.
        let begins = !state.has_parked;
        let is_interleaved = begins && package.active_dies > 0;
        if begins {
            if package.active_dies == 0 {
                package.active_since = now;
            }
            package.active_dies += 1;
        }
        state.enter(CommandPhase::Commanding, now);
        state.operation = command.operation;
        // Copied element by element: there is usually only one, and a copy of the array would be a block
        // copy.
        state.batch.clear();
        state.batch.extend(command.batch.iter().copied());
        (state.wires, state.work) = (command.wires, command.work);
        (state.fed_by, state.conflicted) = (command.fed_by, command.conflicted);
        state.suspensions = 0;
        is_interleaved
    }

    /// Starts a transfer that continues an earlier command. The transfer occupies the chip's pins.
    pub fn sends(&mut self, sent: DieTransfer, conflicted: bool, now: SimTime) {
        let Self { state, package } = self;
        let phase = match sent {
            DieTransfer::Data if state.phase == CommandPhase::DataReadyBeforeNext => {
                CommandPhase::DataOutBeforeNext
            }
            DieTransfer::Data if state.phase == CommandPhase::ResultReady => CommandPhase::ResultOut,
            DieTransfer::Data => CommandPhase::DataOut,
            DieTransfer::FormedCommand => CommandPhase::Commanding,
            DieTransfer::Suspend => CommandPhase::Suspending,
            DieTransfer::Resume => CommandPhase::Resuming,
        };
        debug_assert!(state.phase.can_send(sent), "{sent:?} from {:?}", state.phase);
        package.pins_busy = true;
        if sent == DieTransfer::FormedCommand {
            package.formed_commands -= 1;
        }
        state.conflicted |= conflicted;
        state.enter(phase, now);
    }

    /// Ends a transfer, which frees the chip's pins. Returns a description of the transfer.
    #[inline]
    pub fn transfer_ends(&mut self, now: SimTime) -> EndedTransfer {
        let Self { state, package } = self;
        package.free_pins(now);
        let (conflicted, fed_by) = (std::mem::take(&mut state.conflicted), state.fed_by.take());
        EndedTransfer { carried: state.carried(), since: state.since, conflicted, fed_by }
    }

    /// Ends the transfer of a page to another chip, which frees the pins of the sending chip.
    #[inline]
    pub const fn copy_left(&mut self, now: SimTime) {
        self.package.free_pins(now);
    }

    /// Cancels a transfer for which the fabric found no path, and frees the chip's pins. Returns the content
    /// that now waits.
    pub fn bounces(&mut self, now: SimTime) -> BouncedTransfer {
        let Self { state, package } = self;
        package.free_pins(now);
        package.formed_commands += u32::from(state.phase == CommandPhase::Commanding);
        state.conflicted = true;
        let (phase, bounced) = match state.phase {
            CommandPhase::Commanding => (CommandPhase::CommandBounced, BouncedTransfer::Command),
            CommandPhase::DataOut => (CommandPhase::DataReady, BouncedTransfer::Data),
            CommandPhase::DataOutBeforeNext => (CommandPhase::DataReadyBeforeNext, BouncedTransfer::Data),
            CommandPhase::ResultOut => (CommandPhase::ResultReady, BouncedTransfer::SearchResult),
            phase @ (CommandPhase::ArrayBeforeNext | CommandPhase::DataReadyBeforeNext) => {
                (phase, BouncedTransfer::NextCommand)
            }
            CommandPhase::Suspending => {
                (CommandPhase::Array, BouncedTransfer::Suspension(BouncedCommandState::AtWork))
            }
            CommandPhase::Resuming => {
                (CommandPhase::Suspended, BouncedTransfer::Suspension(BouncedCommandState::Suspended))
            }
            _ => return BouncedTransfer::Suspension(BouncedCommandState::Ended),
        };
        state.enter(phase, now);
        bounced
    }

    /// Starts the array operation of a command that has arrived with its data. Returns the end of the
    /// operation.
    #[inline]
    pub fn array_begins(&mut self, now: SimTime) -> SimTime {
        let state = &mut *self.state;
        debug_assert_eq!(state.phase, CommandPhase::Commanding, "{:?}", state.chip);
        state.enter(CommandPhase::Array, now);
        let ends = now + state.work.first;
        state.array_ends = Some(ends);
        ends
    }

    /// Records that data in the page registers waits for a path. `turn` is its priority: its purpose, and the
    /// start of its wait.
    #[inline]
    pub fn register_full(&mut self, turn: (DataConsumer, SimTime), now: SimTime) {
        self.state.data_turn = turn;
        self.state.enter(CommandPhase::DataReady, now);
    }

    /// Removes the first page from the registers after its transfer. The next page, if there is one, waits
    /// for a path from `now` on.
    #[inline]
    pub fn page_left(&mut self, now: SimTime) -> DepartedPage {
        let state = &mut *self.state;
        let has_more = state.batch.len() > 1;
        let id = state.batch[0];
        if has_more {
            state.batch.remove(0);
            state.enter(CommandPhase::DataReady, now);
        } else {
            state.batch.clear();
        }
        // The result of a gather is sent by the die that combined the pages, not by one that read them.
        let read_on = (state.operation == Operation::Read).then_some(state.chip);
        DepartedPage { id, has_more, read_on }
    }

    /// Ends the current command of the die, which becomes idle or returns to its suspended operation. If the
    /// whole chip becomes idle, returns the instant at which it became active.
    #[inline]
    pub fn ends(&mut self, now: SimTime) -> Option<SimTime> {
        let Self { state, package } = self;
        package.active_dies -= u32::from(!state.has_parked);
        package.die_free_since = now;
        state.batch.clear();
        state.enter(if state.has_parked { CommandPhase::Suspended } else { CommandPhase::Idle }, now);
        (package.active_dies == 0).then_some(package.active_since)
    }

    /// Returns the unfinished transactions of the command.
    #[inline]
    pub fn batch(&self) -> &[TransactionId] {
        &self.state.batch
    }
}
