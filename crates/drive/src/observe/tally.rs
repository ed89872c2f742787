//! Counters of the requests of one operation (read, write and so on) on one host queue.
//!
//! # How
//!
//! The counters are updated for every request, while reports are rare. Values that a report can compute are
//! therefore not counted. Requests that enter the drive's queue at their issue have two equal latencies, of
//! which only one is recorded. Times are summed with 64 bits as long as the sums fit.

use venice_kernel::{SimSpan, SimTime};
use venice_nand::latency::{STAGES, Stage, StageClock};
use venice_requests::SECTOR_BYTES;

use super::{CAUSES, CausedWait, Completion, Latencies};

/// Latencies of one operation on one host queue.
#[derive(Clone, Debug, Default)]
pub struct OpLatencies {
    /// Latency from issue to completion.
    pub host: Latencies,
    /// Latency from the arrival in the drive's queue to completion.
    pub device: Latencies,
    /// Period from the issue of the first request to the last completion.
    pub window: ServicePeriod,
    /// Stage times and bytes, summed over the requests.
    pub sums: OpSums,
    /// Times of the flash pages that the requests read or programmed, summed over the pages.
    pub pages: PageSums,
}

impl OpLatencies {
    /// Adds the latencies of another operation or host queue.
    pub fn merge(&mut self, other: &Self) {
        self.host.merge(&other.host);
        self.device.merge(&other.device);
        self.window = self.window.joined(other.window);
        self.sums.merge(&other.sums);
        self.pages.merge(&other.pages);
    }
}

/// Period from the first issue to the last completion of some requests.
#[derive(Clone, Copy, Debug)]
pub struct ServicePeriod {
    first_issue: SimTime,
    last_completion: SimTime,
}

impl Default for ServicePeriod {
    fn default() -> Self {
        Self { first_issue: SimTime::MAX, last_completion: SimTime::ZERO }
    }
}

impl ServicePeriod {
    /// Extends the period by a request that completes at `now`.
    #[inline]
    fn add(&mut self, issue: SimTime, now: SimTime) {
        self.first_issue = self.first_issue.min(issue);
        self.last_completion = now;
    }

    /// Returns the shortest period that contains this period and `other`.
    #[must_use]
    pub fn joined(self, other: Self) -> Self {
        Self {
            first_issue: self.first_issue.min(other.first_issue),
            last_completion: self.last_completion.max(other.last_completion),
        }
    }

    /// Returns the length of the period, which is zero without requests.
    pub fn span(self) -> SimSpan {
        self.last_completion.max(self.first_issue).since(self.first_issue)
    }
}

/// Sums of times over the pages of some requests.
#[derive(Clone, Copy, Debug, Default)]
pub struct PageSums {
    /// Number of completed pages.
    pub count: u64,
    /// Total time of the pages' transactions, from creation to end, in picoseconds.
    pub whole_ps: u128,
    /// Total time of the pages' array operations, in picoseconds.
    pub array_ps: u128,
    /// Total time of the pages' transfers, in picoseconds.
    pub transfer_ps: u128,
}

impl PageSums {
    fn merge(&mut self, other: &Self) {
        self.count += other.count;
        self.whole_ps += other.whole_ps;
        self.array_ps += other.array_ps;
        self.transfer_ps += other.transfer_ps;
    }
}

/// Stage times and bytes of one operation, summed over its requests.
#[derive(Clone, Copy, Debug, Default)]
pub struct OpSums {
    /// Total time of the requests in each latency stage, in picoseconds.
    pub stage_ps: [u128; STAGES.len()],
    /// Number of requests that had to wait for a path of the fabric.
    pub conflicted: u64,
    /// Number of bytes that the requests transferred.
    pub bytes: u128,
    /// Number of ranges of trims with several ranges, after the first range of each.
    pub further_ranges: u64,
    /// Total waiting time by cause, for the stages whose causes are recorded.
    pub causes: CauseSums,
}

/// Total time of each cause, over all requests, in picoseconds. The causes are in the order of [`CAUSES`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CauseSums {
    /// Time in the stage `chip_wait`, by cause.
    pub chip_wait: [u128; CAUSES.len()],
    /// Time in the stage `cache`, by cause. The rest of the stage is time of the cache's DRAM.
    pub cache: [u128; CAUSES.len()],
}

impl CauseSums {
    fn add(&mut self, behind: &CausedWait, stage: Stage) {
        let sums = if stage == Stage::ChipWait { &mut self.chip_wait } else { &mut self.cache };
        for (sum, span) in sums.iter_mut().zip(behind.spans) {
            *sum += u128::from(span.as_ps());
        }
    }

    fn merge(&mut self, other: &Self) {
        let others = other.chip_wait.iter().chain(&other.cache);
        for (sum, more) in self.chip_wait.iter_mut().chain(&mut self.cache).zip(others) {
            *sum += more;
        }
    }
}

impl OpSums {
    /// Adds the sums of other requests to these sums.
    pub fn merge(&mut self, other: &Self) {
        for (sum, more) in self.stage_ps.iter_mut().zip(other.stage_ps) {
            *sum += more;
        }
        self.conflicted += other.conflicted;
        self.bytes += other.bytes;
        self.further_ranges += other.further_ranges;
        self.causes.merge(&other.causes);
    }

    /// Returns the time in `stage`, in picoseconds.
    pub fn stage(&self, stage: Stage) -> u128 {
        self.stage_ps[stage as usize]
    }
}

/// Sums of times that are divided into parts, such as the latency stages of requests.
#[derive(Clone, Copy, Debug)]
struct StageSums<const PARTS: usize> {
    near: [u64; PARTS],
    /// Sums of each part that were moved from `near` before one of them could overflow.
    far: [u128; PARTS],
    /// Sum of the undivided times whose parts have been added to `near`. No sum of a part exceeds this value,
    /// so only this value must be checked for overflow.
    whole: u64,
}

impl<const PARTS: usize> Default for StageSums<PARTS> {
    fn default() -> Self {
        Self { near: [0; PARTS], far: [0; PARTS], whole: 0 }
    }
}

impl<const PARTS: usize> StageSums<PARTS> {
    /// Adds the parts of the time `whole`. No part may be longer than `whole`.
    #[inline]
    fn add(&mut self, parts: &[SimSpan; PARTS], whole: SimSpan) {
        let Some(sum) = self.whole.checked_add(whole.as_ps()) else { return self.begin_anew(parts, whole) };
        self.whole = sum;
        for (sum, part) in self.near.iter_mut().zip(parts) {
            *sum = sum.wrapping_add(part.as_ps());
        }
    }

    #[cold]
    fn begin_anew(&mut self, parts: &[SimSpan; PARTS], whole: SimSpan) {
        self.far = self.all();
        self.near = parts.map(SimSpan::as_ps);
        self.whole = whole.as_ps();
    }

    /// Returns the sum of each part in picoseconds.
    fn all(&self) -> [u128; PARTS] {
        std::array::from_fn(|part| self.far[part] + u128::from(self.near[part]))
    }
}

/// Counters of one operation on one host queue.
#[derive(Clone, Debug, Default)]
pub(super) struct OperationTally {
    /// Latencies of requests that entered the drive's queue at their issue. For these, the latency from issue
    /// and the latency in the drive are equal.
    alike: Latencies,
    /// Latencies of all other requests, measured from their issue.
    host: Latencies,
    /// Latencies of all other requests, measured from their arrival in the drive's queue.
    device: Latencies,
    window: ServicePeriod,
    stages: StageSums<{ STAGES.len() }>,
    conflicted: u64,
    sectors: u64,
    further_ranges: u64,
    pages: u64,
    /// Times of pages: total, array operations, and transfers.
    page_times: StageSums<3>,
    /// Waiting time of the requests by cause. Boxed, because causes are rarely recorded.
    causes: Option<Box<CauseSums>>,
}

impl OperationTally {
    /// Adds a completed request.
    pub(super) fn add(&mut self, completion: &Completion<'_>, now: SimTime) {
        let (request, latency) = (completion.request, completion.latency);
        self.window.add(SimTime::from_ps(now.as_ps() - latency.as_ps()), now);
        if completion.device_latency == latency {
            self.alike.record(latency);
        } else {
            self.add_unlike(latency, completion.device_latency);
        }
        self.stages.add(&request.clock.spans, latency);
        self.conflicted += u64::from(request.conflicted);
        self.sectors += u64::from(request.sectors());
        self.further_ranges += completion.further_ranges.len() as u64;
        if let Some(behind) = completion.behind {
            self.add_causes(behind, &request.clock);
        }
    }

    #[cold]
    fn add_causes(&mut self, behind: &CausedWait, clock: &StageClock) {
        self.causes.get_or_insert_default().add(behind, behind.stage(&clock.spans));
    }

    fn add_unlike(&mut self, host: SimSpan, device: SimSpan) {
        self.host.record(host);
        self.device.record(device);
    }

    /// Adds a completed page of a request.
    #[inline]
    pub(super) fn add_page(&mut self, clock: &StageClock) {
        let [array, transfer] = [Stage::Array, Stage::Transfer].map(|stage| clock.spans[stage as usize]);
        let whole = clock.total();
        self.pages += 1;
        self.page_times.add(&[whole, array, transfer], whole);
    }

    /// Returns the latencies and sums for a report.
    pub(super) fn latencies(&self) -> OpLatencies {
        let with_alike = |others: &Latencies| {
            let mut all = self.alike.clone();
            all.merge(others);
            all
        };
        let [whole_ps, array_ps, transfer_ps] = self.page_times.all();
        OpLatencies {
            host: with_alike(&self.host),
            device: with_alike(&self.device),
            window: self.window,
            sums: self.sums(),
            pages: PageSums { count: self.pages, whole_ps, array_ps, transfer_ps },
        }
    }

    /// Returns the number of requests.
    pub(super) fn count(&self) -> u64 {
        self.alike.count() + self.host.count()
    }

    /// Returns the stage times and bytes, summed over the requests.
    pub(super) fn sums(&self) -> OpSums {
        let bytes = u128::from(self.sectors) * u128::from(SECTOR_BYTES);
        let causes = self.causes.as_deref().copied().unwrap_or_default();
        OpSums {
            stage_ps: self.stages.all(),
            conflicted: self.conflicted,
            bytes,
            further_ranges: self.further_ranges,
            causes,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use proptest::prelude::*;

    proptest! {
        #[test]
        fn sums_are_those_of_wide_numbers_however_long_the_times_are(
            times in prop::collection::vec((any::<u64>(), 0.0..=1.0_f64, 0..64_u32), 0..50),
        ) {
            let (mut sums, mut wide) = (StageSums::<2>::default(), [0_u128; 2]);
            for (whole, share, shift) in times {
                let whole = whole >> shift;
                let part = ((whole as f64 * share) as u64).min(whole);
                sums.add(&[SimSpan::from_ps(part), SimSpan::from_ps(whole)], SimSpan::from_ps(whole));
                wide = [wide[0] + u128::from(part), wide[1] + u128::from(whole)];
            }
            prop_assert_eq!(sums.all(), wide);
        }
    }
}
