//! Test bench for the data cache alone. The test acts as the host above the cache. [`MockLowerLayer`]
//! replaces the translation layer below it and only records requests: the test decides when flash completes a
//! write or returns a page.

use std::ops::Range;

use venice_kernel::{EventQueue, SimTime};
use venice_nand::geometry::{Lpn, Ppn, Priority, RequestId};
use venice_nand::transactions::Origin;

use crate::cache::{Cache, CacheEvent, CacheSettings, LowerLayer};
use crate::ftl::{FinishedPage, HostCommand, Initiator};
use crate::observe::Audit;

/// Request of the cache to the layer below, for one page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageCall {
    /// Time of the request.
    pub at: SimTime,
    /// Host request or destage for which the cache accesses the page.
    pub origin: Origin,
    /// Host queue of the request.
    pub queue: u16,
    /// Priority class of the request.
    pub priority: Priority,
    /// Logical page that is requested.
    pub lpn: Lpn,
    /// Bit mask of the requested sectors of the page.
    pub sectors: u64,
}

/// Mock of the layer below the cache, with one address range and pages of eight sectors.
#[derive(Clone, Debug)]
pub struct MockLowerLayer {
    pages: u64,
    /// Requested reads, in order.
    pub reads: Vec<PageCall>,
    /// Requested writes of pages from the cache, in order.
    pub writes: Vec<PageCall>,
    /// Writes that bypassed the cache, each with first sector and number of sectors.
    pub past: Vec<(u64, u32)>,
    /// Pages that the cache deallocated, completely or in part.
    pub trims: Vec<Lpn>,
    /// Result of `is_current`: true if a page read from flash is still the current version when its data
    /// arrives.
    pub is_current: bool,
    /// Result of `trims_parts`: true if trims of a part of a page deallocate the covered sectors.
    pub trims_parts: bool,
}

/// Number of sectors in a page of the bench.
pub const PAGE_SECTORS: u32 = 8;

impl LowerLayer for MockLowerLayer {
    fn sectors_per_page(&self) -> u32 {
        PAGE_SECTORS
    }

    fn sectors_per_bit(&self) -> u32 {
        1
    }

    fn address_ranges(&self) -> impl ExactSizeIterator<Item = Range<u64>> + '_ {
        std::iter::once(0..self.pages * u64::from(PAGE_SECTORS))
    }

    fn range_of(&self, _lpn: Lpn) -> usize {
        0
    }

    fn page_pieces(&self, start: u64, end: u64) -> impl Iterator<Item = (Lpn, u64)> + use<> {
        let per_page = u64::from(PAGE_SECTORS);
        (start / per_page..end.div_ceil(per_page)).map(move |page| {
            let within = |sector: u64| sector.clamp(page * per_page, (page + 1) * per_page) - page * per_page;
            let mask = |sectors: u64| (1 << sectors) - 1;
            (Lpn(page as u32), mask(within(end)) & !mask(within(start)))
        })
    }

    fn whole_parts(&self, range: Range<u64>) -> Range<u64> {
        range
    }

    fn is_current(&self, _read: &FinishedPage) -> bool {
        self.is_current
    }

    fn read_page(
        &mut self,
        request: Initiator,
        queue: u16,
        lpn: Lpn,
        sectors: u64,
        _since: SimTime,
        now: SimTime,
    ) {
        let origin = Origin::Request(request.id);
        self.reads.push(PageCall { at: now, origin, queue, priority: request.priority, lpn, sectors });
    }

    fn read_page_ahead(&mut self, queue: u16, priority: Priority, lpn: Lpn, sectors: u64, now: SimTime) {
        let origin = Origin::ReadAhead(queue);
        self.reads.push(PageCall { at: now, origin, queue, priority, lpn, sectors });
    }

    fn accept_write(&mut self, command: &HostCommand, _now: SimTime) -> u32 {
        let Range { start, end } = command.range();
        self.past.push((start, command.sectors));
        self.page_pieces(start, end).count() as u32
    }

    fn write_page(
        &mut self,
        origin: Origin,
        queue: u16,
        priority: Priority,
        lpn: Lpn,
        sectors: u64,
        now: SimTime,
    ) {
        self.writes.push(PageCall { at: now, origin, queue, priority, lpn, sectors });
    }

    fn queue_open_pages(&mut self, _now: SimTime) {}

    fn trims_parts(&self) -> bool {
        self.trims_parts
    }

    fn sectors_with_data(&self, _lpn: Lpn) -> u64 {
        u64::MAX
    }

    fn trim_page(&mut self, _request: RequestId, lpn: Lpn, _sectors: u64, _now: SimTime) -> bool {
        self.trims.push(lpn);
        false
    }

    fn write_at_once(&mut self, lpn: Lpn, sectors: u64) {
        let (origin, at) = (Origin::Request(RequestId(0)), SimTime::ZERO);
        self.writes.push(PageCall { at, origin, queue: 0, priority: Priority::default(), lpn, sectors });
    }

    fn audit_mut(&mut self) -> Option<&mut Audit> {
        None
    }
}

/// Test bench for a cache: a host and a lower layer that the test controls, and an event queue for the
/// cache's DRAM.
pub struct CacheBench {
    /// Cache under test.
    pub cache: Cache,
    /// Mock of the layer below the cache.
    pub below: MockLowerLayer,
    /// Parts of requests that the cache has completed, in order, each with its time.
    pub served: Vec<(SimTime, RequestId)>,
    future: EventQueue<CacheEvent>,
    requests: u32,
}

impl CacheBench {
    /// Creates an empty cache above `pages` pages.
    ///
    /// # Panics
    /// Panics if the settings contain no cache.
    pub fn new(settings: &CacheSettings, pages: u64) -> Self {
        let mut below = MockLowerLayer {
            pages,
            reads: Vec::new(),
            writes: Vec::new(),
            past: Vec::new(),
            trims: Vec::new(),
            is_current: true,
            trims_parts: false,
        };
        let cache = Cache::new(settings, &mut below).expect("the settings ask for a cache");
        Self { cache, below, served: Vec::new(), future: EventQueue::new(), requests: 0 }
    }

    /// Issues a host write of sectors at `at` on a host queue. Returns the request and the number of parts
    /// that it waits for.
    pub fn write(&mut self, queue: u16, sectors: Range<u64>, at: SimTime) -> (RequestId, u32) {
        let command = self.next_request(queue, &sectors, at);
        let parts = self.cache.accept_write(&command, false, &mut self.below, at);
        self.schedule();
        (command.initiator.id, parts)
    }

    /// Issues a host write with forced unit access at `at` on queue 0. Returns the request and the number of
    /// parts that it waits for.
    pub fn write_forced(&mut self, sectors: Range<u64>, at: SimTime) -> (RequestId, u32) {
        let command = self.next_request(0, &sectors, at);
        let parts = self.cache.accept_write(&command, true, &mut self.below, at);
        self.schedule();
        (command.initiator.id, parts)
    }

    /// Issues a flush at `at`. Returns the request and the number of parts that it waits for.
    pub fn flush(&mut self, at: SimTime) -> (RequestId, u32) {
        let command = self.next_request(0, &(0..0), at);
        let parts = self.cache.accept_flush(command.initiator.id, &mut self.below, at);
        self.schedule();
        (command.initiator.id, parts)
    }

    /// Issues a host read of sectors at `at` on a host queue. Returns the request and the number of parts
    /// that it waits for.
    pub fn read(&mut self, queue: u16, sectors: Range<u64>, at: SimTime) -> (RequestId, u32) {
        let command = self.next_request(queue, &sectors, at);
        let parts = self.cache.accept_read(&command, &mut self.below, at);
        self.schedule();
        (command.initiator.id, parts)
    }

    /// Reports the end of the flash write with the index `index` to the cache.
    ///
    /// # Panics
    /// Panics if the cache has not issued this write.
    pub fn flash_has(&mut self, index: usize, at: SimTime) {
        self.run_until(at);
        let Origin::Cache(destage) = self.below.writes[index].origin else { panic!("not the cache's") };
        self.cache.destage_ended(destage, &mut self.below, at);
        self.schedule();
    }

    /// Passes the page of the flash read with the index `index` to the cache.
    pub fn flash_gives(&mut self, index: usize, at: SimTime) {
        self.run_until(at);
        let PageCall { origin, lpn, sectors, queue, .. } = self.below.reads[index];
        let (ppn, conflicted, has_failed) = (Some(Ppn(lpn.0)), false, false);
        let page = FinishedPage { origin, lpn, sectors, ppn, conflicted, has_failed };
        match origin {
            Origin::ReadAhead(queue) => self.cache.read_ahead_finished(&page, queue, &mut self.below, at),
            _ => self.cache.read_finished(&page, queue, &mut self.below, at),
        }
        self.schedule();
    }

    /// Processes the events of the cache's DRAM up to `at`, inclusive.
    pub fn run_until(&mut self, at: SimTime) {
        while self.future.next_at().is_some_and(|next| next <= at) {
            let Some((now, event)) = self.future.pop() else { return };
            match event {
                CacheEvent::Served(request) => self.served.push((now, request)),
                CacheEvent::ReadOut(lane) => self.cache.read_out(lane, &mut self.below, now),
            }
            self.schedule();
        }
    }

    fn next_request(&mut self, queue: u16, sectors: &Range<u64>, at: SimTime) -> HostCommand {
        self.run_until(at);
        let id = RequestId(self.requests);
        self.requests += 1;
        let initiator = Initiator { id, priority: Priority::default(), sectors: 8 };
        let (start_sector, sectors) = (sectors.start, (sectors.end - sectors.start) as u32);
        HostCommand { initiator, queue, start_sector, sectors }
    }

    fn schedule(&mut self) {
        for (at, event) in self.cache.scheduled() {
            self.future.schedule(at, event);
        }
    }
}
