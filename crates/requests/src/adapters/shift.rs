//! Adapter that shifts all addresses by the same distance.
//!
//! # What it models
//!
//! Forwards: a flow whose addresses start at zero is placed on a drive that it shares with other flows.
//! Backwards: requests recorded on such a drive are converted to addresses of the flow, which start at zero.
//!
//! # How
//!
//! Forwards, the distance is added. Backwards, it is subtracted. Requests that start below the distance do
//! not belong to the flow and are not moved.
//!
//! If the distance is not a multiple of the page size, subtraction would move page-aligned requests across
//! page boundaries. Backwards, requests therefore keep their offset within the page: the distance is rounded
//! up to a whole page, or rounded down for requests that lie within one page and start at or after the flow's
//! own offset in that page. This agrees with MQSim, which splits requests at page boundaries of the device
//! and numbers pages from the start of the flow. One case differs: if a request of several pages starts after
//! that offset, MQSim places its first two parts on one page, but this adapter places them on two.
//!
//! # What is left out
//!
//! Addresses are not limited to the drive's capacity; see [`WrappedSource`](super::WrappedSource).
//!
//! # Source
//!
//! None.
//!
//! # Parameters
//!
//! Distance and page size, in sectors.

use crate::request::{HostRequest, RequestSource, SourceError, UniformWrites, WriteLaw};

/// Source that shifts the addresses of another source.
pub struct ShiftedSource<S> {
    inner: S,
    distance: AddressDistance,
}

#[derive(Clone, Copy)]
enum AddressDistance {
    Forwards(u64),
    /// Shift downwards by a number of sectors that is a multiple of the page size.
    Backwards(u64),
    /// Shift downwards by a distance that is not a multiple of the page size: the distance rounded down and
    /// up to whole pages, and its remainder.
    BackwardsIntoPages {
        page: u64,
        down: u64,
        up: u64,
        within: u64,
    },
}

impl<S: RequestSource> ShiftedSource<S> {
    /// Returns a source of the requests of `inner`, with addresses increased by `sectors`.
    pub fn new(inner: S, sectors: u64) -> Self {
        Self { inner, distance: AddressDistance::Forwards(sectors) }
    }

    /// Returns a source of the requests of `inner`, with addresses decreased by `sectors`. Requests keep
    /// their offset within pages of `page_sectors` sectors.
    pub fn back(inner: S, sectors: u64, page_sectors: u32) -> Self {
        let page = u64::from(page_sectors);
        let up = sectors.next_multiple_of(page);
        let within = sectors % page;
        let distance = match within {
            0 => AddressDistance::Backwards(sectors),
            _ => AddressDistance::BackwardsIntoPages { page, down: sectors - within, up, within },
        };
        Self { inner, distance }
    }

    #[inline]
    fn place(&self, start_sector: u64, sectors: u32) -> u64 {
        match self.distance {
            AddressDistance::Forwards(distance) => start_sector + distance,
            AddressDistance::Backwards(distance) => {
                start_sector.checked_sub(distance).unwrap_or(start_sector)
            }
            AddressDistance::BackwardsIntoPages { page, down, up, within } => {
                let place = start_sector % page;
                let is_behind = place >= within && place + u64::from(sectors) <= page;
                let distance = if is_behind || start_sector < up { down } else { up };
                start_sector.checked_sub(distance).unwrap_or(start_sector)
            }
        }
    }
}

impl<S: RequestSource> RequestSource for ShiftedSource<S> {
    fn fill(&mut self, into: &mut Vec<HostRequest>, at_most: usize) -> Result<usize, SourceError> {
        let before = into.len();
        let given = self.inner.fill(into, at_most);
        if matches!(self.distance, AddressDistance::Backwards(0)) {
            return given;
        }
        for request in &mut into[before..] {
            request.start_sector = self.place(request.start_sector, request.sectors);
        }
        given
    }

    passes_on!(label, is_synthetic, total, format_choice, counters, device_name);

    fn write_law(&self) -> WriteLaw {
        match (self.inner.write_law(), self.distance) {
            (WriteLaw::Uniform(writes), AddressDistance::Forwards(distance)) => {
                WriteLaw::Uniform(UniformWrites { start_sector: writes.start_sector + distance, ..writes })
            }
            (WriteLaw::Uniform(_), _) => WriteLaw::Other,
            (law, _) => law,
        }
    }
}

#[cfg(test)]
mod tests {
    use venice_kernel::SimTime;

    use super::*;
    use crate::request::Op;

    struct Starts(Vec<u64>);

    impl RequestSource for Starts {
        fn fill(&mut self, into: &mut Vec<HostRequest>, _: usize) -> Result<usize, SourceError> {
            let request = |start_sector| HostRequest {
                arrival: SimTime::ZERO,
                start_sector,
                sectors: 8,
                queue: 0,
                op: Op::Read,
                pattern_set: 0,
            };
            into.extend(self.0.drain(..).map(request));
            Ok(0)
        }

        fn label(&self) -> &'static str {
            "starts"
        }

        fn is_synthetic(&self) -> bool {
            true
        }
    }

    fn starts(mut source: impl RequestSource, already: u64) -> Vec<u64> {
        let mut all = Vec::new();
        Starts(vec![already]).fill(&mut all, 1).unwrap();
        source.fill(&mut all, 9).unwrap();
        all.iter().map(|request| request.start_sector).collect()
    }

    #[test]
    fn shifted_addresses_can_be_shifted_back() {
        assert_eq!(starts(ShiftedSource::new(Starts(vec![0, 7]), 100), 5), [5, 100, 107]);
        assert_eq!(starts(ShiftedSource::back(Starts(vec![100, 107]), 100, 1), 5), [5, 0, 7]);
    }

    #[test]
    fn what_lies_before_the_distance_stays() {
        assert_eq!(starts(ShiftedSource::back(Starts(vec![99]), 100, 1), 5), [5, 99]);
    }

    #[test]
    fn going_back_keeps_requests_on_the_pages_that_they_lie_on() {
        // The flow begins at the fourth sector of a page of 16; requests have 8 sectors.
        let back = |start| starts(ShiftedSource::back(Starts(vec![start]), 36, 16), 0)[1];
        assert_eq!(back(48), 0, "the first whole page of the flow is its first");
        assert_eq!(back(56), 24, "MQSim: (56 - 36) / 16 = 1");
        assert_eq!(back(64), 16, "MQSim: (64 - 36) / 16 = 1");
        assert_eq!(back(60), 12, "over the end of a page: by the next whole page");
        assert_eq!(back(40), 8, "before the first whole page");
    }
}
