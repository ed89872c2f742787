//! Suspending what a die's array does, and resuming it.
//!
//! # How
//! The command to suspend goes out while the array works; at its arrival the array comes to rest, and the operation is put aside.
//! Others pass; then the command to resume goes out, the array gets going, and does what was left.
//!
//! The end of an operation that was suspended stays among the events and finds itself void: the die says for which instant the
//! end is expected now.

use venice_kernel::{SimSpan, SimTime};

use crate::geometry::{DieId, TransactionId};

use super::chips::Chips;
use super::die::Phase;
use super::parked::{Arrived, restart, settle};
use super::suspension::Yielding;

impl Chips {
    /// The operation of a die that may be suspended for something, if there is one: how it gives way, and the array time that is
    /// left of it.
    #[inline]
    pub fn may_yield(&self, die: DieId, now: SimTime) -> Option<(&Yielding, SimSpan)> {
        let state = self.die(die);
        let rules = self.settings().suspension.as_ref()?;
        let yielding = rules.of(state.operation)?;
        let left = state.array_ends?.since(now);
        let is_over = state.has_parked || state.suspensions >= rules.most_times;
        (!is_over && yielding.is_worth_anything(left)).then_some((yielding, left))
    }

    /// How the suspended operation of a die lets commands pass, if it has room for more.
    #[inline]
    pub fn lets_pass(&self, die: DieId) -> Option<&Yielding> {
        let rules = self.settings().suspension.as_ref()?;
        let parked = &self.parked[die.index()];
        let yielding = rules.of(parked.operation)?;
        (parked.commands < rules.most_commands).then_some(yielding)
    }

    /// The transactions of the suspended operation of a die.
    #[inline]
    pub fn suspended(&self, die: DieId) -> &[TransactionId] {
        &self.parked[die.index()].batch
    }

    /// A command to suspend or to resume has arrived.
    pub fn suspension_arrives(&mut self, die: DieId, now: SimTime) -> Arrived {
        let Some(rules) = &self.settings.suspension else { return Arrived::TooLate };
        let (state, parked) = (&mut self.dies[die.index()], &mut self.parked[die.index()]);
        match state.phase {
            Phase::Suspending => settle(state, parked, rules, now),
            Phase::Resuming => restart(state, parked, rules, now),
            _ => Arrived::TooLate,
        }
    }
}
