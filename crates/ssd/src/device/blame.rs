//! Telling who looks closely behind whom requests wait.
//!
//! None of this is called where nobody does.

use venice_kernel::SimTime;

use crate::accounting::{Stage, StageClock};
use crate::fabric::Fabric;
use crate::ftl::{Finished, Ftl};
use crate::geometry::{ChipId, DieId, RequestId, TransactionId};
use crate::observe::{Recorder, Wait};
use venice_requests::Op;

use super::Device;

/// A die begins with a command of which this is the first transaction.
#[cold]
pub(super) fn note_beginning(
    recorder: &mut Recorder,
    ftl: &Ftl,
    (die, chip, first): (DieId, ChipId, TransactionId),
    now: SimTime,
) {
    if let Some(blame) = recorder.blame() {
        if blame.is_long(die) {
            blame.forget_before(die, ftl.oldest_wait().unwrap_or(now).min(now));
        }
        blame.die_is_taken(die, ftl.holder(first), now);
    }
    recorder.pins_are_taken((die, chip), now);
}

impl<F: Fabric + ?Sized> Device<F> {
    /// A die is free for a command.
    #[cold]
    pub(super) fn note_freedom(&mut self, die: DieId, now: SimTime) {
        if let Some(blame) = self.recorder.blame() {
            blame.die_is_free(die, now);
        }
    }

    /// A die goes on with what it had put aside.
    #[cold]
    pub(super) fn note_resumption(&mut self, die: DieId, now: SimTime) {
        let Some(&first) = self.chips.suspended(die).first() else { return };
        if let Some(blame) = self.recorder.blame() {
            blame.die_is_taken(die, self.ftl.holder(first), now);
        }
    }

    /// A transaction's wait for a chip ends, which was not ready before `ready`.
    #[cold]
    pub(super) fn note_wait(
        &mut self,
        (die, id): (DieId, TransactionId),
        (ready, is_data): (SimTime, bool),
        now: SimTime,
    ) {
        let Some(blame) = self.recorder.blame() else { return };
        if !self.ftl.is_waited_for(id) {
            return;
        }
        let no_room_until = self.ftl.no_room_until(id);
        let to = ready.max(no_room_until).min(now);
        let from = self.ftl.transactions.get(id).waits_since().min(to);
        blame.on_waited(id, &Wait { die, from, to, no_room_until, is_data });
    }

    /// A transaction is about to be over.
    #[cold]
    pub(super) fn note_end(&mut self, id: TransactionId) {
        if let Some(blame) = self.recorder.blame() {
            blame.transaction_ends(id, self.ftl.follower(id));
        }
    }

    /// What a transaction reads goes on as another one.
    #[cold]
    pub(super) fn note_passing_on(&mut self, read: TransactionId, to: TransactionId) {
        if let Some(blame) = self.recorder.blame() {
            blame.transaction_ends(read, Some(to));
        }
    }

    /// A page of a request is over.
    #[cold]
    pub(super) fn note_page(&mut self, request: RequestId, page: &Finished) {
        let is_write = self.host.request(request).host.op == Op::Write;
        if let Some(blame) = self.recorder.blame() {
            blame.page_ends(request, is_write, waited(&page.clock));
        }
    }

    /// A part of a request is over that flash had no part in.
    #[cold]
    pub(super) fn note_service_without_flash(&mut self, request: RequestId) {
        if let Some(blame) = self.recorder.blame() {
            blame.served_without_flash(request);
        }
    }
}

const fn waited(clock: &StageClock) -> venice_kernel::SimSpan {
    clock.spans[Stage::ChipWait as usize]
}
