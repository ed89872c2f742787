//! Interface between the cache and the layer below it.

use std::ops::Range;

use venice_kernel::SimTime;
use venice_nand::geometry::{Lpn, Priority, RequestId};
use venice_nand::transactions::Origin;

use crate::ftl::{FinishedPage, Ftl, HostCommand, Initiator};
use crate::observe::Audit;

/// Layer between the cache and flash: the flash translation layer, or a mock in tests. An implementation must
/// keep these rules:
///
/// 1. Each call of [`read_page`](Self::read_page) is followed by one call of the cache's `read_finished`, and
///    each call of [`write_page`](Self::write_page) for [`Origin::Cache`] by one call of `destage_ended`. The
///    second call comes at the same instant or later, but never before the first one has returned.
/// 2. The page size and the address range of each page are constant.
/// 3. Methods with `&self` have no side effects.
pub trait LowerLayer {
    /// Returns the number of sectors per logical page.
    fn sectors_per_page(&self) -> u32;

    /// Returns the number of sectors that each bit of a page's sector mask represents.
    fn sectors_per_bit(&self) -> u32;

    /// Returns the address ranges of the drive, each as a range of sectors. The ranges are contiguous and
    /// cover all sectors.
    fn address_ranges(&self) -> impl ExactSizeIterator<Item = Range<u64>> + '_;

    /// Returns the index of the address range that contains a logical page.
    fn range_of(&self, lpn: Lpn) -> usize;

    /// Divides the sectors from `start` to `end` (exclusive) into pages. Returns each page with a bit mask of
    /// its sectors.
    fn page_pieces(&self, start: u64, end: u64) -> impl Iterator<Item = (Lpn, u64)> + use<Self>;

    /// Returns the largest part of the sector range `range` that sector masks of pages can represent exactly.
    fn whole_parts(&self, range: Range<u64>) -> Range<u64>;

    /// Returns true if the data that was read from flash is still the current content of its page.
    fn is_current(&self, read: &FinishedPage) -> bool;

    /// Reads some sectors of a page, selected by the bit mask `sectors`, for a request of a host queue.
    /// The request has waited for these sectors in the cache since `since`.
    fn read_page(
        &mut self,
        initiator: Initiator,
        queue: u16,
        lpn: Lpn,
        sectors: u64,
        since: SimTime,
        now: SimTime,
    );

    /// Reads some sectors of a page, selected by the bit mask `sectors`, into the cache ahead of a request.
    /// At the end of the read, the cache's `read_ahead_finished` is called as in rule 1.
    fn read_page_ahead(&mut self, queue: u16, priority: Priority, lpn: Lpn, sectors: u64, now: SimTime);

    /// Accepts a write that bypasses the cache. Returns the number of pages for which the request waits.
    fn accept_write(&mut self, command: &HostCommand, now: SimTime) -> u32;

    /// Writes cached sectors of a page to flash. The bit mask `sectors` selects them.
    fn write_page(
        &mut self,
        origin: Origin,
        queue: u16,
        priority: Priority,
        lpn: Lpn,
        sectors: u64,
        now: SimTime,
    );

    /// Starts the programs of partly filled flash pages, since a flush or a write with forced unit access
    /// waits for their data.
    fn queue_open_pages(&mut self, now: SimTime);

    /// Returns true if a trim of a part of a page deallocates the covered sectors.
    fn trims_parts(&self) -> bool;

    /// Returns a bit mask of the sectors of a page that hold data on flash. If the layer does not trim parts
    /// of pages, the mask may include further sectors.
    fn sectors_with_data(&self, lpn: Lpn) -> u64;

    /// Deallocates sectors of a page, selected by the bit mask `sectors`, if they are the whole page or if the
    /// layer trims parts of pages. Returns true if the request waits for the deallocation.
    fn trim_page(&mut self, request: RequestId, lpn: Lpn, sectors: u64, now: SimTime) -> bool;

    /// Writes cached sectors of a page to flash in zero simulated time, as at a clean shutdown.
    fn write_at_once(&mut self, lpn: Lpn, sectors: u64);

    /// Returns the audit that checks the drive's contents, if it is enabled.
    fn audit_mut(&mut self) -> Option<&mut Audit>;
}

impl LowerLayer for Ftl {
    #[inline]
    fn sectors_per_page(&self) -> u32 {
        self.translation().sectors_per_page()
    }

    #[inline]
    fn sectors_per_bit(&self) -> u32 {
        self.translation().sectors_per_bit()
    }

    fn address_ranges(&self) -> impl ExactSizeIterator<Item = Range<u64>> + '_ {
        self.translation().address_ranges()
    }

    #[inline]
    fn range_of(&self, lpn: Lpn) -> usize {
        self.translation().range_of(lpn)
    }

    #[inline]
    fn page_pieces(&self, start: u64, end: u64) -> impl Iterator<Item = (Lpn, u64)> + use<> {
        self.translation().page_pieces(start, end)
    }

    fn whole_parts(&self, range: Range<u64>) -> Range<u64> {
        self.translation().whole_parts(range)
    }

    #[inline]
    fn is_current(&self, read: &FinishedPage) -> bool {
        read.is_current(self.translation())
    }

    #[inline]
    fn read_page(
        &mut self,
        initiator: Initiator,
        queue: u16,
        lpn: Lpn,
        sectors: u64,
        since: SimTime,
        now: SimTime,
    ) {
        Self::read_page(self, initiator, queue, lpn, sectors, since, now);
    }

    fn read_page_ahead(&mut self, queue: u16, priority: Priority, lpn: Lpn, sectors: u64, now: SimTime) {
        Self::read_page_ahead(self, queue, priority, lpn, sectors, now);
    }

    #[inline]
    fn accept_write(&mut self, command: &HostCommand, now: SimTime) -> u32 {
        Self::accept_write(self, command, now)
    }

    #[inline]
    fn write_page(
        &mut self,
        origin: Origin,
        queue: u16,
        priority: Priority,
        lpn: Lpn,
        sectors: u64,
        now: SimTime,
    ) {
        Self::write_page(self, origin, queue, priority, lpn, sectors, now);
    }

    fn queue_open_pages(&mut self, now: SimTime) {
        Self::queue_open_pages(self, now);
    }

    fn trims_parts(&self) -> bool {
        self.translation().zeroes_parts()
    }

    fn sectors_with_data(&self, lpn: Lpn) -> u64 {
        if self.trims_parts() { self.translation().present_sectors(lpn) } else { u64::MAX }
    }

    fn trim_page(&mut self, request: RequestId, lpn: Lpn, sectors: u64, now: SimTime) -> bool {
        Self::trim_page(self, request, lpn, sectors, now)
    }

    fn write_at_once(&mut self, lpn: Lpn, sectors: u64) {
        Self::write_at_once(self, lpn, sectors);
    }

    #[inline]
    fn audit_mut(&mut self) -> Option<&mut Audit> {
        Self::audit_mut(self)
    }
}
