//! Implementation of [`CommandSource`], the controller's interface to the flash translation layer.

use std::ops::Range;

use venice_kernel::SimTime;
use venice_nand::chip::PageOperation;
use venice_nand::geometry::{ChipId, DieId, PlaneId, TransactionId};
use venice_nand::transactions::{Purpose, Transactions};

use crate::controller::queues::{all_readable, readable_beside};
use crate::controller::{Command, CommandSource, CopyDestination, SensedPage};

use super::Ftl;
use super::shared::Shared;

impl CommandSource for Ftl {
    #[inline]
    fn transactions(&self) -> &Transactions {
        &self.pump.shared.transactions
    }

    #[inline]
    fn transactions_mut(&mut self) -> &mut Transactions {
        &mut self.pump.shared.transactions
    }

    #[inline]
    fn next_ready_die(&mut self) -> Option<DieId> {
        self.pump.shared.queues.next_ready_die()
    }

    #[inline]
    fn has_ready_dies(&self) -> bool {
        self.pump.shared.queues.has_ready_dies()
    }

    #[inline]
    fn waits_for(&self, die: DieId) -> bool {
        self.pump.shared.queues.waits_for(die)
    }

    fn next_command(&mut self, dies: Range<u32>, command: &mut Command, now: SimTime) -> Option<DieId> {
        self.pump.next_readable(dies, all_readable, command, now)
    }

    #[inline]
    fn next_command_beside(
        &mut self,
        dies: Range<u32>,
        beside: &[TransactionId],
        command: &mut Command,
        now: SimTime,
    ) -> Option<DieId> {
        let units = self.pump.shared.units;
        self.pump.next_readable(dies, readable_beside(beside, units), command, now)
    }

    fn start(&mut self, die: DieId, command: &Command, now: SimTime, on_page: impl FnMut(PageOperation)) {
        self.pump.start(die, command, now, on_page);
    }

    #[inline]
    fn looks_everywhere(&self) -> bool {
        self.pump.shared.queues.looks_everywhere()
    }

    #[inline]
    fn has_stable_host_writes(&self) -> bool {
        self.pump.shared.queues.has_stable_host_writes()
    }

    #[inline]
    fn has_scrub(&self) -> bool {
        self.pump.scrub.is_some()
    }

    fn has_foreground(&self, die: DieId) -> bool {
        self.pump.shared.queues.has_foreground(die)
    }

    #[inline]
    fn have_come(&mut self) -> bool {
        self.pump.shared.queues.have_come()
    }

    #[inline]
    fn look_past(&mut self, dies: Range<u32>) {
        self.pump.shared.queues.look_past(dies, &self.pump.shared.transactions, &self.pump);
    }

    fn copy_destination(&mut self, read: TransactionId, can: impl Fn(DieId) -> bool) -> Option<PlaneId> {
        self.pump.collector.copy_destination(&self.pump.shared, read, can)
    }

    #[inline]
    fn gathers(&self) -> bool {
        self.pump.reads.gathers.have_begun()
    }

    fn operand_target(&self, read: TransactionId) -> Option<PlaneId> {
        match self.pump.shared.transactions.get(read).purpose {
            Purpose::OperandRead(gather) => Some(self.pump.reads.gathers.target(gather)),
            _ => None,
        }
    }

    fn operand_waits(&self, die: DieId) -> bool {
        self.pump.reads.gathers.operand_waits(|| !self.pump.shared.queues.waits_for(die))
    }

    fn gives_result(&self, id: TransactionId) -> bool {
        let Shared { transactions, members, .. } = &self.pump.shared;
        self.pump.reads.gathers.gives_result(transactions.get(id).purpose, 1 + members.count(id))
    }

    fn next_search_page(&mut self, die: DieId, now: SimTime) -> Option<(TransactionId, PageOperation)> {
        self.pump.next_search_page(die, now)
    }

    fn search_page_sensed(&mut self, id: TransactionId, now: SimTime) -> SensedPage {
        self.pump.search_page_sensed(id, now)
    }

    fn start_moving(&mut self, read: TransactionId, plane: PlaneId, now: SimTime) -> CopyDestination {
        self.pump.start_moving(read, plane, now)
    }

    fn copied(&mut self, read: TransactionId, now: SimTime) {
        self.pump.copied(read, now);
    }

    fn lose(&mut self, chips: &[ChipId], now: SimTime) {
        self.pump.lose(chips, now);
    }

    fn note_failure(&mut self, id: TransactionId) {
        self.pump.shared.transactions.get_mut(id).has_failed = true;
    }
}
