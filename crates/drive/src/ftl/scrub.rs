//! Scrub: reads of the drive's data in the background, to find pages with many raw bit errors.
//!
//! # What it models
//! While the host has requests, the drive reads its pages at a constant rate, all pages one after the other. A
//! read takes array, fabric and decoder like any other read. A page with too many raw bit errors leads to the
//! refresh of its block ([`refresh`](super::collector)), an uncorrectable page to its rebuild or to the loss of
//! its data.
//!
//! # How
//! A timer makes one read due per period. Due reads are queued for the planes in turn, at most one for each
//! plane, in a class of their own, which dies and paths serve last. A read that is due while all planes have
//! one is queued later, so that the rate holds on average as long as dies have time. A plane continues with the
//! page after its last one. Full blocks are read, except the victim of garbage collection.
//!
//! While no plane has a page to be read, the timer is suspended. It continues at the next multiple of the period
//! after an array operation by which a block may have become full.
//!
//! # What is left out
//! Pages without valid data, such as those of parity; open blocks.
//!
//! # Source
//! Schwarz et al., "Disk scrubbing in large archival storage systems", MASCOTS 2004.
//!
//! # Parameters
//! `ftl.scrub_pages_per_s`, `ftl.refresh_errors_pct`

use venice_kernel::{SimSpan, SimTime};
use venice_nand::geometry::{BlockId, Geometry, PlaneId, Ppn};
use venice_nand::latency::StageClock;
use venice_nand::transactions::{PageState, Purpose, Transaction};
use venice_params::{declare, number};

use super::shared::Shared;
use super::space::Block;

declare! {
    /// Parameters of scrub.
    pub struct ScrubParameters in "ftl." {
        /// Scrub: number of pages per second of simulated time that the drive reads in the background to find
        /// bit errors.
        ///
        /// The drive scrubs as long as the host has requests. Dies and paths serve the reads of scrub after
        /// all other transactions. If a page has as many errors as `ftl.refresh_errors_pct` states, its block
        /// is refreshed. With 0, there is no scrub.
        scrub_pages_per_s: f64 = number(0.0, 1e7), unit "pages/s", default "0",
            source "ours: none; Schwarz et al., Disk scrubbing in large archival storage systems, MASCOTS 2004";
    }
}

/// Picoseconds per second.
const PS_PER_S: f64 = 1e12;

/// Progress of scrub in a plane: the next page, and the read in progress.
#[derive(Clone, Copy, Debug, Default)]
struct PlaneScrub {
    /// Slot (location of a mapping unit) in the plane from which the next page is searched.
    next_slot: u32,
    /// True if a read of scrub is queued or in progress in the plane.
    is_reading: bool,
    /// Number of blocks of the drive that had become full when the plane was found to have no page to be
    /// read. The plane has none until another block becomes full.
    empty_at: Option<u64>,
}

impl PlaneScrub {
    /// Returns true if the plane has no page to be read by scrub. `full_blocks` is the number of blocks of
    /// the drive that have become full so far.
    fn is_empty(&self, full_blocks: u64) -> bool {
        self.empty_at == Some(full_blocks)
    }
}

/// Scrub of a drive: timer, and progress in each plane.
#[derive(Clone, Debug)]
pub(super) struct Scrub {
    geometry: Geometry,
    /// Time between the instants at which two reads become due.
    period: SimSpan,
    /// Number of reads that are due and have not been queued.
    due: u64,
    /// Plane from which the search for the next page to be read continues.
    next_plane: u32,
    planes: Vec<PlaneScrub>,
    /// Instant from which periods are counted. Reads become due at whole multiples of the period after it.
    phase: SimTime,
    state: TimerState,
}

/// State of the timer that determines when reads of scrub become due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TimerState {
    /// No call of [`Scrub::read_due`] is planned, since the host has no requests.
    Stopped,
    /// A call of [`Scrub::read_due`] is planned.
    Armed,
    /// The timer is suspended, since no page can be read at present.
    Suspended {
        /// Number of blocks of the drive that had become full when the timer was suspended; `None` if a page
        /// may become readable before another block is full.
        full_blocks: Option<u64>,
    },
}

impl Scrub {
    /// Creates the state of scrub at the start of a run; `None` for a drive without scrub.
    pub(super) fn new(geometry: &Geometry, pages_per_s: f64) -> Option<Self> {
        (pages_per_s > 0.0).then(|| Self {
            geometry: *geometry,
            period: SimSpan::from_ps((PS_PER_S / pages_per_s).round() as u64),
            due: 0,
            next_plane: 0,
            planes: vec![PlaneScrub::default(); geometry.planes() as usize],
            phase: SimTime::ZERO,
            state: TimerState::Stopped,
        })
    }

    /// Plans the next read at the end of the current period, after `now`. Returns the instant of the read, or
    /// `None` if it lies beyond the simulator's clock.
    fn arm(&mut self, now: SimTime) -> Option<SimTime> {
        let periods = now.since(self.phase).as_ps() / self.period.as_ps();
        self.phase = self.phase + self.period * periods;
        let at = self.phase.saturating_add(self.period);
        self.state = if at < SimTime::MAX { TimerState::Armed } else { TimerState::Stopped };
        (at < SimTime::MAX).then_some(at)
    }

    /// Starts or continues scrub. Returns the instant at which [`Self::read_due`] must be called, unless a call is
    /// planned already or no page can be read.
    pub(super) fn begin(&mut self, now: SimTime) -> Option<SimTime> {
        if self.state != TimerState::Stopped {
            return None;
        }
        self.phase = now;
        self.arm(now)
    }

    /// Ends scrub, since the host has no more requests. Queued reads are executed.
    pub(super) const fn end(&mut self) {
        (self.state, self.due) = (TimerState::Stopped, 0);
    }

    /// Queues the read that is due at `now`. Returns the instant of the next call, or `None` if no page can be read.
    pub(super) fn read_due(&mut self, shared: &mut Shared, now: SimTime) -> Option<SimTime> {
        self.due += 1;
        self.queue_reads(shared, now);
        if self.planes.iter().any(|plane| plane.is_reading) {
            return self.arm(now);
        }
        let full_blocks = shared.space.blocks().table.closed_so_far();
        let mut planes = (0..).map(PlaneId).zip(&self.planes);
        let are_empty = planes.all(|(id, plane)| plane.is_empty(full_blocks) || shared.space.is_lost(id));
        self.state = TimerState::Suspended { full_blocks: are_empty.then_some(full_blocks) };
        None
    }

    /// Continues scrub after an array operation, if scrub was suspended and a page may have become readable.
    /// Returns the instant at which [`Self::read_due`] must be called.
    pub(super) fn resume(&mut self, shared: &Shared, now: SimTime) -> Option<SimTime> {
        let TimerState::Suspended { full_blocks } = self.state else { return None };
        let is_unchanged = full_blocks == Some(shared.space.blocks().table.closed_so_far());
        if is_unchanged { None } else { self.arm(now) }
    }

    /// Records the end of a read of scrub in `plane`, and queues another read if one is due.
    pub(super) fn read_ended(&mut self, shared: &mut Shared, plane: PlaneId, now: SimTime) {
        self.planes[plane.index()].is_reading = false;
        self.queue_reads(shared, now);
    }

    /// Queues the due reads of scrub, at most one for each plane.
    fn queue_reads(&mut self, shared: &mut Shared, now: SimTime) {
        for _ in 0..self.planes.len() {
            if self.due == 0 {
                return;
            }
            let plane = PlaneId(self.next_plane);
            self.next_plane = (self.next_plane + 1) % self.geometry.planes();
            if self.planes[plane.index()].is_reading || shared.space.is_lost(plane) {
                continue;
            }
            let full_blocks = shared.space.blocks().table.closed_so_far();
            if self.planes[plane.index()].is_empty(full_blocks) {
                continue;
            }
            if let Some(page) = self.next_page(shared, plane) {
                self.due -= 1;
                self.planes[plane.index()].is_reading = true;
                queue_read(shared, plane, page, now);
            } else if !has_block_in_change(shared, plane) {
                self.planes[plane.index()].empty_at = Some(full_blocks);
            }
        }
        // Without data, reads do not accumulate.
        if self.planes.iter().all(|plane| !plane.is_reading) {
            self.due = 0;
        }
    }

    /// Returns the next page of a plane to be read by scrub, and advances the plane's position past this
    /// page.
    fn next_page(&mut self, shared: &Shared, plane: PlaneId) -> Option<Ppn> {
        let first = self.planes[plane.index()].next_slot;
        let per_block = self.geometry.pages_per_block;
        let blocks = self.geometry.blocks_per_plane;
        // The first block is examined twice: from the position on, and at the end up to the position.
        for step in 0..=blocks {
            let number = (first / per_block + step) % blocks;
            let from = if step == 0 { first % per_block } else { 0 };
            if let Some(page) = page_in_block(shared, plane, number, from) {
                let after = self.geometry.page_offset(page) + shared.units.per_page();
                self.planes[plane.index()].next_slot = (number * per_block + after) % (blocks * per_block);
                return Some(page);
            }
        }
        None
    }
}

/// Returns the first page with valid data of the block `number`, from the slot `from` on. Returns `None` if
/// there is none or the block must not be read.
fn page_in_block(shared: &Shared, plane: PlaneId, number: u32, from: u32) -> Option<Ppn> {
    let (geometry, blocks) = (&shared.geometry, shared.space.blocks());
    let block: BlockId = geometry.block(plane, number);
    let is_victim = blocks.planes[plane].collection.is_some_and(|collection| collection.victim == block);
    let state = blocks.settled_at(plane, number)?;
    if is_victim || state.valid == 0 {
        return None;
    }
    let per_page = shared.units.per_page();
    let pages = (from..geometry.pages_per_block).step_by(per_page as usize);
    let has_data = |page: &Ppn| {
        shared.units.slots_of_page(*page).any(|slot| shared.translation.map.logical(Ppn(slot)).is_some())
    };
    let is_readable = |page: &Ppn| has_data(page) && !shared.is_between_passes(*page);
    pages.map(|offset| geometry.ppn(block, offset)).find(is_readable)
}

/// Returns true if a block of the plane may become readable without another block becoming full.
fn has_block_in_change(shared: &Shared, plane: PlaneId) -> bool {
    let blocks = shared.space.blocks();
    let is_in_change =
        |block: &Block| block.written == shared.geometry.pages_per_block && block.pending_programs > 0;
    blocks.planes[plane].collection.is_some() || blocks.table.of_plane(plane).iter().any(is_in_change)
}

/// Queues the read of a page by scrub.
fn queue_read(shared: &mut Shared, plane: PlaneId, page: Ppn, now: SimTime) {
    shared.space.blocks.table.pin(shared.geometry.block_of(page));
    let read = shared.transactions.insert(Transaction {
        page: PageState::At { ppn: page, is_pinned: true },
        bytes: shared.page_or_unit_bytes(),
        ..Transaction::new(Purpose::ScrubRead, plane, StageClock::start(now))
    });
    shared.stats.scrub_read();
    shared.enqueue(read, now);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ftl::shared::bench::Bench;

    const PLANE: PlaneId = PlaneId(0);

    fn scrub(bench: &Bench) -> Scrub {
        Scrub::new(&bench.shared.geometry, 1_000.0).expect("the rate is positive")
    }

    #[test]
    fn pages_with_data_are_read_in_turn_and_then_again() {
        let mut bench = Bench::new(1, |_| {});
        // Two full blocks, whose pages 0 and 5 are then overwritten, and an open block.
        bench.fill(0, 0, 8);
        bench.fill(0, 0, 1);
        bench.fill(0, 5, 1);
        let mut scrub = scrub(&bench);
        let mut next = || scrub.next_page(&bench.shared, PLANE).map(|page| page.0);
        let found: Vec<_> = (0..8).map(|_| next()).collect();
        assert_eq!(found, [1, 2, 3, 4, 6, 7, 1, 2].map(Some));
    }

    #[test]
    fn reads_that_are_due_wait_for_the_read_in_progress_and_end_with_scrub() {
        let mut bench = Bench::new(1, |_| {});
        bench.fill(0, 0, 4);
        let mut scrub = scrub(&bench);
        let ms = SimTime::ZERO + SimSpan::from_us(1_000);
        assert_eq!((scrub.begin(bench.now), scrub.begin(bench.now)), (Some(ms), None));
        assert_eq!(scrub.read_due(&mut bench.shared, ms), Some(ms + SimSpan::from_us(1_000)));
        scrub.read_due(&mut bench.shared, ms);
        scrub.read_due(&mut bench.shared, ms);
        assert_eq!((bench.queued(0).len(), scrub.due), (1, 2));
        bench.end(0);
        scrub.read_ended(&mut bench.shared, PLANE, ms);
        assert_eq!((bench.queued(0).len(), scrub.due), (1, 1));
        bench.end(0);
        scrub.end();
        scrub.read_ended(&mut bench.shared, PLANE, ms);
        assert_eq!((bench.queued(0).len(), scrub.due), (0, 0));
    }

    #[test]
    fn timer_is_suspended_without_data_and_keeps_its_phase() {
        let mut bench = Bench::new(1, |_| {});
        let mut scrub = scrub(&bench);
        let at = |us: u64| SimTime::ZERO + SimSpan::from_us(us);
        assert_eq!(scrub.begin(at(300)), Some(at(1_300)));
        assert_eq!(scrub.read_due(&mut bench.shared, at(1_300)), None);
        assert_eq!((bench.queued(0).len(), scrub.due), (0, 0));
        assert_eq!(scrub.resume(&bench.shared, at(2_000)), None, "no block has become full");
        assert_eq!(scrub.begin(at(2_000)), None, "the host goes on after a pause");
        bench.fill(0, 0, 4);
        assert_eq!(scrub.resume(&bench.shared, at(3_600)), Some(at(4_300)));
        assert_eq!(scrub.resume(&bench.shared, at(3_700)), None, "a call is planned");
        assert_eq!(scrub.read_due(&mut bench.shared, at(4_300)), Some(at(5_300)));
        assert_eq!(bench.queued(0).len(), 1);
    }

    #[test]
    fn full_block_is_examined_again_after_the_end_of_its_last_program() {
        let mut bench = Bench::new(1, |_| {});
        bench.fill(0, 0, 4);
        let block = BlockId(0);
        bench.shared.space.blocks.table[block].pending_programs = 1;
        let mut scrub = scrub(&bench);
        let ms = SimTime::ZERO + SimSpan::from_us(1_000);
        assert_eq!(scrub.read_due(&mut bench.shared, ms), None);
        bench.shared.space.blocks.table[block].pending_programs = 0;
        let next = scrub.resume(&bench.shared, ms).expect("the program has ended");
        scrub.read_due(&mut bench.shared, next);
        assert_eq!(bench.queued(0).len(), 1);
    }
}
