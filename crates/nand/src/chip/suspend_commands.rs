//! Suspension and resumption of array operations.
//!
//! # How
//! The suspend command is sent while the array works. On its arrival the array ends its current pulse and
//! stops, and the operation is saved. The die then executes other commands. After the resume command, the
//! array restarts, and the operation executes its remaining time.
//!
//! The event for the original end of a suspended operation stays in the event queue. It has no effect, since
//! the die stores the instant at which its operation really ends.

use venice_kernel::{SimSpan, SimTime};

use crate::geometry::{DieId, TransactionId};

use super::chips::Chips;
use super::die::{CommandPhase, Operation};
use super::suspended_operation::{SuspendEffect, restart, settle};
use super::suspension::SuspensionRule;

impl Chips {
    /// Returns the suspension rule of a die's current operation and the array time that remains after its current
    /// pulse; `None` if the operation cannot be suspended now.
    #[inline]
    pub fn may_yield(&self, die: DieId, now: SimTime) -> Option<(&SuspensionRule, SimSpan)> {
        let state = self.die(die);
        let rules = self.settings().suspension.as_ref()?;
        let yielding = rules.of(state.operation)?;
        let left = state.array_ends?.since(now);
        let left = left - yielding.rest_of_pulse(state.work.first, left);
        let is_over = state.has_parked || state.suspensions >= rules.most_times;
        (!is_over && yielding.is_worth_anything(left)).then_some((yielding, left))
    }

    /// Returns the rule that allows other commands during the suspended operation of a die. Returns `None` if
    /// the operation must be resumed first.
    #[inline]
    pub fn lets_pass(&self, die: DieId) -> Option<&SuspensionRule> {
        let rules = self.settings().suspension.as_ref()?;
        let parked = &self.parked[die.index()];
        let yielding = rules.of(parked.operation)?;
        (parked.commands < rules.most_commands).then_some(yielding)
    }

    /// Returns the transactions of the suspended operation of a die.
    #[inline]
    pub fn suspended(&self, die: DieId) -> &[TransactionId] {
        &self.parked[die.index()].batch
    }

    /// Returns the type of the suspended operation of a die (program or erase).
    #[inline]
    pub fn suspended_operation(&self, die: DieId) -> Operation {
        self.parked[die.index()].operation
    }

    /// Processes the arrival of a suspend or resume command.
    pub fn suspension_arrives(&mut self, die: DieId, now: SimTime) -> SuspendEffect {
        let Some(rules) = &self.settings.suspension else { return SuspendEffect::TooLate };
        let (state, parked) = (&mut self.dies[die.index()], &mut self.parked[die.index()]);
        match state.phase {
            CommandPhase::Suspending => settle(state, parked, rules, now),
            CommandPhase::Resuming => restart(state, parked, rules, now),
            _ => SuspendEffect::TooLate,
        }
    }
}
