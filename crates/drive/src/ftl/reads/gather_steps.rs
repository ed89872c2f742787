//! Steps of a gather: operands are read, moved to the target chip and combined there.

use venice_kernel::SimTime;
use venice_nand::geometry::{GatherId, Lpn, Ppn, TransactionId};
use venice_nand::latency::{Stage, StageClock};
use venice_nand::transactions::{PageState, Purpose, Transaction};

use crate::ftl::shared::Shared;
use crate::ftl::space::Space;
use crate::ftl::stats::OperandWay;

use super::errors::SensedPage;
use super::gathers::{Operands, PendingGather, SensedOperand};
use super::{PageRead, Reads};

/// Gather (operation on pages of several chips) at its start, with the pages to be read.
#[derive(Clone, Debug)]
pub(in crate::ftl) struct StartedGather {
    /// Pages to be read for the gather.
    pub(in crate::ftl) operands: Operands,
    id: GatherId,
    wanted: PendingGather,
}

impl Reads {
    /// Starts a gather whose target chip is free. Returns its operands, which must then be read.
    pub(in crate::ftl) fn begin_gather(
        &mut self,
        shared: &mut Shared,
        wanted: &PendingGather,
    ) -> StartedGather {
        let (id, operands) = self.gathers.begin(&shared.translation, wanted);
        shared.stats.gather_begins(operands.len() as u32);
        StartedGather { operands, id, wanted: *wanted }
    }

    /// Queues the read of an operand. An operand on the target chip may join a queued sensing operation of
    /// its gather.
    #[cold]
    pub(super) fn send_operand(
        &mut self,
        shared: &mut Shared,
        id: TransactionId,
        gather: GatherId,
        slot: Ppn,
        now: SimTime,
    ) {
        self.add_errors_of_operand(shared, id, gather, slot, now);
        if self.gathers.find(gather, shared.transactions.get_mut(id)) {
            shared.stats.operand_comes(OperandWay::InPlace, 0);
            let is_slc = shared.space.blocks.is_slc(self.geometry.block_of(slot));
            if let Some(lead) = self.gathers.join_sense(SensedOperand { id, slot, is_slc }) {
                return shared.join_sense(lead, id);
            }
        }
        shared.enqueue(id, now);
    }

    /// Adds the raw bit error rate of an operand to the error rate of its gather, if the drive has a model of
    /// read errors.
    fn add_errors_of_operand(
        &mut self,
        shared: &Shared,
        id: TransactionId,
        gather: GatherId,
        slot: Ppn,
        now: SimTime,
    ) {
        let Some(errors) = &self.errors else { return };
        let page = SensedPage::new(shared, slot, shared.transactions.get(id).pinned().is_none());
        self.gathers.add_errors(gather, page.is_slc, errors.rate(page, now));
    }

    /// Queues the transfer of an operand from a controller to the target die.
    pub(in crate::ftl) fn load_operand(
        &self,
        shared: &mut Shared,
        gather: GatherId,
        read: &Transaction,
        now: SimTime,
    ) {
        shared.stats.operand_comes(OperandWay::ByController, read.bytes);
        let id = self.insert_load(shared, gather, read);
        shared.enqueue(id, now);
    }

    /// Starts the copy of an operand from its page register to the target die. Returns the transaction at the
    /// target die, or `None` if `read` is not the read of an operand.
    pub(in crate::ftl) fn start_load(
        &self,
        shared: &mut Shared,
        read: TransactionId,
    ) -> Option<TransactionId> {
        let operand = *shared.transactions.get(read);
        let Purpose::OperandRead(gather) = operand.purpose else { return None };
        shared.stats.operand_comes(OperandWay::BetweenChips, operand.bytes);
        Some(self.insert_load(shared, gather, &operand))
    }

    fn insert_load(&self, shared: &mut Shared, gather: GatherId, read: &Transaction) -> TransactionId {
        let (purpose, plane) = (Purpose::OperandLoad(gather), self.gathers.target(gather));
        let page = read.ppn().map_or(PageState::Unknown, |ppn| PageState::At { ppn, is_pinned: false });
        shared.transactions.insert(Transaction { purpose, plane, page, ..*read })
    }
}

impl StartedGather {
    /// Creates the read of the logical page `lpn` as an operand of a gather. The read can start at `now`.
    pub(in crate::ftl) fn read_of(&self, lpn: Lpn, space: &Space, now: SimTime) -> PageRead {
        let PendingGather { initiator, queue, sectors, since, .. } = self.wanted;
        let mut clock = StageClock::start(since);
        clock.charge(Stage::ChipWait, now);
        let (purpose, stream) = (Purpose::OperandRead(self.id), space.stream_of_queue(queue));
        PageRead { purpose, priority: initiator.priority, stream, lpn, sectors, command_sectors: 0, clock }
    }
}
