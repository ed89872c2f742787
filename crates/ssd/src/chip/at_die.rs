//! A die and what it shares with the others of its chip, looked up once for all that an event does to them.

use venice_kernel::SimTime;

use crate::geometry::{ChipId, TransactionId};

use super::die::{DataFor, Die, Operation, Phase, Sent};
use super::package::Package;
use super::parked::Stayed;
use super::steps::{Bounced, Ended, Issue, PageLeft};

/// A die at its chip, for change.
pub struct AtDie<'a> {
    pub(super) state: &'a mut Die,
    pub(super) package: &'a mut Package,
}

impl AtDie<'_> {
    /// The die.
    #[inline]
    pub const fn state(&self) -> &Die {
        self.state
    }

    /// What its chip's dies share.
    #[inline]
    pub const fn package(&self) -> &Package {
        self.package
    }

    /// Its chip.
    #[inline]
    pub const fn chip(&self) -> ChipId {
        self.state.chip
    }

    /// Since when nothing but the path keeps it, if it is free, from taking its next command.
    #[inline]
    pub fn ready_since(&self) -> SimTime {
        let Self { state, package } = self;
        let free = if package.one_at_a_time { state.since.max(package.die_free_since) } else { state.since };
        free.max(package.pins_free_since)
    }

    /// Since when nothing but the path keeps what it has, its data or its formed command, from going out.
    #[inline]
    pub fn waits_since(&self) -> SimTime {
        self.state.since.max(self.package.pins_free_since)
    }

    /// Its command goes out, and keeps the chip's pins busy. Whether other dies of the chip work already.
    pub fn issue(&mut self, command: &Issue<'_>, now: SimTime) -> bool {
        let Self { state, package } = self;
        debug_assert!(matches!(state.phase, Phase::Idle | Phase::Suspended), "{state:?} has a command");
        package.pins_busy = true;
        // A die with a suspended operation is active all the while.
        let begins = !state.has_parked;
        let is_interleaved = begins && package.active_dies > 0;
        if begins {
            if package.active_dies == 0 {
                package.active_since = now;
            }
            package.active_dies += 1;
        }
        state.enter(Phase::Commanding, now);
        state.operation = command.operation;
        // One by one: mostly it is one, and copying arrays would call for a block of memory.
        state.batch.clear();
        state.batch.extend(command.batch.iter().copied());
        (state.wires, state.work) = (command.wires, command.work);
        (state.fed_by, state.conflicted) = (command.fed_by, command.conflicted);
        state.suspensions = 0;
        is_interleaved
    }

    /// Something goes out to it, or from it, and keeps the chip's pins busy.
    pub fn sends(&mut self, sent: Sent, conflicted: bool, now: SimTime) {
        let Self { state, package } = self;
        let phase = match sent {
            Sent::Data => Phase::DataOut,
            Sent::FormedCommand => Phase::Commanding,
            Sent::Suspend => Phase::Suspending,
            Sent::Resume => Phase::Resuming,
        };
        debug_assert!(state.phase.can_send(sent), "{sent:?} from {:?}", state.phase);
        package.pins_busy = true;
        if sent == Sent::FormedCommand {
            package.formed_commands -= 1;
        }
        state.conflicted |= conflicted;
        state.enter(phase, now);
    }

    /// A transfer of it has reached its end: the chip's pins are free. What it was.
    #[inline]
    pub fn transfer_ends(&mut self, now: SimTime) -> Ended {
        let Self { state, package } = self;
        package.free_pins(now);
        let (conflicted, fed_by) = (std::mem::take(&mut state.conflicted), state.fed_by.take());
        Ended { carried: state.carried(), since: state.since, conflicted, fed_by }
    }

    /// What it sent to another chip has come there: the chip's pins are free.
    #[inline]
    pub const fn copy_left(&mut self, now: SimTime) {
        self.package.free_pins(now);
    }

    /// A transfer of it has found no path after all: the chip's pins are free.
    pub fn bounces(&mut self, now: SimTime) -> Bounced {
        let Self { state, package } = self;
        package.free_pins(now);
        package.formed_commands += u32::from(state.phase == Phase::Commanding);
        state.conflicted = true;
        let (phase, bounced) = match state.phase {
            Phase::Commanding => (Phase::CommandBounced, Bounced::Command),
            Phase::DataOut => (Phase::DataReady, Bounced::Data),
            Phase::Suspending => (Phase::Array, Bounced::Suspension(Stayed::AtWork)),
            Phase::Resuming => (Phase::Suspended, Bounced::Suspension(Stayed::Suspended)),
            _ => return Bounced::Suspension(Stayed::Ended),
        };
        state.enter(phase, now);
        bounced
    }

    /// A command, with its data if it has any, has come: the array works. When it will be done.
    #[inline]
    pub fn array_begins(&mut self, now: SimTime) -> SimTime {
        let state = &mut *self.state;
        debug_assert_eq!(state.phase, Phase::Commanding, "{:?}", state.chip);
        state.enter(Phase::Array, now);
        let ends = now + state.work.first;
        state.array_ends = Some(ends);
        ends
    }

    /// Pages are in their registers, and wait for a path in this turn.
    #[inline]
    pub fn register_full(&mut self, turn: (DataFor, SimTime), now: SimTime) {
        self.state.data_turn = turn;
        self.state.enter(Phase::DataReady, now);
    }

    /// Data of the first page is where it was sent: the next page, if there is one, waits for a path from now on.
    #[inline]
    pub fn page_left(&mut self, now: SimTime) -> PageLeft {
        let state = &mut *self.state;
        let has_more = state.batch.len() > 1;
        let id = state.batch[0];
        if has_more {
            state.batch.remove(0);
            state.enter(Phase::DataReady, now);
        } else {
            state.batch.clear();
        }
        // What gathers give leaves the register of a die that combined it.
        let read_on = (state.operation == Operation::Read).then_some(state.chip);
        PageLeft { id, has_more, read_on }
    }

    /// It is done with its command: it may take another one, or go on with what it has put aside. Since when its chip was active,
    /// if it is so no more.
    #[inline]
    pub fn ends(&mut self, now: SimTime) -> Option<SimTime> {
        let Self { state, package } = self;
        package.active_dies -= u32::from(!state.has_parked);
        package.die_free_since = now;
        state.batch.clear();
        state.enter(if state.has_parked { Phase::Suspended } else { Phase::Idle }, now);
        (package.active_dies == 0).then_some(package.active_since)
    }

    /// The transactions of its command that are still to be finished.
    #[inline]
    pub fn batch(&self) -> &[TransactionId] {
        &self.state.batch
    }
}
