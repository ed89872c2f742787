//! FIOS: equal timeslices of the drive for each flow, reads before writes, and anticipation.
//!
//! # How
//! *Timeslices.* Each flow has a timeslice per epoch. A completed request is charged its time in the drive,
//! divided by the number of requests in the drive at its dispatch, itself included. A flow that has used its
//! timeslice waits for the next epoch. The epoch ends when no flow with a remaining timeslice has a request
//! that waits, is in the drive, or is anticipated.
//!
//! *Read preference.* Among flows with a remaining timeslice, reads precede writes, each in order of arrival.
//! Writes wait while a read waits or is in the drive.
//!
//! *Anticipation.* After its only read has completed, a flow is expected to send another request. Until it
//! does, but for at most α / (1 − α) times the mean time of reads in the drive, other flows' writes wait, and
//! the epoch goes on. The drive is therefore kept idle for at most the share α of the time.
//!
//! # What is left out
//! Calibrated costs for each size of request, which the paper prefers if a calibration exists; detection of
//! drives without interference between reads and writes.
//!
//! # Source
//! Park, Shen: "FIOS: A Fair, Efficient Flash I/O Scheduler", FAST 2012, §3. The paper does not define the
//! treatment of time used beyond a timeslice; here it is not carried over.

use std::collections::VecDeque;

use venice_kernel::{SimSpan, SimTime};
use venice_params::{declare, number};
use venice_requests::request::Op;

use super::{
    CompletedRequest, DriveCapacity, HostScheduler, QueuedRequest, SchedulerCounters, SchedulerModel,
    SchedulerSettings, Scheme,
};

/// Maximum timeslice in microseconds.
const LONGEST_US: f64 = 1e9;
/// Maximum share of the time for which the scheduler may keep the drive idle.
const MOST_IDLE: f64 = 0.99;

declare! {
    /// Parameters of `fios`.
    pub struct FiosParameters in "host.scheduler." {
        /// Time in the drive that each flow may use per epoch, for `fios`.
        fios_timeslice_us: f64 = number(0.001, LONGEST_US), unit "µs", default "20000",
            source "assumed: a fifth of the 100 ms of Linux's CFQ, with which Park and Shen, FIOS, FAST 2012, compare";
        /// Maximum share of time for which `fios` keeps the drive idle because it expects a read soon
        /// (anticipation); 0: no anticipation.
        fios_idle_share: f64 = number(0.0, MOST_IDLE), unit "", default "0.5",
            source "Park, Shen, FIOS, FAST 2012, §3.4 (a bound on idling); value assumed: as long as a read";
    }
}

/// Waiting requests of a flow, and the used part of its timeslice.
#[derive(Clone, Debug, Default)]
struct FlowAccount {
    /// Waiting reads (index 0) and writes (index 1), each with its arrival number.
    waiting: [VecDeque<(u64, QueuedRequest)>; 2],
    in_drive: u32,
    /// Time charged to the flow in this epoch.
    used: SimSpan,
    /// Time until which the flow's next request is anticipated.
    expected_until: Option<SimTime>,
}

impl FlowAccount {
    fn has_waiting(&self) -> bool {
        self.waiting.iter().any(|line| !line.is_empty())
    }

    fn is_expected(&self, now: SimTime) -> bool {
        self.expected_until.is_some_and(|until| until > now)
    }

    /// True if the flow has requests, or if its next request is anticipated.
    fn is_active(&self, now: SimTime) -> bool {
        self.in_drive > 0 || self.has_waiting() || self.is_expected(now)
    }
}

/// FIOS scheduler.
#[derive(Clone, Debug)]
pub struct Fios {
    timeslice: SimSpan,
    /// Maximum wait for a flow's next request, as a multiple of the mean time that a read spends in the
    /// drive.
    patience: f64,
    flows: Vec<FlowAccount>,
    in_drive: u32,
    reads_in_drive: u32,
    /// Number of completed reads, and the sum of the times that they spent in the drive.
    reads: (u64, SimSpan),
    arrivals: u64,
    waiting: usize,
}

const READS: usize = 0;
const WRITES: usize = 1;

const fn line_of(op: Op) -> usize {
    match op {
        Op::Read | Op::Gather | Op::Search => READS,
        _ => WRITES,
    }
}

impl SchedulerModel for Fios {
    type Parameters = FiosParameters;

    fn new(_scheme: Scheme, own: &FiosParameters, _settings: &SchedulerSettings) -> Self {
        Self {
            timeslice: SimSpan::from_us_f64(own.fios_timeslice_us),
            patience: own.fios_idle_share / (1.0 - own.fios_idle_share),
            flows: Vec::new(),
            in_drive: 0,
            reads_in_drive: 0,
            reads: (0, SimSpan::ZERO),
            arrivals: 0,
            waiting: 0,
        }
    }
}

impl Fios {
    fn flow(&mut self, queue: u16) -> &mut FlowAccount {
        let place = usize::from(queue);
        if self.flows.len() <= place {
            self.flows.resize_with(place + 1, FlowAccount::default);
        }
        &mut self.flows[place]
    }

    /// Iterates over the flows that have not used up their timeslice.
    fn in_turn(&self) -> impl Iterator<Item = (usize, &FlowAccount)> {
        let timeslice = self.timeslice;
        self.flows.iter().enumerate().filter(move |(_, flow)| flow.used < timeslice)
    }

    /// Begins the next epoch if the current one is over.
    fn begin_epoch(&mut self, now: SimTime) {
        if !self.in_turn().any(|(_, flow)| flow.is_active(now)) {
            self.flows.iter_mut().for_each(|flow| flow.used = SimSpan::ZERO);
        }
    }

    /// Returns the flow with the oldest first request that the drive accepts, among reads or among
    /// writes.
    fn oldest(&self, line: usize, room: &DriveCapacity) -> Option<usize> {
        let head = |(place, flow): (usize, &FlowAccount)| {
            let (number, queued) = flow.waiting[line].front()?;
            room.takes(queued).then_some((*number, place))
        };
        self.in_turn().filter_map(head).min().map(|(_, place)| place)
    }

    /// True if writes of the flow with index `place` must wait for reads.
    fn holds_writes(&self, place: usize, now: SimTime) -> bool {
        let another_is_expected =
            |(other, flow): (usize, &FlowAccount)| other != place && flow.is_expected(now);
        self.reads_in_drive > 0
            || self.in_turn().any(|(_, flow)| !flow.waiting[READS].is_empty())
            || self.in_turn().any(another_is_expected)
    }

    fn select(&self, now: SimTime, room: &DriveCapacity) -> Option<(usize, usize)> {
        if let Some(place) = self.oldest(READS, room) {
            return Some((place, READS));
        }
        let place = self.oldest(WRITES, room)?;
        (!self.holds_writes(place, now)).then_some((place, WRITES))
    }

    /// Removes and returns the first waiting read or write (`line`) of the flow with index `place`. The tag
    /// of the request becomes the number of requests in the drive.
    fn dispatch(&mut self, place: usize, line: usize) -> Option<QueuedRequest> {
        let flow = &mut self.flows[place];
        let (_, mut queued) = flow.waiting[line].pop_front()?;
        flow.in_drive += 1;
        self.in_drive += 1;
        self.reads_in_drive += u32::from(line == READS);
        self.waiting -= 1;
        queued.tag = u64::from(self.in_drive);
        Some(queued)
    }

    /// Returns the maximum wait for the next request of a flow.
    fn window(&self) -> SimSpan {
        let (count, total) = self.reads;
        SimSpan::from_us_f64(self.patience * total.as_us() / count.max(1) as f64)
    }
}

impl HostScheduler for Fios {
    fn add(&mut self, queued: QueuedRequest) {
        let number = self.arrivals;
        self.arrivals += 1;
        self.waiting += 1;
        let flow = self.flow(queued.queue);
        flow.expected_until = None;
        flow.waiting[line_of(queued.op)].push_back((number, queued));
    }

    fn next(&mut self, now: SimTime, room: &DriveCapacity) -> Option<QueuedRequest> {
        if self.waiting == 0 {
            return None;
        }
        self.begin_epoch(now);
        let (place, line) = self.select(now, room)?;
        self.dispatch(place, line)
    }

    fn completed(&mut self, done: CompletedRequest, now: SimTime) {
        let is_read = line_of(done.op) == READS;
        self.in_drive -= 1;
        if is_read {
            self.reads_in_drive -= 1;
            self.reads = (self.reads.0 + 1, self.reads.1 + done.in_drive);
        }
        let (window, timeslice) = (self.window(), self.timeslice);
        let flow = self.flow(done.queue);
        flow.in_drive -= 1;
        flow.used += SimSpan::from_ps(done.in_drive.as_ps() / done.tag.max(1));
        let is_idle = flow.in_drive == 0 && !flow.has_waiting() && flow.used < timeslice;
        if is_read && is_idle && !window.is_zero() {
            flow.expected_until = Some(now + window);
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

    fn fios(timeslice_us: f64, idle_share: f64) -> Fios {
        let own = FiosParameters { fios_timeslice_us: timeslice_us, fios_idle_share: idle_share };
        Fios::new(Scheme::Fios, &own, &settings())
    }

    #[test]
    fn an_epoch_gives_each_flow_equal_time_for_any_request_cost() {
        let mut drive = SerialDrive::new(fios(600.0, 0.0));
        for number in 0..40 {
            drive.scheduler.add(flow_request(number, Op::Read, (number % 2) as u16, at(0)));
        }
        // Requests of flow 0 take 100 µs, those of flow 1 take 300 µs.
        let took = |queued: &QueuedRequest| SimSpan::from_us(100 + 200 * u64::from(queued.queue));
        for epoch in 1..=3 {
            let served = drive.serve(8, took);
            let of_first = served.iter().filter(|queued| queued.queue == 0).count();
            assert_eq!((of_first, served.len()), (6, 8), "epoch {epoch}");
        }
    }

    #[test]
    fn time_in_the_drive_is_divided_by_the_requests_that_were_there_at_the_dispatch() {
        let mut fios = fios(1000.0, 0.0);
        for number in 0..3 {
            fios.add(flow_request(number, Op::Read, 0, at(0)));
        }
        let sent: Vec<_> = std::iter::from_fn(|| fios.next(at(0), &DriveCapacity::unlimited())).collect();
        for queued in &sent {
            let took = SimSpan::from_us(60);
            fios.completed(CompletedRequest { in_drive: took, ..CompletedRequest::at_once(queued) }, at(60));
        }
        assert_eq!(fios.flows[0].used, SimSpan::from_us(60 + 30 + 20));
    }

    #[test]
    fn writes_wait_while_a_read_waits_or_is_in_the_drive() {
        let mut fios = fios(1000.0, 0.0);
        let room = DriveCapacity::unlimited();
        fios.add(flow_request(0, Op::Write, 0, at(0)));
        fios.add(flow_request(1, Op::Read, 1, at(0)));
        let read = fios.next(at(0), &room).expect("the read goes");
        assert_eq!((read.id.0, fios.next(at(0), &room)), (1, None));
        fios.completed(CompletedRequest::at_once(&read), at(10));
        assert_eq!(fios.next(at(10), &room).map(|queued| queued.id.0), Some(0));
    }

    #[test]
    fn a_read_is_anticipated_for_the_mean_time_of_reads_and_no_longer() {
        let mut drive = SerialDrive::new(fios(1e6, 0.5));
        drive.scheduler.add(flow_request(0, Op::Read, 0, at(0)));
        drive.scheduler.add(flow_request(1, Op::Write, 1, at(0)));
        drive.serve(1, |_| SimSpan::from_us(100));
        let room = DriveCapacity::unlimited();
        let mut fios = drive.scheduler;
        assert_eq!((fios.next(at(199), &room), fios.wakes_at()), (None, Some(at(200))));
        let mut with_another = fios.clone();
        with_another.add(flow_request(2, Op::Read, 0, at(199)));
        assert_eq!(with_another.next(at(199), &room).map(|queued| queued.id.0), Some(2));
        assert_eq!(with_another.next(at(200), &room), None, "the write waits for that read");
        fios.woken(at(200));
        assert_eq!(fios.next(at(200), &room).map(|queued| queued.id.0), Some(1));
    }
}
