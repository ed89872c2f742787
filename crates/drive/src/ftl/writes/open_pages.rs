//! Open pages of host writes: mapping units that wait for further units to fill their page.
//!
//! # How
//! An open page is a page that is being filled before its program. Each plane has an open page for each
//! stream of writes. A mapping unit is added to the open page of its plane and stream. With dynamic
//! allocation, its plane is the one in which the last page of the stream was opened. A page is queued for its
//! die when it is full, or when its first unit has waited for `ftl.page_fill_wait_us`. A queued page accepts
//! further units until its program starts. Translation pages, which have the size of a unit, are collected in
//! separate open pages.
//!
//! # Parameters
//! `ftl.mapping_unit_bytes`, `ftl.page_fill_wait_us`

use std::collections::VecDeque;

use venice_kernel::{SimSpan, SimTime};
use venice_nand::geometry::{Geometry, Lpn, MappingUnits, PlaneId, TransactionId};
use venice_nand::transactions::{Purpose, Transaction};

use crate::ftl::settings::FtlSettings;
use crate::ftl::shared::Shared;
use crate::ftl::space::WriteStream;

/// Page that is being filled with mapping units before it is programmed.
#[derive(Clone, Copy, Debug)]
struct OpenPage {
    page: TransactionId,
    is_queued: bool,
    /// Number of the open page, counted in the order in which pages were opened.
    number: u64,
}

/// Time at which an open page is queued for its die even if it is not full.
#[derive(Clone, Copy, Debug)]
struct FillDeadline {
    at: SimTime,
    place: usize,
    number: u64,
}

/// Open pages of host writes and of translation pages.
#[derive(Clone, Debug)]
pub(super) struct OpenPages {
    units: MappingUnits,
    fill_wait: SimSpan,
    /// Number of streams of host writes. Each plane has one more open page, for translation pages.
    streams: usize,
    is_static: bool,
    /// Open pages (pages being filled), indexed by plane, then by stream. Empty if a mapping unit is a whole
    /// page.
    open: Vec<Option<OpenPage>>,
    /// Plane in which the last page was opened, indexed by address range, then by stream; used with dynamic
    /// allocation.
    last_plane: Vec<Option<PlaneId>>,
    /// Plane in which the last open page (page being filled) for translation pages was opened.
    last_plane_of_map: Option<PlaneId>,
    /// Number of pages opened so far.
    opened: u64,
    /// Deadlines of open pages (pages being filled), in ascending order.
    deadlines: VecDeque<FillDeadline>,
    /// True if an event is scheduled for the first deadline or an earlier time.
    is_timer_set: bool,
}

impl OpenPages {
    /// Creates the set of open pages (pages being filled), all of them closed.
    pub(super) fn new(geometry: &Geometry, settings: &FtlSettings) -> Self {
        let streams = usize::from(settings.write_streams);
        let are_kept = usize::from(settings.units.share_programs());
        Self {
            units: settings.units,
            fill_wait: settings.page_fill_wait,
            streams,
            is_static: settings.allocation.is_static(),
            open: vec![None; geometry.planes() as usize * (streams + 1) * are_kept],
            last_plane: vec![None; settings.partitions.len().max(1) * streams],
            last_plane_of_map: None,
            opened: 0,
            deadlines: VecDeque::new(),
            is_timer_set: false,
        }
    }

    /// Returns the plane for a host write, or `None` if all planes are full.
    #[inline]
    pub(super) fn plane_of(&self, shared: &mut Shared, id: TransactionId, lpn: Lpn) -> Option<PlaneId> {
        if !self.units.share_programs() || self.is_static {
            return shared.plane_of_write(id, lpn);
        }
        let stream = usize::from(shared.transactions.get(id).stream);
        let range = shared.translation.range_of(lpn);
        let started = self.last_plane[range * self.streams + stream].filter(|&plane| {
            self.open[self.place_of_stream(plane, stream)].is_some()
                && shared.space.takes_unit(&shared.translation, plane, range)
        });
        started.or_else(|| shared.plane_of_write(id, lpn))
    }

    /// Returns the plane for a write-back of a translation page, on a drive with lines (superblocks).
    pub(super) fn line_plane_of_map(&mut self, shared: &mut Shared) -> PlaneId {
        let is_open = |plane| {
            self.units.share_programs() && self.open[self.place_of_stream(plane, self.streams)].is_some()
        };
        let plane = self.last_plane_of_map.filter(|&plane| is_open(plane));
        let plane = plane.unwrap_or_else(|| shared.space.blocks.next_plane(WriteStream::Mapping(0)));
        self.last_plane_of_map = Some(plane);
        plane
    }

    const fn place_of_stream(&self, plane: PlaneId, stream: usize) -> usize {
        plane.index() * (self.streams + 1) + stream
    }

    /// Returns the index of the open page (page being filled) to which a write is added.
    fn place(&self, write: &Transaction) -> usize {
        let is_of_map = write.purpose == Purpose::MappingWrite;
        self.place_of_stream(write.plane, if is_of_map { self.streams } else { usize::from(write.stream) })
    }

    /// Adds a mapping unit to the open page of its plane and stream. Returns the transaction to be queued for
    /// the die, if there is one: the transaction of the page, or of the mapping unit if it is a whole page.
    /// With `is_forced`, the page does not wait for further units.
    #[inline]
    pub(super) fn add(
        &mut self,
        shared: &mut Shared,
        id: TransactionId,
        is_forced: bool,
        now: SimTime,
    ) -> Option<TransactionId> {
        if self.units.share_programs() { self.add_to_page(shared, id, is_forced, now) } else { Some(id) }
    }

    fn add_to_page(
        &mut self,
        shared: &mut Shared,
        id: TransactionId,
        is_forced: bool,
        now: SimTime,
    ) -> Option<TransactionId> {
        let place = self.place(shared.transactions.get(id));
        let open = self.open[place].unwrap_or_else(|| self.open_page(shared, id, place, now));
        shared.join_page(open.page, id);
        let is_full = shared.members.count(open.page) == self.units.per_program();
        let is_due = is_full || is_forced || self.fill_wait.is_zero();
        let is_queued = open.is_queued || is_due;
        self.open[place] = (!is_full).then_some(OpenPage { is_queued, ..open });
        if !is_due || open.is_queued {
            return None;
        }
        shared.page_is_due(open.page, now);
        Some(open.page)
    }

    fn open_page(
        &mut self,
        shared: &mut Shared,
        first: TransactionId,
        place: usize,
        now: SimTime,
    ) -> OpenPage {
        let unit = *shared.transactions.get(first);
        let page = shared.new_page(unit.purpose, first, now);
        self.opened += 1;
        let number = self.opened;
        if !self.is_static
            && unit.purpose != Purpose::MappingWrite
            && let Some(lpn) = unit.lpn
        {
            let range = shared.translation.range_of(lpn);
            self.last_plane[range * self.streams + usize::from(unit.stream)] = Some(unit.plane);
        }
        if !self.fill_wait.is_zero() {
            self.deadlines.push_back(FillDeadline { at: now + self.fill_wait, place, number });
        }
        OpenPage { page, is_queued: false, number }
    }

    /// Closes a page whose program starts, so that no further mapping unit is added.
    pub(super) fn close(&mut self, shared: &Shared, page: TransactionId) {
        let place = self.place(shared.transactions.get(page));
        if self.open[place].is_some_and(|open| open.page == page) {
            self.open[place] = None;
        }
    }

    /// Removes and returns an open page (page being filled) of a plane, if one has not been queued for its
    /// die.
    pub(super) fn take_unqueued(&mut self, plane: PlaneId) -> Option<TransactionId> {
        let first = self.place_of_stream(plane, 0);
        let own = self.open.get_mut(first..first + self.streams)?;
        let open = own.iter_mut().find(|open| open.is_some_and(|open| !open.is_queued))?;
        open.take().map(|open| open.page)
    }

    /// Marks the next open page (page being filled) as queued, and returns it. Returns `None` if all open
    /// pages are queued.
    pub(super) fn next_unqueued(&mut self, shared: &mut Shared, now: SimTime) -> Option<TransactionId> {
        let open = self.open.iter_mut().flatten().find(|open| !open.is_queued)?;
        open.is_queued = true;
        shared.page_is_due(open.page, now);
        Some(open.page)
    }

    /// Returns the next deadline of an open page (page being filled), or the deadline `other` if it is earlier.
    /// Returns `None` if an event has already been scheduled. The caller schedules the event.
    #[inline]
    pub(super) fn set_timer(&mut self, other: Option<SimTime>) -> Option<SimTime> {
        if self.is_timer_set {
            return None;
        }
        let own = self.deadlines.front().map(|deadline| deadline.at);
        let first = own.into_iter().chain(other).min()?;
        self.is_timer_set = true;
        Some(first)
    }

    /// Removes and returns the next open page (page being filled) whose deadline has passed, and marks it as
    /// queued. Called when the event for the first deadline occurs.
    pub(super) fn next_due(&mut self, shared: &mut Shared, now: SimTime) -> Option<TransactionId> {
        self.is_timer_set = false;
        while let Some(&FillDeadline { at, place, number }) = self.deadlines.front() {
            let open = self.open[place].as_mut().filter(|open| open.number == number && !open.is_queued);
            if open.is_some() && at > now {
                return None;
            }
            self.deadlines.pop_front();
            if let Some(open) = open {
                open.is_queued = true;
                shared.page_is_due(open.page, now);
                return Some(open.page);
            }
        }
        None
    }
}
