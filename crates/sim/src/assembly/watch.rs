//! Observer that is called for each event of a run, for measurements over time. Runs without an observer have
//! no overhead.

use std::collections::BTreeMap;

use venice_drive::device::Device;
use venice_drive::observe::{
    FlowSteadyState, IntervalSettings, Intervals, LogRows, PhaseRecord, RequestRow, SlowestRequests,
};
use venice_fabric::Fabric;
use venice_host::FlowId;
use venice_kernel::{SimSpan, SimTime};

use venice_requests::{Flow, Op};

use super::RunOptions;

/// Measurements over the duration of a run.
#[derive(Debug)]
pub(super) struct Watch {
    wanted: Option<IntervalSettings>,
    intervals: Option<Intervals>,
    most_slowest: u32,
    slowest: SlowestRequests,
    outstanding: u64,
    submitted: u64,
    /// Number of requests for each queue depth (number of outstanding requests) at their issue, if enabled.
    depths: Option<BTreeMap<u64, u64>>,
    /// Total time with outstanding requests in the measured phase, up to the time `looked_at`.
    busy: SimSpan,
    looked_at: SimTime,
    /// Record of the warm-up that preceded the measured phase.
    warmed_up: Option<PhaseRecord>,
    /// Steady-state detectors of groups of flows that end in steady state. The field `judged` contains the
    /// flows of each detector.
    judges: Vec<FlowSteadyState>,
    judged: Vec<Vec<FlowId>>,
    /// True if the activity of resources is recorded.
    slices: bool,
    /// Rows of the request log that have not been retrieved yet; `None` without a request log.
    rows: Option<Vec<RequestRow>>,
}

impl Watch {
    /// Creates the observer of a run, or returns `None` if no option and no flow needs an observer.
    pub fn new(options: &RunOptions, flows: &[Flow]) -> Option<Box<Self>> {
        let (judges, judged): (Vec<_>, Vec<_>) = judges(flows).into_iter().unzip();
        let is_wanted = options.is_watched() || options.slices.is_some() || !judges.is_empty();
        let watch = Self {
            wanted: options.intervals,
            intervals: None,
            most_slowest: options.slowest,
            slowest: SlowestRequests::new(options.slowest),
            outstanding: 0,
            submitted: 0,
            depths: options.distributions.then(BTreeMap::new),
            busy: SimSpan::ZERO,
            looked_at: SimTime::ZERO,
            warmed_up: None,
            judges,
            judged,
            slices: options.slices.is_some(),
            rows: (options.log_rows != LogRows::None).then(Vec::new),
        };
        is_wanted.then(|| Box::new(watch))
    }

    /// Returns the intervals of the measured phase, if enabled.
    pub fn intervals(&self) -> Option<&Intervals> {
        self.intervals.as_ref()
    }

    /// Returns the number of measured requests for each queue depth at their issue, if enabled.
    pub fn depths(&self) -> Option<&BTreeMap<u64, u64>> {
        self.depths.as_ref()
    }

    /// Returns the total time with outstanding requests in the measured phase.
    pub fn busy(&self) -> SimSpan {
        self.busy
    }

    /// Returns the steady-state detectors.
    pub fn judges(&self) -> &[FlowSteadyState] {
        &self.judges
    }

    /// Returns the slowest requests of the measured phase.
    pub fn slowest(&self) -> &SlowestRequests {
        &self.slowest
    }

    /// Returns the rows of the request log that have not been retrieved yet; `None` without a request log.
    pub fn rows_mut(&mut self) -> Option<&mut Vec<RequestRow>> {
        self.rows.as_mut()
    }

    /// Returns the earliest end of an interval; [`SimTime::MAX`] if there are no intervals.
    pub fn next_end(&self) -> SimTime {
        let judged = self.judges.iter().filter_map(FlowSteadyState::next_end);
        judged.chain(self.intervals.as_ref().map(Intervals::next_end)).min().unwrap_or(SimTime::MAX)
    }

    /// Updates the measurements before the next event, which occurs at `next`.
    pub fn before(&mut self, next: SimTime, device: &mut Device<dyn Fabric>) {
        self.judge(next, device);
        let Some(intervals) = &mut self.intervals else { return };
        while intervals.next_end() <= next {
            intervals.close(device.meters().sample(intervals.next_end()));
        }
    }

    /// Updates the measurements after an event.
    pub fn after(&mut self, now: SimTime, device: &mut Device<dyn Fabric>) {
        self.begin_phase(device);
        if self.slices {
            device.complete_slices(now);
        }
        let host = device.host();
        let (submitted, outstanding) = (host.submitted(), host.outstanding());
        self.note_depths(submitted, outstanding, device);
        self.note_busy(now, device.recorder().warm_up.is_none());
        if let (Some(intervals), true) = (&mut self.intervals, outstanding != self.outstanding) {
            intervals.outstanding(outstanding, now);
        }
        self.outstanding = outstanding;
        if device.probes().log().is_some_and(|log| !log.rows.is_empty()) {
            self.completed(device);
        }
    }

    /// Ends the flows that have reached their steady state before `next`.
    fn judge(&mut self, next: SimTime, device: &mut Device<dyn Fabric>) {
        for (judge, flows) in self.judges.iter_mut().zip(&self.judged) {
            let was_steady = judge.attained().is_some();
            if judge.before(next) && !was_steady {
                let at = judge.attained().unwrap_or(next);
                for &flow in flows {
                    device.host_mut().flows.end(flow, at);
                }
            }
        }
    }

    /// Records the queue depth of each newly issued request, including the request itself.
    fn note_depths(&mut self, submitted: u64, outstanding: u64, device: &Device<dyn Fabric>) {
        let issued = submitted - std::mem::replace(&mut self.submitted, submitted);
        if let Some(depths) = &mut self.depths {
            // Only measured requests: the last requests of the warm-up may have the same issue time.
            for before in (0..issued).filter(|before| device.recorder().is_measured(submitted - 1 - before)) {
                let depth = (outstanding - before.min(outstanding)).max(1);
                *depths.entry(1 << depth.ilog2()).or_default() += 1;
            }
        }
    }

    /// Adds the time since the last event to the busy time, if requests were outstanding in this time.
    fn note_busy(&mut self, now: SimTime, is_measured: bool) {
        let passed = now.since(std::mem::replace(&mut self.looked_at, now));
        if !is_measured {
            self.busy = SimSpan::ZERO;
        } else if self.outstanding > 0 {
            self.busy += passed;
        }
    }

    /// Completes the measurements at the end of the run.
    pub fn finish(&mut self, device: &Device<dyn Fabric>) {
        let recorder = device.recorder();
        let end = recorder.last_completion.max(recorder.drive.last_work);
        if let Some(intervals) = self.intervals.as_mut().filter(|intervals| end >= intervals.start()) {
            intervals.finish(end, device.meters().sample(end));
        }
    }

    /// Checks if the run or its measured phase has just begun, and then starts the measurements.
    fn begin_phase(&mut self, device: &Device<dyn Fabric>) {
        let recorder = device.recorder();
        if recorder.warmed_up != self.warmed_up {
            self.warmed_up = recorder.warmed_up;
            self.slowest = SlowestRequests::new(self.most_slowest);
            self.depths = self.depths.take().map(|_| BTreeMap::new());
            self.busy = SimSpan::ZERO;
        }
        let measured = recorder.first_request.filter(|_| recorder.warm_up.is_none());
        let (Some(settings), Some(start)) = (self.wanted, measured) else { return };
        if self.intervals.as_ref().is_none_or(|intervals| intervals.start() != start) {
            let mut before = device.meters().sample(start);
            before.issued = recorder.warmed_up.map_or(0, |phase| phase.requests);
            let mut intervals = Intervals::new(settings, start, before);
            intervals.outstanding(device.host().outstanding(), start);
            self.intervals = Some(intervals);
        }
    }

    /// Adds a completed request to the measurements that use it.
    fn observe(&mut self, row: &RequestRow, is_measured: bool) {
        if !row.has_failed {
            self.judges.iter_mut().for_each(|judge| judge.completed(row));
        }
        if is_measured && !row.has_failed {
            self.slowest.add(row);
        }
        if let Some(intervals) = self.intervals.as_mut().filter(|_| is_measured) {
            intervals.completed(row);
        }
    }

    fn completed(&mut self, device: &mut Device<dyn Fabric>) {
        let log = device.probes_mut().log_mut();
        let rows = log.map(|log| std::mem::take(&mut log.rows)).unwrap_or_default();
        let recorder = device.recorder();
        for row in &rows {
            // A trim with several ranges has further rows, but is one request.
            if row.op != Op::TrimRange {
                self.observe(row, recorder.is_measured(row.number));
            }
            if let Some(rows) = &mut self.rows {
                rows.push(*row);
            }
        }
    }
}

/// Creates a steady-state detector for each group of flows that end in steady state. Returns them with the
/// flows of each group.
fn judges(flows: &[Flow]) -> Vec<(FlowSteadyState, Vec<FlowId>)> {
    let mut groups: BTreeMap<u32, Vec<FlowId>> = BTreeMap::new();
    for (id, goal) in (0..).map(FlowId).zip(flows).filter_map(|(id, flow)| Some((id, flow.steady()?))) {
        groups.entry(goal.group).or_default().push(id);
    }
    let flow = |id: &FlowId| &flows[id.0 as usize];
    let judge = |ids: Vec<FlowId>| {
        let goal = *ids.iter().find_map(|id| flow(id).steady())?;
        let queues = ids.iter().map(|id| flow(id).queue().unwrap_or(0)).collect();
        let start = ids.iter().map(|id| flow(id).pace().start).min()?;
        Some((FlowSteadyState::new(goal, queues, start), ids))
    };
    groups.into_values().filter_map(judge).collect()
}
