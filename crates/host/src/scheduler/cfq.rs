//! Completely fair queueing (CFQ) as in Linux: each flow in turn has a time slice of the drive.
//!
//! # How
//! Each flow has a FIFO queue. Only the active flow sends requests. When its slice is over or its queue is
//! empty, the next flow with requests becomes active. Flows of the urgent class precede all others and
//! interrupt their slices; among themselves they take turns. The other classes correspond to the best-effort
//! levels 2, 4 and 6 of Linux, whose slice is `slice_sync` × (1 + (4 − level) / 5).
//!
//! While other flows wait, the active flow has at most a given number of requests in the drive. With an idle
//! time, a flow whose queue is empty remains active until that time after its last completion.
//!
//! # What is left out
//! Separate queues for asynchronous writes. Traces do not distinguish them, so they share the slices of
//! synchronous requests. Sector order within a flow, seek statistics, control groups.
//!
//! # Source
//! Linux before 5.0, block/cfq-iosched.c and kernel documentation `block/cfq-iosched`: `slice_sync`,
//! `slice_idle`, `quantum`, slices by priority. The mapping of classes to levels has no published source.

use std::collections::VecDeque;

use venice_kernel::{SimSpan, SimTime};
use venice_nand::geometry::Priority;
use venice_params::{declare, number, whole};

use super::{
    CompletedRequest, DriveCapacity, HostScheduler, QueuedRequest, SchedulerCounters, SchedulerModel,
    SchedulerSettings, Scheme,
};

/// Maximum of the time parameters, in milliseconds.
const LONGEST_MS: f64 = 1e6;
/// Slice difference between neighbouring priority levels, as a share of the middle level's slice
/// (`CFQ_SLICE_SCALE`).
const STEP: f64 = 0.2;

declare! {
    /// Parameters of `cfq`.
    pub struct CfqParameters in "host.scheduler." {
        /// Time slice of a flow of the class `medium`, for `cfq`.
        cfq_slice_ms: f64 = number(0.001, LONGEST_MS), unit "ms", default "100", source "Linux, block/cfq-iosched.c, slice_sync";
        /// Time for which a flow keeps its time slice after its last completion if none of its requests
        /// waits, for `cfq`.
        cfq_idle_ms: f64 = number(0.0, LONGEST_MS), unit "ms", default "0",
            source "Linux, block/cfq-iosched.c: slice_idle is 8 ms, and not used on drives without rotation that queue commands";
        /// Maximum number of requests in the drive from the flow that has the time slice, while other flows
        /// wait, for `cfq`.
        cfq_quantum: u32 = whole(1, 65_536), unit "requests", default "8", source "Linux, block/cfq-iosched.c, quantum";
    }
}

/// Waiting requests of a flow.
#[derive(Clone, Debug, Default)]
struct FlowQueue {
    waiting: VecDeque<QueuedRequest>,
    in_drive: u32,
    priority: Priority,
    latest_completion: Option<SimTime>,
    /// True if the flow is in the list of flows that wait for their turn.
    is_in_line: bool,
}

/// Turn of the active flow.
#[derive(Clone, Copy, Debug)]
struct FlowTurn {
    flow: usize,
    end: SimTime,
}

/// CFQ scheduler.
#[derive(Clone, Debug)]
pub struct Cfq {
    /// Slice of flows of the class `medium`.
    slice: SimSpan,
    idle: SimSpan,
    quantum: u32,
    flows: Vec<FlowQueue>,
    /// Flows that wait for their turn: index 0 holds those of the urgent class, index 1 all others.
    lines: [VecDeque<usize>; 2],
    turn: Option<FlowTurn>,
    waiting: usize,
}

const URGENT: usize = 0;

const fn line_of(priority: Priority) -> usize {
    match priority {
        Priority::Urgent => URGENT,
        Priority::High | Priority::Medium | Priority::Low => 1,
    }
}

/// Returns the number of priority levels by which a class is above the middle level.
const fn levels_above_middle(priority: Priority) -> f64 {
    match priority {
        Priority::High => 2.0,
        Priority::Urgent | Priority::Medium => 0.0,
        Priority::Low => -2.0,
    }
}

impl SchedulerModel for Cfq {
    type Parameters = CfqParameters;

    fn new(_scheme: Scheme, own: &CfqParameters, _settings: &SchedulerSettings) -> Self {
        Self {
            slice: SimSpan::from_us_f64(own.cfq_slice_ms * 1e3),
            idle: SimSpan::from_us_f64(own.cfq_idle_ms * 1e3),
            quantum: own.cfq_quantum,
            flows: Vec::new(),
            lines: [VecDeque::new(), VecDeque::new()],
            turn: None,
            waiting: 0,
        }
    }
}

impl Cfq {
    fn slice_of(&self, priority: Priority) -> SimSpan {
        let share = 1.0 + STEP * levels_above_middle(priority);
        SimSpan::from_us_f64(self.slice.as_us() * share)
    }

    fn enter_line(&mut self, place: usize) {
        let flow = &mut self.flows[place];
        if !flow.waiting.is_empty() && !flow.is_in_line {
            flow.is_in_line = true;
            self.lines[line_of(flow.priority)].push_back(place);
        }
    }

    fn others_wait(&self) -> bool {
        self.lines.iter().any(|line| !line.is_empty())
    }

    /// Returns the time until which the scheduler waits for the next request of the active flow; `None` if it
    /// does not wait.
    fn idle_until(&self, turn: FlowTurn) -> Option<SimTime> {
        let flow = &self.flows[turn.flow];
        let is_awaited = flow.waiting.is_empty() && !self.idle.is_zero();
        let after = if flow.in_drive > 0 { turn.end } else { flow.latest_completion? + self.idle };
        is_awaited.then(|| after.min(turn.end))
    }

    fn is_over(&self, turn: FlowTurn, now: SimTime) -> bool {
        let flow = &self.flows[turn.flow];
        let is_interrupted = flow.priority != Priority::Urgent && !self.lines[URGENT].is_empty();
        let is_empty = flow.waiting.is_empty() && self.idle_until(turn).is_none_or(|until| until <= now);
        is_empty || is_interrupted || now >= turn.end
    }

    /// Returns the active flow. If its turn has ended, makes the next flow active first.
    fn active(&mut self, now: SimTime) -> Option<usize> {
        if let Some(turn) = self.turn {
            if !self.is_over(turn, now) {
                return Some(turn.flow);
            }
            self.turn = None;
            self.enter_line(turn.flow);
        }
        let place = self.lines.iter_mut().find_map(VecDeque::pop_front)?;
        self.flows[place].is_in_line = false;
        self.turn = Some(FlowTurn { flow: place, end: now + self.slice_of(self.flows[place].priority) });
        Some(place)
    }
}

impl HostScheduler for Cfq {
    fn add(&mut self, queued: QueuedRequest) {
        let place = usize::from(queued.queue);
        if self.flows.len() <= place {
            self.flows.resize_with(place + 1, FlowQueue::default);
        }
        self.waiting += 1;
        let flow = &mut self.flows[place];
        flow.priority = queued.priority;
        flow.waiting.push_back(queued);
        if self.turn.is_none_or(|turn| turn.flow != place) {
            self.enter_line(place);
        }
    }

    fn next(&mut self, now: SimTime, room: &DriveCapacity) -> Option<QueuedRequest> {
        if self.waiting == 0 {
            return None;
        }
        let place = self.active(now)?;
        let (others_wait, quantum) = (self.others_wait(), self.quantum);
        let flow = &mut self.flows[place];
        let is_full = others_wait && flow.in_drive >= quantum;
        flow.waiting.front().filter(|queued| !is_full && room.takes(queued))?;
        let queued = flow.waiting.pop_front()?;
        flow.in_drive += 1;
        self.waiting -= 1;
        Some(queued)
    }

    fn completed(&mut self, done: CompletedRequest, now: SimTime) {
        let flow = &mut self.flows[usize::from(done.queue)];
        flow.in_drive -= 1;
        flow.latest_completion = Some(now);
    }

    fn wakes_at(&self) -> Option<SimTime> {
        self.turn.filter(|_| self.waiting > 0).and_then(|turn| self.idle_until(turn))
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

    use venice_requests::Op;

    use crate::testkit::contract::{SerialDrive, at, flow_request, settings};

    fn cfq(slice_ms: f64, idle_ms: f64, quantum: u32) -> Cfq {
        let own = CfqParameters { cfq_slice_ms: slice_ms, cfq_idle_ms: idle_ms, cfq_quantum: quantum };
        Cfq::new(Scheme::Cfq, &own, &settings())
    }

    fn of_class(number: usize, queue: u16, priority: Priority) -> QueuedRequest {
        QueuedRequest { priority, ..flow_request(number, Op::Read, queue, at(0)) }
    }

    /// Returns the length of each run of consecutive requests of the same flow.
    fn runs(served: &[QueuedRequest]) -> Vec<(u16, usize)> {
        served.chunk_by(|one, next| one.queue == next.queue).map(|run| (run[0].queue, run.len())).collect()
    }

    #[test]
    fn flows_have_slices_in_turn_whose_length_follows_from_their_class() {
        let mut drive = SerialDrive::new(cfq(1.0, 0.0, 8));
        for number in 0..90 {
            let queue = (number % 3) as u16;
            let priority = [Priority::High, Priority::Medium, Priority::Low][number % 3];
            drive.scheduler.add(of_class(number, queue, priority));
        }
        let served = drive.serve(60, |_| SimSpan::from_us(100));
        assert_eq!(runs(&served), [(0, 14), (1, 10), (2, 6), (0, 14), (1, 10), (2, 6)]);
    }

    #[test]
    fn the_urgent_class_interrupts_others() {
        let mut drive = SerialDrive::new(cfq(1.0, 0.0, 8));
        for number in 0..10 {
            drive.scheduler.add(of_class(number, 0, Priority::High));
        }
        let before = drive.serve(3, |_| SimSpan::from_us(100));
        for number in 10..12 {
            drive.scheduler.add(of_class(number, 1, Priority::Urgent));
        }
        let after = drive.serve(4, |_| SimSpan::from_us(100));
        assert_eq!((runs(&before), runs(&after)), (vec![(0, 3)], vec![(1, 2), (0, 2)]));
    }

    #[test]
    fn a_flow_has_as_many_requests_in_the_drive_as_the_quantum_while_others_wait() {
        let mut cfq = cfq(1.0, 0.0, 2);
        let room = DriveCapacity::unlimited();
        for number in 0..4 {
            cfq.add(of_class(number, 0, Priority::High));
        }
        cfq.add(of_class(4, 1, Priority::High));
        let sent: Vec<_> = std::iter::from_fn(|| cfq.next(at(0), &room)).collect();
        assert_eq!(runs(&sent), [(0, 2)]);
        cfq.completed(CompletedRequest::at_once(&sent[0]), at(10));
        assert_eq!(cfq.next(at(10), &room).map(|queued| queued.id.0), Some(2));
    }

    #[test]
    fn an_empty_queue_stays_active_for_the_idle_time() {
        let mut drive = SerialDrive::new(cfq(1.0, 0.05, 8));
        drive.scheduler.add(of_class(0, 0, Priority::High));
        drive.scheduler.add(of_class(1, 1, Priority::High));
        drive.serve(1, |_| SimSpan::from_us(100));
        let (mut cfq, room) = (drive.scheduler, DriveCapacity::unlimited());
        assert_eq!((cfq.next(at(149), &room), cfq.wakes_at()), (None, Some(at(150))));
        let mut with_another = cfq.clone();
        with_another.add(of_class(2, 0, Priority::High));
        assert_eq!(with_another.next(at(149), &room).map(|queued| queued.id.0), Some(2));
        assert_eq!(cfq.next(at(150), &room).map(|queued| queued.id.0), Some(1));
    }
}
