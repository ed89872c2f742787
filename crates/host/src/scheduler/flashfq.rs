//! `FlashFQ`: start-time fair queueing with throttled dispatch and anticipation.
//!
//! # How
//! *Tags.* A request's start tag is the larger of the virtual time at its arrival and the finish tag of the
//! flow's previous request; its finish tag is the start tag plus its cost, a linear function of its size for
//! reads and for writes. The request with the smallest start tag goes first.
//!
//! *Throttled dispatch.* Progress is the smallest start tag of all requests that wait or are in the drive,
//! and of the anticipated ones. A request is sent only if its start tag exceeds the progress by at most a
//! threshold. Flows thus share the drive's parallelism, and none advances much further than the others.
//!
//! *Anticipation.* After its only read has completed, a flow is expected to send another request for a given
//! time. Until then its finish tag counts in the progress. Requests of other flows are sent as far as the
//! threshold permits.
//!
//! The virtual time is the largest progress so far; once all requests are complete, it becomes the largest
//! finish tag.
//!
//! # What is left out
//! Weights of flows: all flows have equal weights. Calibration: the costs are parameters.
//!
//! # Source
//! Shen, Park: "`FlashFQ`: A Fair Queueing I/O Scheduler for Flash-Based SSDs", USENIX ATC 2013, §3;
//! start-time fair queueing: Goyal, Vin, Cheng, SIGCOMM 1996.

use std::collections::VecDeque;

use venice_kernel::{SimSpan, SimTime};
use venice_params::{declare, number};
use venice_requests::SECTOR_BYTES;
use venice_requests::request::Op;

use super::{
    CompletedRequest, DriveCapacity, HostScheduler, QueuedRequest, SchedulerCounters, SchedulerModel,
    SchedulerSettings, Scheme,
};

/// Maximum of the time parameters, in microseconds.
const LONGEST_US: f64 = 1e6;
/// Number of bytes in a KB.
const KB: f64 = 1024.0;

declare! {
    /// Parameters of `flashfq`.
    pub struct FlashFqParameters in "host.scheduler." {
        /// Maximum lead of a request (its start tag) over the slowest flow, in the virtual time of fair
        /// queueing, for `flashfq`.
        flashfq_throttle_us: f64 = number(0.0, LONGEST_US), unit "µs", default "1000",
            source "Shen, Park, FlashFQ, ATC 2013, §3.1 (throttled dispatch); value assumed: five writes";
        /// Time for which `flashfq` waits for a flow's next request (anticipation); 0: no anticipation.
        flashfq_anticipation_us: f64 = number(0.0, LONGEST_US), unit "µs", default "500",
            source "Shen, Park, FlashFQ, ATC 2013, §3.2 (anticipation); value assumed: ten reads";
        /// Part of a read's cost that does not depend on its size, for `flashfq`.
        flashfq_read_us: f64 = number(0.001, LONGEST_US), unit "µs", default "20",
            source "assumed: a page's read; Shen, Park, FlashFQ, ATC 2013, §3.3, calibrate it for each drive";
        /// Part of a read's cost that is proportional to its size, for `flashfq`.
        flashfq_read_us_per_kb: f64 = number(0.0, LONGEST_US), unit "µs/KB", default "5",
            source "assumed: 4-KB pages of 20 µs; calibrated in the paper";
        /// Part of a write's cost that does not depend on its size, for `flashfq`.
        flashfq_write_us: f64 = number(0.001, LONGEST_US), unit "µs", default "200",
            source "assumed: a page's program; calibrated in the paper";
        /// Part of a write's cost that is proportional to its size, for `flashfq`.
        flashfq_write_us_per_kb: f64 = number(0.0, LONGEST_US), unit "µs/KB", default "50",
            source "assumed: 4-KB pages of 200 µs; calibrated in the paper";
    }
}

/// Virtual time, as a cost in picoseconds.
type Tag = u64;

/// Waiting requests and tags of a flow.
#[derive(Clone, Debug, Default)]
struct FlowTags {
    /// Waiting requests with their start tags.
    waiting: VecDeque<(Tag, QueuedRequest)>,
    /// Start tags of the flow's requests in the drive.
    in_drive: Vec<Tag>,
    /// Finish tag of the flow's latest request.
    finish: Tag,
    /// Time until which the flow's next request is anticipated.
    expected_until: Option<SimTime>,
}

impl FlowTags {
    /// Returns the flow's contribution to the progress: its smallest start tag, or its finish tag if its next
    /// request is anticipated.
    fn progress(&self, now: SimTime) -> Option<Tag> {
        let waiting = self.waiting.front().map(|&(start, _)| start);
        let expected = self.expected_until.filter(|&until| until > now).map(|_| self.finish);
        let in_drive = self.in_drive.iter().copied();
        in_drive.chain(waiting).chain(expected).min()
    }
}

/// `FlashFQ` scheduler.
#[derive(Clone, Debug)]
pub struct FlashFq {
    settings: FlashFqParameters,
    throttle: Tag,
    anticipation: SimSpan,
    flows: Vec<FlowTags>,
    virtual_time: Tag,
    waiting: usize,
}

impl SchedulerModel for FlashFq {
    type Parameters = FlashFqParameters;

    fn new(_scheme: Scheme, own: &FlashFqParameters, _settings: &SchedulerSettings) -> Self {
        Self {
            settings: *own,
            throttle: SimSpan::from_us_f64(own.flashfq_throttle_us).as_ps(),
            anticipation: SimSpan::from_us_f64(own.flashfq_anticipation_us),
            flows: Vec::new(),
            virtual_time: 0,
            waiting: 0,
        }
    }
}

impl FlashFq {
    fn flow(&mut self, queue: u16) -> &mut FlowTags {
        let place = usize::from(queue);
        if self.flows.len() <= place {
            self.flows.resize_with(place + 1, FlowTags::default);
        }
        &mut self.flows[place]
    }

    fn cost(&self, queued: &QueuedRequest) -> Tag {
        let own = &self.settings;
        let (fixed_us, us_per_kb) = match queued.op {
            Op::Read | Op::Gather | Op::Search => (own.flashfq_read_us, own.flashfq_read_us_per_kb),
            _ => (own.flashfq_write_us, own.flashfq_write_us_per_kb),
        };
        let kb = f64::from(queued.sectors) * f64::from(SECTOR_BYTES) / KB;
        SimSpan::from_us_f64(fixed_us + kb * us_per_kb).as_ps()
    }

    /// Advances the virtual time to the current progress.
    fn advance(&mut self, now: SimTime) {
        let progress = self.flows.iter().filter_map(|flow| flow.progress(now)).min();
        let finish = || self.flows.iter().map(|flow| flow.finish).max().unwrap_or(0);
        self.virtual_time = self.virtual_time.max(progress.unwrap_or_else(finish));
    }
}

impl HostScheduler for FlashFq {
    fn add(&mut self, queued: QueuedRequest) {
        self.advance(queued.since);
        let (cost, virtual_time) = (self.cost(&queued), self.virtual_time);
        self.waiting += 1;
        let flow = self.flow(queued.queue);
        flow.expected_until = None;
        let start = flow.finish.max(virtual_time);
        flow.finish = start + cost;
        flow.waiting.push_back((start, queued));
    }

    fn next(&mut self, now: SimTime, room: &DriveCapacity) -> Option<QueuedRequest> {
        self.advance(now);
        let latest = self.virtual_time + self.throttle;
        let heads = self.flows.iter().enumerate();
        let heads = heads.filter_map(|(place, flow)| Some((flow.waiting.front()?, place)));
        let accepted = heads.filter(|((start, queued), _)| *start <= latest && room.takes(queued));
        let (_, place) = accepted.min_by_key(|&((start, queued), place)| (*start, queued.since, place))?;
        let flow = &mut self.flows[place];
        let (start, queued) = flow.waiting.pop_front()?;
        flow.in_drive.push(start);
        self.waiting -= 1;
        Some(QueuedRequest { tag: start, ..queued })
    }

    fn completed(&mut self, done: CompletedRequest, now: SimTime) {
        let anticipation = self.anticipation;
        let flow = self.flow(done.queue);
        let place = flow.in_drive.iter().position(|&start| start == done.tag);
        flow.in_drive.swap_remove(place.expect("a request completes once, after its dispatch"));
        let is_idle = flow.in_drive.is_empty() && flow.waiting.is_empty();
        if is_idle && done.op != Op::Write && !anticipation.is_zero() {
            flow.expected_until = Some(now + anticipation);
        }
    }

    fn wakes_at(&self) -> Option<SimTime> {
        let until = self.flows.iter().filter_map(|flow| flow.expected_until).min();
        until.filter(|_| self.waiting > 0)
    }

    fn woken(&mut self, now: SimTime) {
        for flow in &mut self.flows {
            flow.expected_until = flow.expected_until.filter(|&until| until > now);
        }
    }

    fn waiting(&self) -> usize {
        self.waiting
    }

    fn counters(&self) -> SchedulerCounters {
        SchedulerCounters::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::testkit::contract::{SerialDrive, at, flow_request, settings};

    /// Builds the scheduler with costs of 100 µs for a read and 300 µs for a write.
    fn flashfq(throttle_us: f64, anticipation_us: f64) -> FlashFq {
        let own = FlashFqParameters {
            flashfq_throttle_us: throttle_us,
            flashfq_anticipation_us: anticipation_us,
            flashfq_read_us: 100.0,
            flashfq_read_us_per_kb: 0.0,
            flashfq_write_us: 300.0,
            flashfq_write_us_per_kb: 0.0,
        };
        FlashFq::new(Scheme::FlashFq, &own, &settings())
    }

    fn ids(served: &[QueuedRequest]) -> Vec<u32> {
        served.iter().map(|queued| queued.id.0).collect()
    }

    #[test]
    fn requests_go_in_the_order_of_their_start_tags() {
        let mut drive = SerialDrive::new(flashfq(1000.0, 0.0));
        // Reads of flow 0 have the start tags 0, 100, 200 ..., writes of flow 1 the tags 0, 300, 600.
        for number in 0..7 {
            drive.scheduler.add(flow_request(number, Op::Read, 0, at(0)));
        }
        for number in 7..10 {
            drive.scheduler.add(flow_request(number, Op::Write, 1, at(0)));
        }
        let served = drive.serve(10, |_| SimSpan::from_us(1));
        assert_eq!(ids(&served), [0, 7, 1, 2, 3, 8, 4, 5, 6, 9]);
    }

    #[test]
    fn no_request_is_further_ahead_of_the_slowest_than_the_threshold() {
        let mut flashfq = flashfq(150.0, 0.0);
        flashfq.add(flow_request(0, Op::Write, 0, at(0)));
        for number in 1..5 {
            flashfq.add(flow_request(number, Op::Read, 1, at(0)));
        }
        let room = DriveCapacity::unlimited();
        let sent: Vec<_> = std::iter::from_fn(|| flashfq.next(at(0), &room)).collect();
        assert_eq!(ids(&sent), [0, 1, 2], "start tags 0, 0 and 100; the next is 200");
        flashfq.completed(CompletedRequest::at_once(&sent[1]), at(10));
        assert_eq!(flashfq.next(at(10), &room), None, "the write is still at 0");
        flashfq.completed(CompletedRequest::at_once(&sent[0]), at(20));
        let sent: Vec<_> = std::iter::from_fn(|| flashfq.next(at(20), &room)).collect();
        assert_eq!(ids(&sent), [3], "100 is the least now, and 250 the most");
    }

    #[test]
    fn a_flow_that_is_about_to_send_a_read_keeps_its_place_for_a_time() {
        let mut drive = SerialDrive::new(flashfq(50.0, 40.0));
        drive.scheduler.add(flow_request(0, Op::Read, 0, at(0)));
        for number in 1..4 {
            drive.scheduler.add(flow_request(number, Op::Write, 1, at(0)));
        }
        let served = drive.serve(2, |_| SimSpan::from_us(10));
        assert_eq!(ids(&served), [0, 1]);
        let (mut flashfq, room) = (drive.scheduler, DriveCapacity::unlimited());
        // The read ended at 10 with finish tag 100; the next write has start tag 300.
        assert_eq!((flashfq.next(at(49), &room), flashfq.wakes_at()), (None, Some(at(50))));
        let mut with_another = flashfq.clone();
        with_another.add(flow_request(9, Op::Read, 0, at(49)));
        assert_eq!(with_another.next(at(49), &room).map(|queued| queued.id.0), Some(9));
        assert_eq!(with_another.next(at(49), &room), None);
        flashfq.woken(at(50));
        assert_eq!(flashfq.next(at(50), &room).map(|queued| queued.id.0), Some(2));
    }
}
