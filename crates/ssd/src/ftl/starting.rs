//! What changes when a command starts: counters, pages that are given out, the map.

use venice_kernel::{SimSpan, SimTime};

use crate::chip::ArrayWork;
use crate::geometry::{DieId, Lpn, Ppn, TransactionId};

use super::Ftl;
use crate::controller::Command;
use crate::work::{PageState, Purpose, Transaction};

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
        let &Transaction { purpose, page, .. } = self.transactions.get(id);
        let first = match page {
            PageState::At { ppn, .. } => self.start_at(id, purpose, ppn),
            PageState::From(ppn) if purpose == Purpose::GcRead => self.read_time(id, ppn),
            PageState::From(ppn) => return self.start_move(id, ppn, now),
            PageState::Given { ppn, .. } => self.start_program(id, Some(ppn), now),
            PageState::Unknown => self.start_program(id, None, now),
        };
        ArrayWork { first, program: SimSpan::ZERO }
    }

    /// What works on a page where it is.
    #[inline]
    fn start_at(&mut self, id: TransactionId, purpose: Purpose, ppn: Ppn) -> SimSpan {
        match purpose {
            Purpose::OperandLoad(gather) => self.combination_begins(gather),
            Purpose::OperandSense(gather) => self.read_time(id, ppn) + self.combination_begins(gather),
            Purpose::GcErase => {
                self.books.erase_begins(self.geometry.block_of(ppn));
                self.flash.array.erase
            }
            _ => self.read_time(id, ppn),
        }
    }

    /// The write of a move gets its page; a copyback reads the old one first.
    fn start_move(&mut self, id: TransactionId, from: Ppn, now: SimTime) -> ArrayWork {
        let lpn = self.transactions.get(id).lpn.expect("a moved page has a logical page");
        let sensing = self.settings.gc_copyback.then(|| self.read_time(id, from));
        let to = self.give_move_page(id, lpn, from, now);
        let program = self.program_started(Purpose::GcWrite, to);
        match sensing {
            Some(first) => ArrayWork { first, program },
            None => ArrayWork { first: program, program: SimSpan::ZERO },
        }
    }

    /// A write goes to the page that it was given, or else gets one now.
    #[inline]
    fn start_program(&mut self, id: TransactionId, given: Option<Ppn>, now: SimTime) -> SimSpan {
        let &Transaction { purpose, lpn, .. } = self.transactions.get(id);
        let lpn = lpn.expect("a write has a logical page");
        let is_of_map = purpose == Purpose::MappingWrite;
        let ppn = match given {
            Some(ppn) => ppn,
            None if is_of_map => self.give_mapping_page(id, lpn, now),
            None => self.give_host_page(id, lpn, now),
        };
        if is_of_map {
            self.mapping_program_started(lpn);
        }
        self.program_started(purpose, ppn)
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
