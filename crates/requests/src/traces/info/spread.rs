//! Distribution of a trace's load over the channels and chips of a drive.

use std::ops::Range;

use serde::Serialize;

use crate::request::HostRequest;

/// Placement of pages on a drive's channels and chips.
pub struct PagePlaces {
    /// Address ranges of the drive, in sectors.
    pub ranges: Vec<Range<u64>>,
    /// Number of sectors per page.
    pub page_sectors: u32,
    /// Number of channels.
    pub channels: u32,
    /// Number of chips.
    pub chips: u32,
    /// Function that returns the channel and the chip of a page number.
    pub place: Box<dyn Fn(u64) -> (u32, u32) + Send>,
}

/// Distribution of accessed pages over channels or chips.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PageSpread {
    /// Number of pages read or written on each channel or chip.
    pub pages: Vec<u64>,
    /// Largest number of pages divided by the mean; 1 for an even distribution.
    pub busiest_over_mean: f64,
    /// Standard deviation divided by the mean; 0 for an even distribution.
    pub coefficient_of_variation: f64,
}

/// Distribution of accessed pages over a drive's channels and chips.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DriveSpread {
    /// Number of requests wrapped around the drive's capacity.
    pub folded: u64,
    /// Distribution of accessed pages over the channels.
    pub channels: PageSpread,
    /// Distribution of accessed pages over the chips.
    pub chips: PageSpread,
}

/// Counters of accessed pages by channel and chip.
pub(super) struct PageTally {
    places: PagePlaces,
    channels: Vec<u64>,
    chips: Vec<u64>,
}

impl PageTally {
    pub(super) fn new(places: PagePlaces) -> Self {
        let (channels, chips) = (vec![0; places.channels as usize], vec![0; places.chips as usize]);
        Self { places, channels, chips }
    }

    pub(super) fn add(&mut self, request: &HostRequest) {
        let page_sectors = u64::from(self.places.page_sectors);
        for page in request.start_sector / page_sectors..request.end_sector().div_ceil(page_sectors) {
            let (channel, chip) = (self.places.place)(page);
            self.channels[channel as usize] += 1;
            self.chips[chip as usize] += 1;
        }
    }

    pub(super) fn report(&self, folded: u64) -> DriveSpread {
        DriveSpread { folded, channels: spread(&self.channels), chips: spread(&self.chips) }
    }
}

fn spread(pages: &[u64]) -> PageSpread {
    let parts = pages.len() as f64;
    let mean = pages.iter().sum::<u64>() as f64 / parts;
    let variance = pages.iter().map(|&count| (count as f64 - mean).powi(2)).sum::<f64>() / parts;
    PageSpread {
        pages: pages.to_vec(),
        busiest_over_mean: pages.iter().copied().max().unwrap_or_default() as f64 / mean,
        coefficient_of_variation: variance.sqrt() / mean,
    }
}

#[cfg(test)]
mod tests {
    use venice_kernel::SimTime;

    use super::*;
    use crate::request::Op;

    #[test]
    fn every_page_of_a_request_counts_where_it_lies() {
        let place = Box::new(|page: u64| ((page % 2) as u32, (page % 4) as u32));
        let places = PagePlaces { ranges: Vec::new(), page_sectors: 8, channels: 2, chips: 4, place };
        let mut tally = PageTally::new(places);
        let request = |start_sector, sectors| HostRequest {
            arrival: SimTime::ZERO,
            start_sector,
            sectors,
            queue: 0,
            op: Op::Read,
            pattern_set: 0,
        };
        tally.add(&request(0, 8));
        tally.add(&request(7, 2));
        tally.add(&request(32, 33));
        let found = tally.report(3);
        assert_eq!((found.chips.pages, found.channels.pages), (vec![4, 2, 1, 1], vec![5, 3]));
        assert!((found.chips.busiest_over_mean - 2.0).abs() < 1e-12 && found.folded == 3);
        assert!((found.channels.coefficient_of_variation - 0.25).abs() < 1e-12);
    }
}
