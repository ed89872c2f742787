//! From a host request to transactions.

use std::ops::Range;

use venice_kernel::SimTime;

use crate::accounting::StageClock;
use crate::geometry::{Lpn, Priority};

use super::Ftl;
use super::gathering::begin_gather;
use super::gathers::Wanted;
use super::initiator::{HostCommand, Initiator};
use super::locating::place_read;
use super::paging::look_up;
use super::placement::{follow_up_class, look_up_write};
use super::reads::{bytes_of, insert_read};
use crate::work::{Origin, Purpose, Transaction};

impl Ftl {
    /// Takes in a read of the host: one transaction for each page that it touches. Returns their number.
    pub fn accept_read(&mut self, command: &HostCommand, now: SimTime) -> u32 {
        let HostCommand { initiator, queue, .. } = *command;
        let Range { start, end } = command.range();
        each_piece(self, start, end, |ftl, lpn, mask| ftl.read_page(initiator, queue, lpn, mask, now))
    }

    /// Takes in a read of some sectors of one page.
    pub fn read_page(&mut self, initiator: Initiator, queue: u16, lpn: Lpn, sectors: u64, now: SimTime) {
        let clock = StageClock::start(now);
        let stream = self.space.stream_of_queue(queue);
        let Initiator { id, priority } = initiator;
        let id = insert_read(self, Purpose::HostRead(id), priority, stream, lpn, sectors, clock);
        if look_up(self, id, lpn, now) {
            place_read(self, id, lpn, now);
        }
    }

    /// Takes in a write of the host: one transaction for each page that it touches. Returns their number.
    pub fn accept_write(&mut self, command: &HostCommand, now: SimTime) -> u32 {
        let HostCommand { initiator: Initiator { id, priority }, queue, .. } = *command;
        let (origin, Range { start, end }) = (Origin::Request(id), command.range());
        each_piece(self, start, end, |ftl, lpn, mask| {
            ftl.write_page(origin, queue, priority, lpn, mask, now);
        })
    }

    /// Takes in a write of the host's queue `queue` of some sectors of one page.
    pub fn write_page(
        &mut self,
        origin: Origin,
        queue: u16,
        priority: Priority,
        lpn: Lpn,
        sectors: u64,
        now: SimTime,
    ) {
        let (plane, _) = self.translation.addresses.place(lpn);
        let priority = match origin {
            Origin::Cache(_) => follow_up_class(self, priority),
            Origin::Request(_) => priority,
        };
        let write = Transaction {
            priority,
            lane: self.queues.lane(priority),
            lpn: Some(lpn),
            sectors,
            bytes: bytes_of(sectors),
            stream: self.space.stream_of_queue(queue),
            ..Transaction::new(Purpose::HostWrite(origin), plane, StageClock::start(now))
        };
        let id = self.transactions.insert(write);
        if self.translation.lock(lpn, id) {
            look_up_write(self, id, lpn, now);
        }
    }

    /// Takes in a gather of the host, whose first operand is the sectors of the command: one result for each page that they touch.
    /// Returns their number.
    pub fn accept_gather(&mut self, command: &HostCommand, now: SimTime) -> u32 {
        let HostCommand { initiator, queue, .. } = *command;
        let Range { start, end } = command.range();
        let mut pages = 0;
        for (first, sectors) in self.translation.page_pieces(start, end) {
            let target = self.gathers.target_of(&self.translation, first);
            let wanted = Wanted { initiator, queue, first, sectors, target, since: now };
            if let Some(begins) = self.gathers.want(wanted) {
                begin_gather(self, &begins, now);
            }
            pages += 1;
        }
        pages
    }
}

/// Takes in the pieces that pages cut some sectors into. Returns their number.
fn each_piece(ftl: &mut Ftl, start: u64, end: u64, mut take_in: impl FnMut(&mut Ftl, Lpn, u64)) -> u32 {
    let mut pages = 0;
    for (lpn, mask) in ftl.translation.page_pieces(start, end) {
        take_in(ftl, lpn, mask);
        pages += 1;
    }
    pages
}
