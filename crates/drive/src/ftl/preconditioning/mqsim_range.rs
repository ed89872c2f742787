//! Range of addresses from which preconditioning by MQSim's method draws a flow's requests.

use super::mqsim::{MAX_OCCUPANCY, ROOM_TO_CHOOSE};
use super::settings::{DrawnRequests, WritePattern};

/// Range of sectors from which the requests of a flow are drawn: the flow's working set, or its whole address
/// space if the working set has too few pages.
#[derive(Clone, Copy, Debug)]
pub(super) struct DrawRange {
    /// First sector of the range.
    pub first: u64,
    /// Last sector of the range.
    pub last: u64,
    /// Last sector of the flow's working set.
    pub working_set_last: u64,
    /// Last sector of the flow's hot region.
    pub hot_end: u64,
    /// True if all hot pages are selected before other pages.
    pub hot_first: bool,
    /// Number of pages to be drawn from the range.
    pub wanted: u32,
    /// Number of the last page of the working set, counted from the first page of the flow.
    pub last_page_in_use: u64,
    first_page: u64,
    page_sectors: u64,
    /// Last sector of the flow's address space.
    space_last: u64,
}

impl DrawRange {
    /// Returns the range from which `wanted` pages are drawn.
    pub fn new(flow: &DrawnRequests, pattern: WritePattern, wanted: u32, page_sectors: u64) -> Self {
        let end = flow.first_sector + (flow.sectors.saturating_sub(1) as f64 * flow.working_set_ratio) as u64;
        let first = flow.alignment.map_or(flow.first_sector, |by| flow.first_sector.next_multiple_of(by));
        let last = end.saturating_sub(1).max(first);
        let first_page = flow.first_sector / page_sectors;
        let working_set = Self {
            first,
            last,
            working_set_last: last,
            hot_end: first,
            hot_first: false,
            wanted,
            last_page_in_use: end / page_sectors - first_page,
            first_page,
            page_sectors,
            space_last: first + ((last - first) as f64 / flow.working_set_ratio) as u64,
        };
        match pattern {
            WritePattern::Uniform => working_set.uniform(),
            WritePattern::Sequential => working_set.sequential(),
            WritePattern::HotCold { region, .. } => working_set.hot_cold(region),
        }
    }

    fn uniform(mut self) -> Self {
        let enough = ROOM_TO_CHOOSE * f64::from(self.wanted);
        if (self.pages_before(self.last) as f64) < enough {
            self.last = self.space_last;
            let pages = self.pages_to(self.last) as f64;
            if pages < enough {
                self.wanted = (pages * MAX_OCCUPANCY) as u32;
            }
        }
        self
    }

    fn sequential(mut self) -> Self {
        if self.pages_before(self.last) < u64::from(self.wanted) {
            self.last = self.space_last;
            let pages = u32::try_from(self.pages_to(self.last) + 1).unwrap_or(self.wanted);
            self.wanted = self.wanted.min(pages);
        }
        self
    }

    fn hot_cold(mut self, region: f64) -> Self {
        self.hot_end = self.first + ((self.last - self.first) as f64 * region) as u64;
        let hot = self.pages_before(self.hot_end);
        self.hot_first = hot < u64::from(self.wanted);
        // As in MQSim, if there are more hot pages than wanted ones, unsigned arithmetic wraps to a very
        // large number.
        let cold = u64::from(self.wanted).wrapping_sub(hot) as f64;
        let pages = self.pages_to(self.last);
        if ((pages - hot.min(pages)) as f64) < ROOM_TO_CHOOSE * cold {
            self.last = self.space_last;
        }
        self
    }

    /// Returns the number of pages from the flow's first page up to, but not including, the page of the
    /// sector `last`.
    const fn pages_to(&self, last: u64) -> u64 {
        (last / self.page_sectors).saturating_sub(self.first_page)
    }

    const fn pages_before(&self, last: u64) -> u64 {
        self.pages_to(last).saturating_sub(1)
    }
}
