//! The start of a command: pages are given out, and the map changes.

use venice_kernel::{SimSpan, SimTime};

use crate::chip::{ArrayWork, Operation};
use crate::controller::{Command, Moving};
use crate::ftl::Pump;
use crate::geometry::{DieId, PlaneId, Ppn, TransactionId};
use crate::work::{PageState, Purpose, Transaction};

impl Pump {
    /// Starts a command that the fabric has accepted: its transactions leave their queue, pages to be
    /// programmed are given out. Returns how long the array will work.
    pub(in crate::ftl) fn start(&mut self, die: DieId, command: &Command, now: SimTime) -> ArrayWork {
        self.shared.stats.command_starts(command.operation, command.batch.len(), command.bytes);
        self.shared.queues.starts(die, &command.batch, &self.shared.transactions, self);
        command.batch.iter().fold(ArrayWork::default(), |work, &id| {
            self.shared.queues.leave(&mut self.shared.transactions, die, id, now);
            work.max(self.start_one(id, now))
        })
    }

    /// Starts the transaction of a page that goes from its register to another chip.
    pub(in crate::ftl) fn start_moving(
        &mut self,
        read: TransactionId,
        plane: PlaneId,
        now: SimTime,
    ) -> Moving {
        let (operation, id) = match self.reads.start_load(&mut self.shared, read) {
            Some(load) => (Operation::Combine, load),
            None => (Operation::Program, self.collector.start_copy(&mut self.shared, read, plane)),
        };
        Moving { operation, id, work: self.start_one(id, now) }
    }

    /// Ends the read of a page that has left its register for another chip.
    pub(in crate::ftl) fn copied(&mut self, read: TransactionId, now: SimTime) {
        let done = self.shared.transactions.remove(read);
        self.shared.stats.ended(read, &done);
        self.unpin(done.pinned(), done.plane, now);
    }

    fn start_one(&mut self, id: TransactionId, now: SimTime) -> ArrayWork {
        let &Transaction { purpose, page, .. } = self.shared.transactions.get(id);
        let first = match page {
            PageState::At { ppn, .. } => self.start_at(id, purpose, ppn),
            PageState::From(ppn) if purpose == Purpose::GcRead => self.sense(id, ppn),
            PageState::From(from) if self.collector.is_copyback() => {
                let first = self.sense(id, from);
                return ArrayWork { first, program: self.start_program(id, purpose, now) };
            }
            _ => self.start_program(id, purpose, now),
        };
        ArrayWork { first, program: SimSpan::ZERO }
    }

    /// Starts an operation on a page where it is.
    fn start_at(&mut self, id: TransactionId, purpose: Purpose, ppn: Ppn) -> SimSpan {
        match purpose {
            Purpose::OperandLoad(gather) => self.reads.gathers.combination_begins(gather),
            Purpose::OperandSense(gather) => {
                self.sense(id, ppn) + self.reads.gathers.combination_begins(gather)
            }
            Purpose::GcErase => {
                self.shared.stats.erase_begins(self.shared.geometry.block_of(ppn));
                self.flash.array.erase
            }
            _ => self.sense(id, ppn),
        }
    }

    fn sense(&mut self, id: TransactionId, ppn: Ppn) -> SimSpan {
        self.shared.stats.read_begins(self.shared.transactions.get(id), ppn);
        self.flash.array.read_of(self.shared.geometry.page_offset(ppn))
    }

    /// Starts the program of a write, which gets its page now unless it has one.
    fn start_program(&mut self, id: TransactionId, purpose: Purpose, now: SimTime) -> SimSpan {
        let ppn = match purpose {
            Purpose::GcWrite => self.collector.start_program(&mut self.shared, id),
            _ => self.shared.page_of_write(id),
        };
        self.run_tasks(now);
        if let (Purpose::MappingWrite, Some(page)) = (purpose, self.shared.transactions.get(id).lpn) {
            self.mapper.program_started(page);
        }
        self.shared.stats.program_starts(purpose, ppn, self.collector.is_copyback());
        self.shared.space.blocks.table.program_starts(self.shared.geometry.block_of(ppn));
        self.flash.array.program_of(self.shared.geometry.page_offset(ppn))
    }
}
