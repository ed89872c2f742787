//! From a host request to transactions.

use venice_kernel::SimTime;

use crate::accounting::StageClock;
use crate::geometry::{Lpn, Priority};

use super::Ftl;
use super::gathering::begin_gather;
use super::gathers::Wanted;
use super::initiator::Initiator;
use super::locating::place_read;
use super::paging::look_up;
use super::placement::{follow_up_class, look_up_write};
use super::reads::{bytes_of, insert_read};
use crate::work::{Origin, Purpose, Transaction};

impl Ftl {
    /// Takes in a read of the host's queue `queue` of `sectors` sectors from `start` on: one transaction
    /// for each page it touches. Says how many.
    #[inline(always)]
    pub fn accept_read(
        &mut self,
        (request, queue): (Initiator, u16),
        (start, sectors): (u64, u32),
        now: SimTime,
    ) -> u32 {
        each_piece(self, (start, sectors), |ftl, lpn, mask| ftl.read_page((request, queue), lpn, mask, now))
    }

    /// Takes in a read of some sectors of one page.
    pub fn read_page(&mut self, (request, queue): (Initiator, u16), lpn: Lpn, sectors: u64, now: SimTime) {
        let clock = StageClock::start(now);
        let stream = self.space.stream_of_queue(queue);
        let purpose = (Purpose::HostRead(request.id), request.priority, stream);
        let id = insert_read(self, purpose, lpn, (sectors, bytes_of(sectors)), clock);
        if look_up(self, id, lpn, now) {
            place_read(self, id, lpn, now);
        }
    }

    /// Takes in a write, likewise.
    #[inline(always)]
    pub fn accept_write(
        &mut self,
        (request, queue): (Initiator, u16),
        (start, sectors): (u64, u32),
        now: SimTime,
    ) -> u32 {
        let of = (Origin::Request(request.id), queue, request.priority);
        each_piece(self, (start, sectors), |ftl, lpn, mask| ftl.write_page(of, lpn, mask, now))
    }

    /// Takes in a write of the host's queue `queue` of some sectors of one page.
    pub fn write_page(
        &mut self,
        (origin, queue, priority): (Origin, u16, Priority),
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

    /// Takes in a gather of the host's queue `queue`, whose first operand is `sectors` sectors from `start` on: one result for each page that
    /// they touch. Says how many.
    pub fn accept_gather(
        &mut self,
        (initiator, queue): (Initiator, u16),
        (start, sectors): (u64, u32),
        now: SimTime,
    ) -> u32 {
        let mut pages = 0;
        for (first, sectors) in self.translation.page_pieces(start, start + u64::from(sectors)) {
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

/// Takes in what some sectors are cut into, one piece after the other. Says how many.
#[inline(never)]
fn each_piece(
    ftl: &mut Ftl,
    (start, sectors): (u64, u32),
    mut take_in: impl FnMut(&mut Ftl, Lpn, u64),
) -> u32 {
    let mut pages = 0;
    for (lpn, mask) in ftl.translation.page_pieces(start, start + u64::from(sectors)) {
        take_in(ftl, lpn, mask);
        pages += 1;
    }
    pages
}
