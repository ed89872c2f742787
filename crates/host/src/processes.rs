//! Processes that share cores of the host, in time slices.
//!
//! # What it models
//! Each host queue belongs to a process that is bound to a core, its index modulo the number of cores. A core runs
//! one process at a time, as the Completely Fair Scheduler of Linux does. A process runs until it has no request to
//! submit (it blocks), or until its slice has ended and another process has a request. The core then runs the
//! process with the least run time, its virtual run time, among those with requests. A process that blocked is
//! at most one slice behind the virtual run time that the running process had at the start of its slice.
//!
//! Processes that poll never block: each process of a core runs for a whole slice in turn, with or without requests.
//!
//! Cores may share a lock that a request holds for its whole core time. A core that waits for the lock is
//! occupied, and its process runs.
//!
//! # Closed forms
//! - *n* processes of many outstanding requests: those that are outstanding when a slice ends wait for *n* - 1
//!   slices.
//! - *n* processes with one outstanding request that saturate a core: each waits *n* times the core's time for its
//!   last request, since all virtual run times grow at 1 / *n* of real time. The latency therefore varies as the
//!   time of a single request does.
//!
//! # What is left out
//! A process that becomes runnable never interrupts another, and is one slice behind at most; in Linux it may
//! interrupt, and is half of `sched_latency_ns` behind. A request is completed even if the slice ends
//! meanwhile. Processes do not move to other cores. Flows with weights (`flow_shares`) issue their requests
//! without waiting for the core.

use std::collections::VecDeque;

use venice_kernel::{SimSpan, SimTime};
use venice_nand::geometry::RequestId;

/// Request that a core begins to submit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CoreStep {
    /// The request leaves its core at this time.
    Submits(RequestId, SimTime),
    /// The running process has no request; the next slice starts at this time.
    SliceStart(SimTime),
}

/// Request that waits for its process to run.
#[derive(Clone, Copy, Debug)]
struct WaitingRequest {
    id: RequestId,
    /// Time that the request takes of its core.
    span: SimSpan,
}

/// Process with requests to submit.
#[derive(Clone, Debug)]
struct Process {
    queue: u16,
    waiting: VecDeque<WaitingRequest>,
    /// Virtual run time of the process. A core selects the process with the smallest value.
    run_time: SimSpan,
}

/// Core with its processes.
#[derive(Clone, Debug, Default)]
struct Core {
    processes: Vec<Process>,
    /// Index of the process that runs.
    current: usize,
    /// End of the current slice.
    slice_end: SimTime,
    /// Time until which requests and threads of the kernel occupy the core.
    busy_until: SimTime,
    is_submitting: bool,
    /// Last start of a slice for which an event was scheduled.
    scheduled_start: SimTime,
    /// Largest virtual run time that a process had at the start of its slice. A process that has blocked
    /// resumes at most one slice behind this value.
    least_run_time: SimSpan,
}

/// Cores that run processes in time slices.
#[derive(Clone, Debug)]
pub(super) struct ProcessCores {
    cores: Vec<Core>,
    slice: SimSpan,
    is_polling: bool,
    /// Time at which the shared lock becomes free; `None` without a lock.
    lock: Option<SimTime>,
}

impl ProcessCores {
    /// Creates idle cores. Their first slices have different lengths, so that cores do not change processes at once.
    pub(super) fn new(cores: u32, slice: SimSpan, is_polling: bool, has_lock: bool) -> Self {
        let first = |index: u32| SimTime::from_ps(slice.as_ps() * u64::from(index + 1) / u64::from(cores));
        let cores = (0..cores).map(|index| Core { slice_end: first(index), ..Core::default() }).collect();
        Self { cores, slice, is_polling, lock: has_lock.then_some(SimTime::ZERO) }
    }

    /// Returns the index of the core of a queue.
    pub(super) fn core_of(&self, queue: u16) -> u16 {
        queue % self.cores.len() as u16
    }

    /// Accepts a request that takes `span` of its core. Returns the next step of the core, if it was idle.
    pub(super) fn accept(
        &mut self,
        queue: u16,
        id: RequestId,
        span: SimSpan,
        now: SimTime,
    ) -> Option<CoreStep> {
        let index = self.core_of(queue);
        self.cores[usize::from(index)].enqueue(queue, WaitingRequest { id, span }, self.slice);
        self.start_next(index, now)
    }

    /// Processes the instant at which a request leaves the core with this index. Returns the next step of the
    /// core.
    pub(super) fn finish_request(&mut self, index: u16, now: SimTime) -> Option<CoreStep> {
        self.cores[usize::from(index)].is_submitting = false;
        self.start_next(index, now)
    }

    /// Occupies the core of a queue for a thread of the kernel.
    pub(super) fn occupy(&mut self, queue: u16, span: SimSpan, now: SimTime) {
        let index = usize::from(self.core_of(queue));
        let core = &mut self.cores[index];
        core.busy_until = core.busy_until.max(now) + span;
    }

    /// Starts the next request of an idle core, or waits for the end of the slice if the running process has
    /// no request. Returns this step of the core; `None` if the core is submitting a request or no process
    /// has one.
    pub(super) fn start_next(&mut self, index: u16, now: SimTime) -> Option<CoreStep> {
        let core = &mut self.cores[usize::from(index)];
        if core.is_submitting || core.processes.iter().all(|process| process.waiting.is_empty()) {
            return None;
        }
        if self.is_polling {
            core.take_turns(self.slice, now);
        } else {
            core.select_process(self.slice, now);
        }
        let Some(WaitingRequest { id, span }) = core.processes[core.current].waiting.pop_front() else {
            let at = core.slice_end;
            return (core.scheduled_start < at).then(|| {
                core.scheduled_start = at;
                CoreStep::SliceStart(at)
            });
        };
        let lock = self.lock.unwrap_or(SimTime::ZERO);
        let end = now.max(core.busy_until).max(lock) + span;
        self.lock = self.lock.map(|_| end);
        core.busy_until = end;
        core.is_submitting = true;
        core.processes[core.current].run_time += end.since(now);
        Some(CoreStep::Submits(id, end))
    }
}

impl Core {
    /// Adds a request to the process of a queue.
    fn enqueue(&mut self, queue: u16, request: WaitingRequest, slice: SimSpan) {
        let found = self.processes.iter().position(|process| process.queue == queue);
        let place = found.unwrap_or_else(|| {
            self.processes.push(Process { queue, waiting: VecDeque::new(), run_time: self.least_run_time });
            self.processes.len() - 1
        });
        let process = &mut self.processes[place];
        if process.waiting.is_empty() {
            process.run_time = process.run_time.max(self.least_run_time.saturating_sub(slice));
        }
        process.waiting.push_back(request);
    }

    /// Selects the process that runs at `now`, one with a request.
    fn select_process(&mut self, slice: SimSpan, now: SimTime) {
        if now < self.slice_end && !self.processes[self.current].waiting.is_empty() {
            return;
        }
        let ready = self.processes.iter().enumerate().filter(|(_, process)| !process.waiting.is_empty());
        let Some((next, process)) = ready.min_by_key(|(_, process)| process.run_time) else { return };
        self.least_run_time = self.least_run_time.max(process.run_time);
        (self.current, self.slice_end) = (next, now + slice);
    }

    /// Selects the process that runs at `now` if each runs for a slice in turn.
    fn take_turns(&mut self, slice: SimSpan, now: SimTime) {
        if now < self.slice_end {
            return;
        }
        let slices = 1 + now.since(self.slice_end).as_ps() / slice.as_ps();
        self.slice_end = self.slice_end + SimSpan::from_ps(slices * slice.as_ps());
        self.current = (self.current + slices as usize) % self.processes.len();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SLICE: SimSpan = SimSpan::from_ps(100);

    /// Accepts requests `(queue, number, span)` at time `at` and returns each with its time of departure.
    fn departures(cores: &mut ProcessCores, at: u64, requests: &[(u16, u32, u64)]) -> Vec<(u32, u64)> {
        let accept = |&(queue, number, span): &(u16, u32, u64)| {
            cores.accept(queue, RequestId(number), SimSpan::from_ps(span), SimTime::from_ps(at))
        };
        let steps: Vec<_> = requests.iter().filter_map(accept).collect();
        let mut step = steps[0];
        let mut found = Vec::new();
        loop {
            let next = match step {
                CoreStep::Submits(RequestId(number), at) => {
                    found.push((number, at.as_ps()));
                    cores.finish_request(0, at)
                }
                CoreStep::SliceStart(at) => cores.start_next(0, at),
            };
            let Some(next) = next else { return found };
            step = next;
        }
    }

    #[test]
    fn process_runs_until_it_blocks_or_its_slice_ends() {
        let mut cores = ProcessCores::new(1, SLICE, false, false);
        let requests = [(0, 0, 60), (1, 1, 30), (0, 2, 60), (0, 3, 60), (1, 4, 30)];
        // The slice of queue 0 ends during its second request. Queue 1 then runs until it blocks.
        assert_eq!(departures(&mut cores, 0, &requests), [(0, 60), (2, 120), (1, 150), (4, 180), (3, 240)]);
    }

    #[test]
    fn core_runs_the_process_that_has_run_for_the_least_time() {
        let mut cores = ProcessCores::new(1, SLICE, false, false);
        let first = departures(&mut cores, 0, &[(0, 0, 50), (1, 1, 20), (2, 2, 90)]);
        assert_eq!(first, [(0, 50), (1, 70), (2, 160)]);
        let second = departures(&mut cores, 1_000, &[(2, 3, 10), (0, 4, 10), (1, 5, 10)]);
        // Queue 2 is chosen when it is the only one with a request.
        assert_eq!(second.iter().map(|(number, _)| *number).collect::<Vec<_>>(), [3, 5, 4]);
    }

    #[test]
    fn blocked_process_is_a_slice_behind_the_start_of_the_running_one() {
        let mut cores = ProcessCores::new(1, SLICE, false, false);
        departures(&mut cores, 0, &[(0, 0, 10), (1, 1, 10)]);
        departures(&mut cores, 1_000, &[(1, 2, 5_000), (1, 3, 5_000), (1, 4, 5_000)]);
        departures(&mut cores, 20_000, &[(0, 5, 10), (1, 6, 10)]);
        let run_times: Vec<_> = cores.cores[0].processes.iter().map(|one| one.run_time.as_ps()).collect();
        assert_eq!(run_times, [10_010 - 100 + 10, 15_020]);
    }

    #[test]
    fn thread_of_the_kernel_delays_the_next_request() {
        let mut cores = ProcessCores::new(1, SLICE, false, false);
        cores.occupy(0, SimSpan::from_ps(25), SimTime::ZERO);
        assert_eq!(departures(&mut cores, 0, &[(0, 0, 10)]), [(0, 35)]);
    }

    #[test]
    fn thread_of_the_kernel_runs_after_the_request_that_is_being_submitted() {
        let mut cores = ProcessCores::new(1, SLICE, false, false);
        let span = SimSpan::from_ps(10);
        let first = cores.accept(0, RequestId(0), span, SimTime::ZERO);
        assert_eq!(first, Some(CoreStep::Submits(RequestId(0), SimTime::from_ps(10))));
        assert_eq!(cores.accept(0, RequestId(1), span, SimTime::ZERO), None);
        cores.occupy(0, SimSpan::from_ps(25), SimTime::ZERO);
        let second = cores.finish_request(0, SimTime::from_ps(10));
        assert_eq!(second, Some(CoreStep::Submits(RequestId(1), SimTime::from_ps(45))));
    }

    #[test]
    fn polling_processes_run_in_turn() {
        let mut cores = ProcessCores::new(1, SLICE, true, false);
        let found = departures(&mut cores, 0, &[(0, 0, 60), (1, 1, 30), (2, 2, 30), (0, 3, 60), (0, 4, 60)]);
        // A request that begins within a slice is completed.
        assert_eq!(found, [(0, 60), (3, 120), (1, 150), (2, 230), (4, 360)]);
    }
}
