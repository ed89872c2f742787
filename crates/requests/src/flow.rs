//! Flow: a request source with its issue policy.

use venice_kernel::{SimSpan, SimTime};

use super::SteadyStateCriterion;
use super::request::{HostRequest, MOST_RANGES, Op, RequestSource, SectorRange, SourceError};

/// Number of requests read from the source per batch.
const BATCH: usize = 4096;

/// Latest time at which a request is issued: 160 days after the start. The remaining 53 days of the simulated
/// time range are left for outstanding requests to complete.
pub const LAST_ISSUE: SimTime = SimTime::from_ps(3 << 62);

/// Loop mode of a flow: the rule that determines when its requests are issued.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoopMode {
    /// Open loop: requests are issued at their arrival times.
    Open,
    /// Closed loop: a request is issued whenever fewer than `depth` requests of the flow are outstanding.
    Closed {
        /// Maximum number of outstanding requests.
        depth: u32,
    },
}

/// Share of a flow in the requests of a group of flows, as set by fio's option `flow`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlowShare {
    /// Number of the group of flows.
    pub group: u32,
    /// Weight of the flow in its group.
    pub weight: u32,
    /// Pause of a flow beyond its share, after its outstanding requests. Without a pause, the flow does not wait
    /// for its outstanding requests.
    pub pause: Option<SimSpan>,
}

/// Timing parameters of a flow in addition to its loop mode. The defaults have no effect.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pace {
    /// Start of a closed loop; open loops use arrival times.
    pub start: SimTime,
    /// Think time of a closed loop: delay between a completion and the next request.
    pub think: SimSpan,
    /// Number of requests that complete between two think times; 0 and 1 are equivalent.
    pub think_requests: u32,
    /// Maximum number of outstanding requests of an open loop; further arrivals are delayed.
    pub most_outstanding: Option<u32>,
    /// Share of a closed loop without think time in the requests of its group.
    pub share: Option<FlowShare>,
}

/// Request source with copies of a flow's next requests.
struct RequestPreview {
    requests: std::vec::IntoIter<HostRequest>,
    label: String,
}

impl RequestSource for RequestPreview {
    fn fill(&mut self, into: &mut Vec<HostRequest>, at_most: usize) -> Result<usize, SourceError> {
        let before = into.len();
        into.extend(self.requests.by_ref().take(at_most));
        Ok(into.len() - before)
    }

    fn label(&self) -> &str {
        &self.label
    }

    fn is_synthetic(&self) -> bool {
        true
    }

    fn total(&self) -> Option<u64> {
        Some(self.requests.len() as u64)
    }
}

/// Flow: a request source with its issue policy.
pub struct Flow {
    source: Box<dyn RequestSource + Send>,
    mode: LoopMode,
    queue: Option<u16>,
    stop: SimTime,
    /// True if a request was not issued because its time exceeds [`LAST_ISSUE`].
    is_cut_by_clock: bool,
    measured_from: SimTime,
    steady: Option<SteadyStateCriterion>,
    pace: Pace,
    batch: Vec<HostRequest>,
    next_in_batch: usize,
    /// Index into `batch` of the first request that is not prefetched ([`Self::prefetch_next`]).
    near: usize,
    /// Ranges of the trim that was returned last, after its first range; empty for all other requests.
    further_ranges: Vec<SectorRange>,
    error: Option<SourceError>,
}

impl Flow {
    /// Creates a flow that issues the requests of `source`, on the queues that the source assigns.
    pub fn new(source: Box<dyn RequestSource + Send>, mode: LoopMode) -> Self {
        Self {
            source,
            mode,
            queue: None,
            stop: LAST_ISSUE,
            is_cut_by_clock: false,
            measured_from: SimTime::ZERO,
            steady: None,
            pace: Pace::default(),
            batch: Vec::with_capacity(BATCH),
            next_in_batch: 0,
            near: 0,
            further_ranges: Vec::new(),
            error: None,
        }
    }

    /// Returns a flow that issues copies of the next `count` requests at the same rate, repeated cyclically
    /// if there are fewer. This flow still issues the originals.
    #[must_use]
    pub fn preview(&mut self, count: usize) -> Self {
        while self.batch.len() - self.next_in_batch < count && self.error.is_none() {
            match self.source.fill(&mut self.batch, BATCH) {
                Ok(0) => break,
                Ok(_) => {}
                Err(error) => self.error = Some(error),
            }
        }
        let ahead = &self.batch[self.next_in_batch..];
        let requests = repeated(&ahead[..ahead.len().min(count)], count, self.mode);
        let source = RequestPreview { requests: requests.into_iter(), label: self.source.label().to_owned() };
        Self { queue: self.queue, stop: self.stop, pace: self.pace, ..Self::new(Box::new(source), self.mode) }
    }

    /// Sets `queue` as the queue of all requests of the flow.
    #[must_use]
    pub fn on_queue(self, queue: u16) -> Self {
        Self { queue: Some(queue), ..self }
    }

    /// Sets `stop` as the latest time at which the flow issues a request.
    #[must_use]
    pub fn until(self, stop: SimTime) -> Self {
        Self { stop: stop.min(LAST_ISSUE), ..self }
    }

    /// Sets the start of the measured phase that the definition of the flow states.
    #[must_use]
    pub fn measured_from(self, measured_from: SimTime) -> Self {
        Self { measured_from, ..self }
    }

    /// Sets a steady-state criterion at which the flow ends.
    #[must_use]
    pub fn until_steady(self, goal: SteadyStateCriterion) -> Self {
        Self { steady: Some(goal), ..self }
    }

    /// Returns the steady-state criterion at which the flow ends, if there is one.
    pub fn steady(&self) -> Option<&SteadyStateCriterion> {
        self.steady.as_ref()
    }

    /// Returns the common queue of all requests, if there is one.
    pub fn queue(&self) -> Option<u16> {
        self.queue
    }

    /// Ends the flow, which issues no requests after `now`.
    pub fn end(&mut self, now: SimTime) {
        self.stop = self.stop.min(now);
    }

    /// Returns the start of the measured phase that the definition of the flow states.
    pub fn begins_to_count(&self) -> SimTime {
        self.measured_from
    }

    /// Sets the timing parameters of the flow.
    #[must_use]
    pub fn at_pace(self, pace: Pace) -> Self {
        Self { pace, ..self }
    }

    /// Returns the timing parameters of the flow.
    pub fn pace(&self) -> Pace {
        self.pace
    }

    /// Returns the loop mode of the flow.
    pub fn mode(&self) -> LoopMode {
        self.mode
    }

    /// Returns the request source.
    pub fn source(&self) -> &dyn RequestSource {
        &*self.source
    }

    /// Returns true if the flow issues no request at `now` or later.
    #[inline]
    pub fn is_over(&self, now: SimTime) -> bool {
        now > self.stop
    }

    /// Returns true if a request was not issued because its time exceeds the simulated time range.
    pub const fn is_cut_by_clock(&self) -> bool {
        self.is_cut_by_clock
    }

    /// Returns true if the flow has ended before `now`, so that a request due at `now` is not issued. Records
    /// whether the end of the simulated time range is the reason.
    #[inline]
    pub fn refuses(&mut self, now: SimTime) -> bool {
        let is_over = self.is_over(now);
        self.is_cut_by_clock |= is_over && self.stop == LAST_ISSUE;
        is_over
    }

    /// Returns and clears the error that ended the source, if there is one.
    pub fn take_error(&mut self) -> Option<SourceError> {
        self.error.take()
    }

    /// Returns the next request to issue at `now`; `None` if the source has ended or failed, or if the flow
    /// has ended.
    #[inline]
    pub fn next_request(&mut self, now: SimTime) -> Option<HostRequest> {
        if self.next_in_batch == self.batch.len() {
            self.refill();
        }
        let request = self.batch.get(self.next_in_batch).copied()?;
        let issued = if self.mode == LoopMode::Open { request.arrival.max(now) } else { now };
        if self.refuses(issued) {
            return None;
        }
        self.next_in_batch += 1;
        let request = if request.op == Op::TrimRange { self.join_ranges(request)? } else { request };
        Some(HostRequest { queue: self.queue.unwrap_or(request.queue), ..request })
    }

    /// Joins the ranges of a trim. Returns the trim with its first range, and stores the other ranges in
    /// `further_ranges`. If the source lacks the last ranges of a trim, the trim consists of the ranges that
    /// are present.
    #[cold]
    fn join_ranges(&mut self, first: HostRequest) -> Option<HostRequest> {
        self.further_ranges.clear();
        let mut sectors = u64::from(first.sectors);
        while let Some(next) = self.next_range(&first) {
            self.next_in_batch += 1;
            self.further_ranges.push(next.range());
            sectors += u64::from(next.sectors);
            if next.op == Op::Trim {
                break;
            }
        }
        let label = || self.source.label().to_owned();
        let error = if self.further_ranges.len() >= MOST_RANGES as usize {
            Some(SourceError::TooManyRanges { label: label() })
        } else if sectors > u64::from(u32::MAX) {
            Some(SourceError::LongTrim { label: label(), sectors })
        } else {
            None
        };
        if error.is_some() {
            self.batch.truncate(self.next_in_batch);
            self.error = error;
            return None;
        }
        Some(HostRequest { op: Op::Trim, ..first })
    }

    /// Returns the next request if it is a range of the trim that begins with `first`.
    fn next_range(&mut self, first: &HostRequest) -> Option<HostRequest> {
        if self.next_in_batch == self.batch.len() {
            self.refill();
        }
        let next = self.batch.get(self.next_in_batch)?;
        let is_range = matches!(next.op, Op::Trim | Op::TrimRange);
        let is_of_trim = (next.queue, next.arrival) == (first.queue, first.arrival);
        let has_room = self.further_ranges.len() < MOST_RANGES as usize;
        (is_range && is_of_trim && has_room).then_some(*next)
    }

    /// Removes and returns the ranges of the trim that was returned last, after its first range. Returns none
    /// for other requests.
    #[inline]
    pub fn take_further_ranges(&mut self) -> impl Iterator<Item = SectorRange> {
        self.further_ranges.drain(..)
    }

    /// Returns true if the request that was returned last is a trim with several ranges.
    #[inline]
    pub const fn has_further_ranges(&self) -> bool {
        !self.further_ranges.is_empty()
    }

    /// Returns true if the flow has another request to issue, at `at` or, in an open loop, at its later
    /// arrival time.
    pub fn has_more(&mut self, at: SimTime) -> bool {
        if self.next_in_batch == self.batch.len() {
            self.refill();
        }
        let Some(request) = self.batch.get(self.next_in_batch) else { return false };
        let issued = if self.mode == LoopMode::Open { request.arrival.max(at) } else { at };
        !self.is_over(issued)
    }

    /// Returns true if some prefetched requests have not been issued.
    #[inline]
    pub fn has_near(&self) -> bool {
        self.next_in_batch < self.near
    }

    /// Returns up to `most` next requests, so that the caller can prefetch their mapping entries. Returns
    /// `None` while requests returned earlier remain to be issued.
    #[inline]
    pub fn prefetch_next(&mut self, most: usize) -> Option<&[HostRequest]> {
        if self.has_near() {
            return None;
        }
        let from = self.next_in_batch;
        self.near = self.batch.len().min(from + most);
        Some(&self.batch[from..self.near])
    }

    #[cold]
    fn refill(&mut self) {
        self.batch.clear();
        self.next_in_batch = 0;
        self.near = 0;
        if self.error.is_none() {
            self.error = self.source.fill(&mut self.batch, BATCH).err();
        }
    }
}

/// Returns `count` copies of `requests`, repeated cyclically with their mean gap. In an open loop, requests
/// that all arrive at the same time are not repeated.
fn repeated(requests: &[HostRequest], count: usize, mode: LoopMode) -> Vec<HostRequest> {
    let (Some(first), Some(last)) = (requests.first(), requests.last()) else { return Vec::new() };
    let span = last.arrival.max(first.arrival).since(first.arrival);
    let gap = span.as_ps() / (requests.len() as u64 - 1).max(1);
    let round = span.as_ps().saturating_add(gap);
    let repeats = round > 0 || matches!(mode, LoopMode::Closed { .. });
    let count = if repeats { count } else { requests.len().min(count) };
    let shifted = |(number, request): (usize, &HostRequest)| {
        let shift = SimSpan::from_ps(round.saturating_mul((number / requests.len()) as u64));
        HostRequest { arrival: request.arrival.saturating_add(shift), ..*request }
    };
    requests.iter().cycle().take(count).enumerate().map(shifted).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::Op;

    /// Test source of requests that arrive at the given times.
    struct ArrivalTimes(Vec<u64>);

    impl RequestSource for ArrivalTimes {
        fn fill(&mut self, into: &mut Vec<HostRequest>, at_most: usize) -> Result<usize, SourceError> {
            let count = at_most.min(self.0.len());
            into.extend(self.0.drain(..count).map(|ps| HostRequest {
                arrival: SimTime::from_ps(ps),
                start_sector: 0,
                sectors: 1,
                queue: 0,
                op: Op::Read,
                pattern_set: 0,
            }));
            Ok(count)
        }

        fn label(&self) -> &'static str {
            "times"
        }

        fn is_synthetic(&self) -> bool {
            true
        }
    }

    fn flow(mode: LoopMode) -> Flow {
        Flow::new(Box::new(ArrivalTimes(vec![1, 5, 6])), mode).until(SimTime::from_ps(5))
    }

    #[test]
    fn an_open_flow_ends_with_the_last_arrival_before_its_stop() {
        let mut flow = flow(LoopMode::Open);
        let mut next = || flow.next_request(SimTime::ZERO).map(|request| request.arrival.as_ps());
        assert_eq!([next(), next(), next()], [Some(1), Some(5), None]);
    }

    #[test]
    fn no_request_is_issued_when_the_clock_is_near_its_end_and_the_flow_records_it() {
        let late = LAST_ISSUE.as_ps() + 1;
        for mode in [LoopMode::Open, LoopMode::Closed { depth: 1 }] {
            let mut flow = Flow::new(Box::new(ArrivalTimes(vec![7, late])), mode);
            assert!(flow.next_request(SimTime::ZERO).is_some());
            assert!(!flow.is_cut_by_clock());
            assert!(flow.next_request(SimTime::from_ps(late)).is_none());
            assert!(flow.is_cut_by_clock(), "{mode:?}");
        }
        let mut ended = flow(LoopMode::Open);
        while ended.next_request(SimTime::ZERO).is_some() {}
        assert!(!ended.is_cut_by_clock(), "its own stop ended it");
    }

    #[test]
    fn every_request_but_the_first_of_a_batch_comes_near_once_before_it_is_issued() {
        let arrivals: Vec<u64> = (0..BATCH as u64 + 300).collect();
        let mut flow = Flow::new(Box::new(ArrivalTimes(arrivals.clone())), LoopMode::Closed { depth: 1 });
        let mut near = Vec::new();
        let mut issued = 0;
        while let Some(request) = flow.next_request(SimTime::ZERO) {
            let is_first_of_batch = issued % BATCH == 0;
            assert_eq!(near.contains(&request.arrival.as_ps()), !is_first_of_batch, "{issued}");
            if let Some(more) = flow.prefetch_next(128) {
                assert!(more.len() <= 128, "{} at once", more.len());
                near.extend(more.iter().map(|request| request.arrival.as_ps()));
            }
            issued += 1;
        }
        let expected: Vec<u64> = arrivals.into_iter().filter(|n| !n.is_multiple_of(BATCH as u64)).collect();
        assert_eq!(near, expected);
    }

    #[test]
    fn a_preview_has_the_next_requests_and_takes_none_away() {
        let arrivals: Vec<u64> = (0..2 * BATCH as u64).collect();
        let mut flow = Flow::new(Box::new(ArrivalTimes(arrivals.clone())), LoopMode::Open).on_queue(3);
        let rest = |flow: &mut Flow| {
            let next =
                || flow.next_request(SimTime::ZERO).map(|request| (request.queue, request.arrival.as_ps()));
            std::iter::from_fn(next).collect::<Vec<_>>()
        };
        let of = |arrivals: &[u64]| arrivals.iter().map(|&arrival| (3, arrival)).collect::<Vec<_>>();
        let mut preview = flow.preview(BATCH + 5);
        assert_eq!(rest(&mut preview), of(&arrivals[..BATCH + 5]));
        assert_eq!(rest(&mut flow), of(&arrivals));
        assert_eq!(rest(&mut flow.preview(7)), []);
    }

    #[test]
    fn a_preview_of_a_short_flow_repeats_its_requests_at_their_pace() {
        let arrivals = |mode, of: Vec<u64>, count| {
            let mut preview = Flow::new(Box::new(ArrivalTimes(of)), mode).preview(count);
            let next = || preview.next_request(SimTime::ZERO).map(|request| request.arrival.as_ps());
            std::iter::from_fn(next).collect::<Vec<_>>()
        };
        assert_eq!(arrivals(LoopMode::Open, vec![5, 15, 25], 7), [5, 15, 25, 35, 45, 55, 65]);
        assert_eq!(arrivals(LoopMode::Open, vec![4, 4], 7), [4, 4], "all at one instant");
        let last = LAST_ISSUE.as_ps();
        assert_eq!(arrivals(LoopMode::Open, vec![0, last], 7), [0, last], "the clock ends");
        let closed = LoopMode::Closed { depth: 2 };
        assert_eq!(arrivals(closed, vec![0, 0], 5), [0; 5]);
        assert!(arrivals(closed, vec![], 5).is_empty());
    }

    #[test]
    fn a_flow_has_more_requests_until_its_source_or_its_time_ends() {
        let at = SimTime::from_ps;
        for mode in [LoopMode::Open, LoopMode::Closed { depth: 1 }] {
            let mut flow = flow(mode);
            assert!(flow.has_more(at(0)) && flow.has_more(at(5)));
            assert!(!flow.has_more(at(6)), "the stop has passed");
            assert!(flow.next_request(at(0)).is_some() && flow.next_request(at(0)).is_some());
            assert_eq!(
                flow.has_more(at(0)),
                mode != LoopMode::Open,
                "an open loop's last arrival is behind the stop"
            );
        }
        let mut flow = Flow::new(Box::new(ArrivalTimes(vec![1])), LoopMode::Closed { depth: 1 });
        assert!(flow.has_more(at(0)) && flow.next_request(at(0)).is_some());
        assert!(!flow.has_more(at(0)), "the source is exhausted");
    }

    /// Returns a flow of requests with these operations, in the given order. The request with index n starts
    /// at sector n.
    fn flow_of(ops: Vec<Op>) -> Flow {
        let request = |(start_sector, op)| HostRequest {
            arrival: SimTime::ZERO,
            start_sector,
            sectors: 8,
            queue: 0,
            op,
            pattern_set: 0,
        };
        let requests = (0..).zip(ops).map(request).collect::<Vec<_>>().into_iter();
        Flow::new(Box::new(RequestPreview { requests, label: "trims".to_owned() }), LoopMode::Open)
    }

    /// Returns the operation and the first sectors of all ranges of each request.
    fn joined(flow: &mut Flow) -> Vec<(Op, Vec<u64>)> {
        let mut found = Vec::new();
        while let Some(request) = flow.next_request(SimTime::ZERO) {
            let further = flow.take_further_ranges().map(|range| range.start_sector);
            found.push((request.op, std::iter::once(request.start_sector).chain(further).collect()));
        }
        found
    }

    #[test]
    fn ranges_of_a_trim_are_joined() {
        use Op::{Read, Trim, TrimRange};
        let mut flow = flow_of(vec![Read, TrimRange, TrimRange, Trim, Trim, TrimRange, Read, TrimRange]);
        let expected: [(_, &[u64]); 6] =
            [(Read, &[0]), (Trim, &[1, 2, 3]), (Trim, &[4]), (Trim, &[5]), (Read, &[6]), (Trim, &[7])];
        assert_eq!(joined(&mut flow), expected.map(|(op, ranges)| (op, ranges.to_vec())));
        assert!(flow.take_error().is_none());
    }

    #[test]
    fn ranges_of_a_trim_in_two_batches_are_joined() {
        let mut ops = vec![Op::Read; BATCH - 2];
        ops.extend([Op::TrimRange, Op::TrimRange, Op::Trim, Op::Read]);
        let found = joined(&mut flow_of(ops));
        let first = BATCH as u64 - 2;
        assert_eq!(found[BATCH - 2], (Op::Trim, vec![first, first + 1, first + 2]));
        assert_eq!(found.len(), BATCH);
    }

    #[test]
    fn trim_with_too_many_ranges_is_an_error() {
        for (ranges, is_valid) in [(MOST_RANGES, true), (MOST_RANGES + 1, false)] {
            let mut ops = vec![Op::TrimRange; ranges as usize - 1];
            ops.push(Op::Trim);
            let mut flow = flow_of(ops);
            assert_eq!(joined(&mut flow).len(), usize::from(is_valid));
            let error = flow.take_error();
            assert_eq!(matches!(error, Some(SourceError::TooManyRanges { .. })), !is_valid);
        }
    }

    #[test]
    fn a_closed_flow_ends_with_the_clock() {
        let mut flow = flow(LoopMode::Closed { depth: 1 });
        assert!(flow.next_request(SimTime::from_ps(5)).is_some());
        assert!(flow.next_request(SimTime::from_ps(6)).is_none());
    }
}
