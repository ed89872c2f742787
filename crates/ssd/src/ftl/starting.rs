//! What changes when a command starts: counters, pages that are given out, the map.

use venice_kernel::{SimSpan, SimTime};

use crate::chip::ArrayWork;
use crate::geometry::{DieId, Lpn, Ppn, TransactionId};

use super::Ftl;
use crate::controller::Command;
use crate::work::{Purpose, Transaction};

impl Ftl {
    /// The command was accepted by the fabric: its transactions leave their queue, pages to be
    /// programmed are given out. Returns how long the array will work.
    pub fn start(&mut self, die: DieId, command: &Command, now: SimTime) -> ArrayWork {
        self.books.command_starts(command.operation, command.batch.len(), command.bytes);
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
            (Purpose::HostWrite(_), _, Some(ppn)) if placed => self.program_started(purpose, ppn),
            (Purpose::HostWrite(_), Some(lpn), _) => {
                let ppn = self.give_host_page(id, lpn, now);
                self.program_started(purpose, ppn)
            }
            (Purpose::MappingWrite, Some(page), ppn) => {
                let given = ppn.unwrap_or_else(|| self.give_mapping_page(id, page, now));
                self.mapping_program_started(page);
                self.program_started(purpose, given)
            }
            (Purpose::GcWrite, Some(lpn), Some(from)) if self.settings.gc_copyback => {
                let first = self.read_time(id, from);
                let to = self.give_move_page(id, lpn, from, now);
                return ArrayWork { first, program: self.program_started(purpose, to) };
            }
            (Purpose::GcWrite, Some(lpn), Some(ppn)) => {
                let given = if placed { ppn } else { self.give_move_page(id, lpn, ppn, now) };
                self.program_started(purpose, given)
            }
            (Purpose::OperandLoad(gather), _, _) => self.combination_begins(gather),
            (Purpose::OperandSense(gather), _, Some(ppn)) => {
                self.read_time(id, ppn) + self.combination_begins(gather)
            }
            (Purpose::GcErase, _, _) => {
                if let Some(ppn) = ppn {
                    self.books.erase_begins(self.geometry.block_of(ppn));
                }
                self.flash.array.erase
            }
            (_, _, Some(ppn)) => self.read_time(id, ppn),
            _ => unreachable!("a transaction lacks its page: {:?}", self.transactions.get(id)),
        };
        ArrayWork { first, program: SimSpan::ZERO }
    }

    fn read_time(&mut self, id: TransactionId, ppn: Ppn) -> SimSpan {
        self.books.read_begins(self.transactions.get(id), ppn);
        self.flash.array.read_of(self.geometry.page_offset(ppn))
    }

    pub(super) fn remap(&mut self, lpn: Lpn, to: Ppn, now: SimTime) {
        let old = self.translation.map.remap(lpn, to);
        self.moved(lpn, old, to, now);
    }

    /// A logical page that was at `old`, if anywhere, is at `to` now.
    #[inline]
    pub(super) fn moved(&mut self, lpn: Lpn, old: Option<Ppn>, to: Ppn, now: SimTime) {
        let Some(old) = old else {
            if self.space.losses().is_some() {
                self.count_new_guest(lpn, to);
            }
            return;
        };
        self.space.blocks.invalidate(old);
        let plane = self.geometry.plane_of_page(old);
        // Room for translation pages is set aside once and for all.
        if !self.translation.is_translation_page(lpn) {
            self.count_guest(lpn, old, to);
            self.space.commit(&self.translation.addresses, lpn, plane, -1);
            if !self.settings.page_allocation.is_early() {
                self.place_waiting_write(lpn, now);
            }
        }
        if plane != self.geometry.plane_of_page(to) {
            // A plane that had nothing worth collecting may have now.
            self.collect_if_short(plane, now);
        }
    }

    /// The program of a page starts. Says how long it takes.
    fn program_started(&mut self, purpose: Purpose, ppn: Ppn) -> SimSpan {
        self.books.program_starts(purpose, ppn, self.settings.gc_copyback);
        self.space.blocks.block_mut(self.geometry.block_of(ppn)).started_programs += 1;
        self.flash.array.program_of(self.geometry.page_offset(ppn))
    }
}
