//! Two-pass programming: the second (fine) pass of each word line, and reads of word lines between both passes.
//!
//! # What it models
//! The first (coarse) pass of a word line stores its data only roughly, and the first pass of the next word
//! line disturbs it. The second pass of word line *n* therefore follows the first pass of word line *n* + 1, in
//! the order 0, 1, **0**, 2, **1**, 3, **2** and so on. Both passes need all data of the word line, which
//! crosses the channel twice. Until its second pass has ended, a word line is read from the controller's buffer.
//!
//! # How
//! [`Shared::queue_second_passes`] is called when a first pass starts. It queues the second pass that follows,
//! which the die serves before the next write ([`Purpose::SecondPass`]). The program order of the block
//! (`Block::ordered_programs`) lets the next first pass wait until this second pass has started. A block is a
//! candidate for garbage collection after its last second pass.
//!
//! # What is left out
//! A limit of the buffer. A capacitor must protect the buffer: a write ends with its first pass, and a loss of
//! power between the passes loses no data.
//!
//! # Source
//! US patent 11,837,277 (foggy and fine passes); US patent application 2024/0393977 (buffer between the passes)
//!
//! # Parameters
//! `flash.program_scheme`, `flash.t_prog_coarse_us`, `flash.t_prog_fine_us`

use venice_kernel::SimTime;
use venice_nand::chip::PageOperation;
use venice_nand::geometry::{Ppn, TransactionId};
use venice_nand::latency::StageClock;
use venice_nand::transactions::{PageState, Purpose, Transaction};

use super::pump::Pump;
use super::shared::Shared;
use super::tasks::Task;

impl Shared {
    /// Queues the second passes that must follow the first pass of the word line at `first`, which has
    /// started. They are the second pass of the previous word line and, if the block is full, the second pass
    /// of the word line at `first`.
    pub(super) fn queue_second_passes(&mut self, first: Ppn, now: SimTime) {
        let block = self.geometry.block_of(first);
        if self.space.blocks.is_slc(block) {
            return;
        }
        self.stats.first_pass_starts(self.units.slots_of_program(first));
        let (offset, count) = (self.geometry.page_offset(first), self.units.per_program());
        let before = (offset > 0).then(|| Ppn(first.0 - count));
        let own = (offset + count == self.geometry.pages_per_block).then_some(first);
        for word_line in before.into_iter().chain(own) {
            self.queue_second_pass(word_line, now);
        }
    }

    fn queue_second_pass(&mut self, word_line: Ppn, now: SimTime) {
        let plane = self.geometry.plane_of_page(word_line);
        let turn = self.space.blocks.program_ordered(plane, word_line);
        let page = PageState::Given { ppn: word_line, turn, waits_for_read: false };
        let bytes = self.units.per_program() * self.geometry.page_bytes;
        let pass = Transaction::new(Purpose::SecondPass, plane, StageClock::start(now));
        let id = self.transactions.insert(Transaction { page, bytes, ..pass });
        self.enqueue(id, now);
    }

    /// Ends the second pass of the word line at `first`.
    pub(super) fn second_pass_ended(&mut self, first: Ppn) {
        let plane = self.geometry.plane_of_page(first);
        self.space.blocks.program_ended(plane, first);
        self.stats.second_pass_ended(self.units.slots_of_program(first));
        self.check_free_blocks(plane);
    }

    /// Returns true if the second pass of a word line has not ended, so that the page `ppn` is read from the
    /// controller's buffer.
    #[inline]
    pub(super) fn is_between_passes(&self, ppn: Ppn) -> bool {
        self.has_two_passes && self.lacks_second_pass(ppn)
    }

    #[cold]
    fn lacks_second_pass(&self, ppn: Ppn) -> bool {
        let block = self.geometry.block_of(ppn);
        let state = &self.space.blocks.table[block];
        let is_full = state.written == self.geometry.pages_per_block;
        // The last word line of an open block waits for the next one. Another one waits while programs are in
        // flight.
        let word_lines = match (is_full, state.pending_programs > 0) {
            (true, false) => 0,
            (false, false) => 1,
            (_, true) => 2,
        };
        let waiting = word_lines * self.units.per_program();
        self.geometry.page_offset(ppn) + waiting >= state.written && !self.space.blocks.is_slc(block)
    }

    /// Serves a read of the page `ppn` from the controller's buffer. Returns false for a read whose data is
    /// needed on its chip.
    pub(super) fn read_from_buffer(&mut self, id: TransactionId, ppn: Ppn) -> bool {
        let read = self.transactions.get_mut(id);
        if read.purpose.needs_its_chip() {
            return false;
        }
        read.page = PageState::At { ppn, is_pinned: true };
        self.stats.buffer_read();
        self.space.blocks.table.pin(self.geometry.block_of(ppn));
        self.tasks.push(Task::EndRead(id));
        true
    }
}

impl Pump {
    /// Ends the reads that the controller's buffer has served. Such reads end only when no task is left,
    /// since a translation page may be read while transactions that waited for another one continue.
    pub(super) fn end_buffer_reads(&mut self, now: SimTime) {
        while let Some(id) = self.shared.ended_reads.pop_front() {
            self.fail_where_unreadable(id);
            self.finish_joined(id, now);
            self.run_tasks(now);
        }
    }

    /// Starts the second pass of a word line. Returns its array operation.
    pub(super) fn start_second_pass(&mut self, id: TransactionId) -> PageOperation {
        let first = self.shared.transactions.get(id).ppn().expect("a second pass has a page");
        let pages = self.shared.units.pages_of_program();
        self.shared.stats.second_pass_starts(pages);
        self.shared.space.blocks.table.program_starts(self.shared.geometry.block_of(first));
        PageOperation::ProgramFine { pages }
    }
}
