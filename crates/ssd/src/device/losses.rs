//! Parts of the fabric that fail, and chips that are lost with them.
//!
//! # How
//! The fabric is told when something fails and when controllers know. A drive in degraded mode then gives up the chips that nobody
//! reaches: a transfer to or from one of them, but for what a path is still held for, ends at once with an error, and its die's array does
//! nothing for it.

use venice_kernel::{EventQueue, SimSpan, SimTime};

use crate::chip::{Carried, Operation};
use crate::fabric::{Delivery, DomainId, Fabric, FaultSettings, Offer, Transfer};
use crate::geometry::{ChipId, DieId, RequestId};
use crate::observe::Probe;

use super::{Device, Event};

venice_kernel::counters! {
    /// What came to nothing for the loss of chips.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct FailureCounters {
        /// Pages that were to be read from lost chips, for whomever.
        pub page_reads: u64,
        /// Pages that were to be programmed there.
        pub page_programs: u64,
    }
}

/// Chips that were given up in this run.
#[derive(Clone, Debug)]
pub(super) struct Losses {
    /// By chip.
    is_lost: Vec<bool>,
    /// Dies whose transfer comes to nothing at this instant.
    pending: Vec<DieId>,
    counters: FailureCounters,
}

impl<F: Fabric + ?Sized> Device<F> {
    /// Chips that were given up in this run.
    pub fn chips_lost(&self) -> Vec<ChipId> {
        let lost = self.losses.as_ref().map_or(&[][..], |losses| &losses.is_lost);
        (0..).map(ChipId).zip(lost).filter_map(|(chip, &is_lost)| is_lost.then_some(chip)).collect()
    }

    /// What came to nothing since.
    pub fn failures(&self) -> FailureCounters {
        self.losses.as_ref().map(|losses| losses.counters).unwrap_or_default()
    }

    /// What fails.
    pub const fn faults(&self) -> &FaultSettings {
        &self.faults
    }

    pub(super) fn schedule_faults(&self, future: &mut EventQueue<Event>) {
        if !self.faults.is_empty() && self.faults.at > SimTime::ZERO {
            future.schedule(self.faults.at, Event::Faults);
            future.schedule(self.faults.known_at(), Event::Faults);
        }
    }

    #[cold]
    pub(super) fn faults_due(&mut self, now: SimTime) {
        self.fabric.faults_due(now, &mut self.outbox);
        if now >= self.faults.known_at() && self.faults.degraded_mode && self.losses.is_none() {
            self.give_up_chips(now);
        }
        for domain in 0..self.arbiter.domains.len() as u32 {
            self.arbiter.wake(DomainId(domain));
        }
        self.outbox.woken.clear();
    }

    fn give_up_chips(&mut self, now: SimTime) {
        let is_lost: Vec<bool> =
            (0..self.geometry.array.chips()).map(|chip| !self.fabric.reaches(ChipId(chip))).collect();
        if !is_lost.contains(&true) {
            return;
        }
        let chips: Vec<ChipId> =
            (0..).map(ChipId).zip(&is_lost).filter_map(|(chip, &is_lost)| is_lost.then_some(chip)).collect();
        self.losses =
            Some(Box::new(Losses { is_lost, pending: Vec::new(), counters: FailureCounters::default() }));
        self.ftl.lose(&chips, now);
    }

    /// Whether a chip was given up.
    #[inline]
    pub(super) fn is_lost(&self, chip: ChipId) -> bool {
        self.losses.as_ref().is_some_and(|losses| losses.is_lost[chip.index()])
    }

    /// Whether nothing of a domain succeeds now. Where chips were given up, these do not wait for paths.
    #[inline]
    pub(super) fn takes_nothing(&self, domain: DomainId) -> bool {
        self.fabric.takes_nothing(domain) && self.losses.is_none()
    }

    /// Offers a transfer to the fabric; one of a lost chip is taken, and comes to nothing at once.
    #[inline]
    pub(super) fn offer_to_fabric(&mut self, transfer: &Transfer, now: SimTime) -> Offer {
        if self.losses.is_some() && self.is_lost(transfer.chip) && !self.fabric.holds_path(transfer.die) {
            if let Some(losses) = &mut self.losses {
                losses.pending.push(transfer.die);
            }
            return Offer::Accepted;
        }
        self.fabric.offer(transfer, now, &mut self.outbox)
    }

    /// Answers what came to nothing: transfers in an event of their own, as any that end, and writes that found no room.
    /// Whether there were such writes: others may go on.
    #[cold]
    pub(super) fn answer_lost(&mut self, now: SimTime, future: &mut EventQueue<Event>) -> bool {
        let Some(losses) = &mut self.losses else { return false };
        for die in losses.pending.drain(..) {
            future.schedule(now, Event::CameToNothing(die));
        }
        let mut some = false;
        while let Some(id) = self.ftl.next_failed_write() {
            some = true;
            self.probes.on_transaction_end(id, &self.ftl, now);
            if let Some(page) = self.ftl.give_up_write(id, now) {
                self.page_finished(&page, now, future);
            }
        }
        some
    }

    #[cold]
    pub(super) fn came_to_nothing(&mut self, die: DieId, now: SimTime, future: &mut EventQueue<Event>) {
        self.note_failures(die);
        self.chips.does_nothing(die);
        self.free_pins(die, now);
        let nothing = Delivery { die, path_wait: SimSpan::ZERO, hops: 0 };
        self.delivered(&nothing, now, future);
    }

    fn note_failures(&mut self, die: DieId) {
        let state = self.chips.die(die);
        let (carried, is_program) = (state.carried(), state.operation() == Operation::Program);
        let pages = match carried {
            Carried::Data => 1,
            Carried::Command if is_program => state.batch().len(),
            _ => 0,
        };
        let is_read = carried == Carried::Data;
        for place in 0..pages {
            self.ftl.note_failure(self.chips.die(die).batch()[place]);
        }
        if let Some(losses) = &mut self.losses {
            let count =
                if is_read { &mut losses.counters.page_reads } else { &mut losses.counters.page_programs };
            *count += pages as u64;
        }
    }

    /// A page of a request came to nothing: so does the request.
    #[cold]
    pub(super) fn page_failed(&mut self, id: RequestId) {
        self.host.fail(id);
    }
}
