//! What changes when a command starts: counters, pages that are given out, the map.

use venice_kernel::{SimSpan, SimTime};

use crate::chip::{ArrayWork, Operation};
use crate::geometry::{DieId, Lpn, Ppn, TransactionId};

use super::Ftl;
use crate::controller::queues::Command;
use crate::work::{Purpose, Transaction};

impl Ftl {
    /// The command was accepted by the fabric: its transactions leave their queue, pages to be
    /// programmed are given out. Returns how long the array will work.
    pub fn start(&mut self, die: DieId, command: &Command, now: SimTime) -> ArrayWork {
        let several = u64::from(command.batch.len() > 1);
        match command.operation {
            Operation::Read => {
                self.counters.read_commands += 1;
                self.counters.multiplane_reads += several;
            }
            Operation::Program => {
                self.counters.program_commands += 1;
                self.counters.multiplane_programs += several;
            }
            Operation::Copyback => {
                self.counters.read_commands += 1;
                self.counters.program_commands += 1;
                self.counters.multiplane_reads += several;
                self.counters.multiplane_programs += several;
            }
            Operation::Erase => {
                self.counters.erase_commands += 1;
                self.counters.multiplane_erases += several;
            }
            Operation::Combine => self.counters.read_commands += u64::from(command.bytes == 0),
        }
        self.queues.starts(die, &command.batch, &self.transactions, self);
        let mut work = ArrayWork::default();
        for &id in &command.batch {
            self.queues.leave(&mut self.transactions, die, id, now);
            work = work.max(self.start_one(id, now));
        }
        work
    }

    pub(super) fn start_one(&mut self, id: TransactionId, now: SimTime) -> ArrayWork {
        let Transaction { purpose, lpn, ppn, placed, .. } = *self.transactions.get(id);
        let first = match (purpose, lpn, ppn) {
            (Purpose::HostWrite(_), _, Some(ppn)) if placed => {
                self.counters.host_programs += 1;
                self.program_started(ppn)
            }
            (Purpose::HostWrite(_), Some(lpn), _) => {
                self.counters.host_programs += 1;
                let ppn = self.give_host_page(id, lpn, now);
                self.program_started(ppn)
            }
            (Purpose::MappingWrite, Some(page), ppn) => {
                let given = ppn.unwrap_or_else(|| self.give_mapping_page(id, page, now));
                self.mapping_program_started(page);
                self.program_started(given)
            }
            (Purpose::GcWrite, Some(lpn), Some(from)) if self.settings.gc_copyback => {
                self.counters.copybacks += 1;
                let first = self.read_time(from);
                let to = self.give_move_page(id, lpn, from, now);
                return ArrayWork { first, program: self.program_started(to) };
            }
            (Purpose::GcWrite, Some(lpn), Some(ppn)) => {
                let given = if placed { ppn } else { self.give_move_page(id, lpn, ppn, now) };
                self.program_started(given)
            }
            (Purpose::OperandLoad(gather), _, _) => self.combination_begins(gather),
            (Purpose::OperandSense(gather), _, Some(ppn)) => {
                self.audit_read_begins(id, ppn);
                self.read_time(ppn) + self.combination_begins(gather)
            }
            (Purpose::GcErase, _, _) => {
                self.audit_erase(ppn);
                self.flash.array.erase
            }
            (_, _, Some(ppn)) => {
                self.audit_read_begins(id, ppn);
                self.read_time(ppn)
            }
            _ => unreachable!("a transaction lacks its page: {:?}", self.transactions.get(id)),
        };
        ArrayWork { first, program: SimSpan::ZERO }
    }

    #[inline]
    fn audit_read_begins(&mut self, id: TransactionId, ppn: Ppn) {
        let Some(audit) = &mut self.audit else { return };
        let read = self.transactions.get(id);
        if read.pins_block || read.purpose == Purpose::GcRead {
            audit.read_begins(ppn);
        }
    }

    fn audit_erase(&mut self, page: Option<Ppn>) {
        if let (Some(audit), Some(ppn)) = (&mut self.audit, page) {
            audit.erase_begins(self.geometry.block_of(ppn));
        }
    }

    fn read_time(&mut self, ppn: Ppn) -> SimSpan {
        self.counters.reads += 1;
        self.flash.array.read_of(self.geometry.page_offset(ppn))
    }

    pub(super) fn remap(&mut self, lpn: Lpn, to: Ppn, now: SimTime) {
        let old = self.map.remap(lpn, to);
        self.moved(lpn, old, to, now);
    }

    /// A logical page that was at `old`, if anywhere, is at `to` now.
    #[inline]
    pub(super) fn moved(&mut self, lpn: Lpn, old: Option<Ppn>, to: Ppn, now: SimTime) {
        let Some(old) = old else {
            if self.has_lost_chips() {
                self.count_new_guest(lpn, to);
            }
            return;
        };
        self.blocks.invalidate(old);
        let plane = self.plane_of(old);
        // Room for translation pages is set aside once and for all.
        if !self.is_translation_page(lpn) {
            self.count_guest(lpn, old, to);
            self.commit(lpn, plane, -1);
            if !self.settings.page_allocation.is_early() {
                self.place_waiting_write(lpn, now);
            }
        }
        if plane != self.plane_of(to) {
            // A plane that had nothing worth collecting may have now.
            self.collect_if_short(plane, now);
        }
    }

    /// The program of a page starts. Says how long it takes.
    fn program_started(&mut self, ppn: Ppn) -> SimSpan {
        self.counters.programs += 1;
        self.blocks.block_mut(self.geometry.block_of(ppn)).started_programs += 1;
        if let Some(audit) = &mut self.audit {
            audit.program_started(ppn);
        }
        self.flash.array.program_of(self.geometry.page_offset(ppn))
    }
}
