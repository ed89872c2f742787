//! Cache operations (cache program, cache read): the next command of a die is sent while the current one is
//! in progress.
//!
//! # How
//! A busy die can receive one further command. While the array programs, this must be a program. While read
//! data waits in the register, it must be a read. The idle dies of a chip are served before its busy ones.
//! When the current command ends, the next command becomes the current one and continues from the step it has
//! reached. Drives without cache operations do not use this module.
//!
//! # Parameters
//! `flash.cache_program`, `flash.cache_read`

use std::ops::Range;

use arrayvec::ArrayVec;
use venice_fabric::{Delivery, Fabric, Offer};
use venice_kernel::SimTime;
use venice_nand::chip::{NextCommandStep, Operation};
use venice_nand::geometry::{DieId, TransactionId};

use crate::observe::{CommandStart, Departure, Probe};

use super::commands::{CommandFilter, CommandSearchResult};
use super::dies::{Dies, NextStep, becomes_free, finish_batch};
use super::transfers::charge_wait;
use super::{Command, CommandSource, FailureCounters, FlashEvent, FlashEventSink, UpperLayer, data_for};

/// Largest number of dies of a chip (`flash.dies_per_chip`).
const MAX_DIES: usize = 16;

impl<F: Fabric + ?Sized> Dies<F> {
    /// Offers the fabric a further command for one of a chip's busy dies. The dies are tried in the order in
    /// which their arrays become free.
    #[cold]
    pub(super) fn offer_next_commands<A: UpperLayer>(
        &mut self,
        of_chip: Range<u32>,
        which: CommandFilter,
        upper_layer: &mut A,
        now: SimTime,
    ) -> CommandSearchResult {
        let mut in_order: ArrayVec<_, MAX_DIES> =
            of_chip.map(|die| (self.chips.array_ends_at(DieId(die)), DieId(die))).collect();
        in_order.sort_unstable();
        in_order
            .into_iter()
            .map(|(_, die)| self.offer_next_command(die, which, upper_layer, now))
            .find(|tried| *tried != CommandSearchResult::HasNone)
            .unwrap_or(CommandSearchResult::HasNone)
    }

    /// Offers the next command of a busy die, if it may be sent before the current command ends.
    fn offer_next_command<A: UpperLayer>(
        &mut self,
        die: DieId,
        which: CommandFilter,
        upper_layer: &mut A,
        now: SimTime,
    ) -> CommandSearchResult {
        let (operation, chip) = (self.chips.die(die).operation(), self.chips.die(die).chip());
        // A gather's page may have to wait in its register until its target is free, and must not delay a next
        // command.
        if !self.chips.accepts_next(die, operation) || upper_layer.command_source().gathers() {
            return CommandSearchResult::HasNone;
        }
        let mut command = Command::unformed();
        let source = upper_layer.command_source_mut();
        let found = source.next_command(die.0..die.0 + 1, &mut command, now);
        if found.is_none() || command.operation != operation {
            return CommandSearchResult::HasNone;
        }
        let all = upper_layer.command_source().transactions();
        if which.excludes(command.bytes, command.batch[0], all) {
            return CommandSearchResult::PassedOver { is_host_write: false };
        }
        let offer = self.offer_command(die, chip, &command, upper_layer.command_source(), now);
        if offer == Offer::Accepted {
            self.issue_next(die, &command, upper_layer, now);
        }
        CommandSearchResult::Offered(offer)
    }

    /// Starts the transfer of a busy die's next command, which the fabric has accepted.
    fn issue_next<A: UpperLayer>(
        &mut self,
        die: DieId,
        command: &Command,
        upper_layer: &mut A,
        now: SimTime,
    ) {
        let chip = self.chips.die(die).chip();
        let issue = self.start_command(die, chip, command, upper_layer, now);
        let is_interleaved = self.chips.issue_next(die, &issue, now);
        let (operation, batch, work) = (issue.operation, issue.batch, issue.work);
        let (probes, reasons) = upper_layer.observed();
        let start = CommandStart { die, chip, operation, batch, work, is_interleaved, is_next: true };
        probes.on_command(&start, reasons, now);
    }

    /// Processes the arrival of a next command at its die, together with its data if it is a program.
    #[cold]
    pub(super) fn next_command_has_come<A: UpperLayer>(
        &mut self,
        delivery: &Delivery,
        upper_layer: &mut A,
        now: SimTime,
        event_sink: &mut A::EventSink,
    ) -> NextStep {
        let die = delivery.die;
        let all = upper_layer.command_source_mut().transactions_mut();
        for &id in self.chips.next_batch(die) {
            all.get_mut(id).charge_transfer(delivery.path_wait, now);
        }
        if let Some(ends) = self.chips.next_arrives(die, now) {
            upper_layer.observed().0.on_array_begin(die, now);
            event_sink.post(ends, FlashEvent::ArrayDone(die));
        }
        NextStep::Nothing
    }

    /// Processes the arrival of a page from the cache register at a controller. The next read of the die may
    /// still be in progress.
    #[cold]
    pub(super) fn cached_page_has_come<A: UpperLayer>(
        &mut self,
        delivery: &Delivery,
        upper_layer: &mut A,
        now: SimTime,
        event_sink: &mut A::EventSink,
    ) -> NextStep {
        let die = delivery.die;
        let left = self.chips.at(die).page_left(now);
        let all = upper_layer.command_source_mut().transactions_mut();
        all.get_mut(left.id).charge_transfer(delivery.path_wait, now);
        upper_layer.page_arrived(left.id, left.read_on, now, event_sink);
        if left.has_more {
            self.chips.cached_data_wait(die, now);
            return NextStep::Data { is_served: true };
        }
        self.promote(die, upper_layer, now, event_sink)
    }

    /// Processes the end of a program on a die that has already received its next program.
    #[cold]
    pub(super) fn program_precedes_next<A: UpperLayer>(
        &mut self,
        die: DieId,
        upper_layer: &mut A,
        now: SimTime,
        event_sink: &mut A::EventSink,
    ) -> NextStep {
        finish_batch(self.chips.die(die), upper_layer, now, event_sink);
        self.promote(die, upper_layer, now, event_sink)
    }

    /// Makes the next command of a die the current one, after the current command has ended.
    fn promote<A: UpperLayer>(
        &mut self,
        die: DieId,
        upper_layer: &mut A,
        now: SimTime,
        event_sink: &mut A::EventSink,
    ) -> NextStep {
        let step = self.chips.promote(die, now);
        if step == NextCommandStep::Nothing {
            return becomes_free(&mut self.chips.at(die), die, upper_layer, now);
        }
        let first = self.chips.die(die).batch()[0];
        let (probes, reasons) = upper_layer.observed();
        probes.on_next_command(die, first, step == NextCommandStep::Sensing, reasons, now);
        match step {
            NextCommandStep::Nothing | NextCommandStep::Commanding => NextStep::Work,
            NextCommandStep::Begins(ends) => {
                for &id in self.chips.die(die).batch() {
                    charge_wait(Departure { die, id, ready: now, for_pins: false }, upper_layer, now);
                }
                upper_layer.observed().0.on_array_begin(die, now);
                event_sink.post(ends, FlashEvent::ArrayDone(die));
                NextStep::Work
            }
            NextCommandStep::Sensing => NextStep::Nothing,
            NextCommandStep::Sensed => self.data_is_cached(die, first, upper_layer.command_source(), now),
        }
    }

    /// Processes the move of a sensed page to the cache register, from which it is sent to a controller.
    fn data_is_cached(
        &mut self,
        die: DieId,
        first: TransactionId,
        command_source: &impl CommandSource,
        now: SimTime,
    ) -> NextStep {
        let first = command_source.transactions().get(first);
        let since = if self.data_by_age { first.requested_since() } else { now };
        self.chips.at(die).register_full((data_for(first), since), now);
        NextStep::Data { is_served: false }
    }

    /// Cancels the next command of a die whose chip was lost during the transfer of this command. If the
    /// command is a program, its transactions fail.
    #[cold]
    pub(super) fn next_comes_to_nothing<A: UpperLayer>(
        &mut self,
        die: DieId,
        upper_layer: &mut A,
        now: SimTime,
    ) {
        let batch = self.chips.next_batch(die);
        let (operation, planes) = (self.chips.die(die).operation(), batch.len() as u64);
        if operation == Operation::Program {
            for &id in batch {
                upper_layer.command_source_mut().note_failure(id);
            }
            self.paths.losses_mut().count(FailureCounters { page_reads: 0, page_programs: planes });
        }
        upper_layer.observed().0.on_void_command(operation, self.chips.next_work(die), planes, now);
        self.chips.next_does_nothing(die);
    }
}
