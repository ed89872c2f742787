//! Loss of chips after failures in the fabric.
//!
//! # How
//! The fabric is notified of each failure, and later of its detection by the controllers. From then on, a
//! drive in degraded mode no longer uses the unreachable chips: transfers to or from them end at once with an
//! error, without an array operation. Transfers for which a path is still held are completed.
//!
//! # Parameters
//! `fabric.faults`

use venice_fabric::FaultSettings;
use venice_kernel::SimTime;
use venice_nand::geometry::{ChipId, DieId};

use super::{FlashEvent, FlashEventSink};

venice_kernel::counters! {
    /// Counters of operations that failed because chips were lost.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct FailureCounters {
        /// Number of failed page reads from lost chips, for any purpose.
        pub page_reads: u64,
        /// Number of failed page programs on lost chips.
        pub page_programs: u64,
    }
}

/// Chips that have been lost, and their transfers that have not failed yet.
#[derive(Clone, Debug)]
struct AbandonedChips {
    /// True for each lost chip.
    is_lost: Vec<bool>,
    /// Dies of lost chips whose transfer fails at the current instant.
    pending: Vec<DieId>,
    counters: FailureCounters,
}

/// Configured faults of the fabric, and the chips that become unreachable by these faults.
#[derive(Clone, Debug)]
pub struct Losses {
    faults: FaultSettings,
    given_up: Option<Box<AbandonedChips>>,
}

impl Losses {
    /// Creates the state before any failure of the fabric. `faults` are the configured faults.
    pub(super) const fn new(faults: FaultSettings) -> Self {
        Self { faults, given_up: None }
    }

    /// Returns the configured faults of the fabric.
    pub const fn faults(&self) -> &FaultSettings {
        &self.faults
    }

    /// Returns the chips that have been lost in this run.
    pub fn chips(&self) -> Vec<ChipId> {
        let lost = self.given_up.as_ref().map_or(&[][..], |given_up| &given_up.is_lost);
        (0..).map(ChipId).zip(lost).filter_map(|(chip, &is_lost)| is_lost.then_some(chip)).collect()
    }

    /// Returns the counters of failed operations.
    pub fn failures(&self) -> FailureCounters {
        self.given_up.as_ref().map(|given_up| given_up.counters).unwrap_or_default()
    }

    /// Schedules the events of the configured faults at the start of a run.
    pub fn schedule(&self, event_sink: &mut impl FlashEventSink) {
        if !self.faults.is_empty() && self.faults.at > SimTime::ZERO {
            event_sink.post(self.faults.at, FlashEvent::Faults);
            event_sink.post(self.faults.known_at(), FlashEvent::Faults);
        }
    }

    /// Stops using the chips that have become unreachable, once the controllers have detected the failure.
    /// Returns the newly lost chips.
    pub(super) fn give_up(
        &mut self,
        now: SimTime,
        chips: u32,
        reaches: impl Fn(ChipId) -> bool,
    ) -> Vec<ChipId> {
        let is_due = now >= self.faults.known_at() && self.faults.degraded_mode && self.given_up.is_none();
        let is_lost: Vec<bool> = (0..chips).map(|chip| is_due && !reaches(ChipId(chip))).collect();
        if is_lost.contains(&true) {
            let (pending, counters) = (Vec::new(), FailureCounters::default());
            self.given_up = Some(Box::new(AbandonedChips { is_lost, pending, counters }));
            return self.chips();
        }
        Vec::new()
    }

    /// Returns true if any chip is lost.
    #[inline]
    pub(super) const fn are_some(&self) -> bool {
        self.given_up.is_some()
    }

    #[inline]
    pub(super) fn is_lost(&self, chip: ChipId) -> bool {
        self.given_up.as_ref().is_some_and(|given_up| given_up.is_lost[chip.index()])
    }

    /// Records the failure of a transfer to or from a die of a lost chip.
    #[cold]
    pub(super) fn comes_to_nothing(&mut self, die: DieId) {
        if let Some(given_up) = &mut self.given_up {
            given_up.pending.push(die);
        }
    }

    /// Schedules the time-outs of failed transfers. A time-out is a separate event, like the end of any
    /// transfer.
    pub(super) fn end_pending(&mut self, now: SimTime, event_sink: &mut impl FlashEventSink) {
        let pending = self.given_up.as_mut().map(|given_up| given_up.pending.drain(..));
        for die in pending.into_iter().flatten() {
            event_sink.post(now, FlashEvent::CameToNothing(die));
        }
    }

    /// Adds `failures` to the counters of failed operations.
    pub(super) fn count(&mut self, failures: FailureCounters) {
        if let Some(given_up) = &mut self.given_up {
            given_up.counters.page_reads += failures.page_reads;
            given_up.counters.page_programs += failures.page_programs;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use venice_kernel::SimSpan;

    #[test]
    fn unreachable_chips_are_abandoned_once_after_detection() {
        let known = SimTime::ZERO + SimSpan::from_us(12);
        let faults = FaultSettings {
            at: SimTime::ZERO + SimSpan::from_us(10),
            detection: SimSpan::from_us(2),
            degraded_mode: true,
            ..FaultSettings::default()
        };
        let mut losses = Losses::new(faults);
        let reaches = |chip| chip != ChipId(2);
        let before = SimTime::from_ps(known.as_ps() - 1);
        assert_eq!(losses.give_up(before, 4, reaches), []);
        assert_eq!(losses.give_up(known, 4, reaches), [ChipId(2)]);
        assert!(losses.is_lost(ChipId(2)) && !losses.is_lost(ChipId(1)));
        assert_eq!(losses.give_up(known, 4, |_| false), [], "what is lost is lost");
        assert_eq!(losses.chips(), [ChipId(2)]);
    }
}
