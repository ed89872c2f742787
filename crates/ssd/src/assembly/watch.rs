//! Stepping through a run event by event, for who wants to know what happened when.
//!
//! A run that nobody watches is not stepped through, and knows nothing of this.

use venice_kernel::SimTime;

use crate::device::Device;
use crate::fabric::Fabric;
use crate::observe::{IntervalSettings, Intervals, RequestRow, Slowest};

use super::RunOptions;

/// What is made of a run while it goes on.
#[derive(Debug)]
pub(super) struct Watch {
    wanted: Option<IntervalSettings>,
    intervals: Option<Intervals>,
    slowest: Slowest,
    outstanding: u64,
    /// Rows of the request log, if one is kept, until they are taken.
    rows: Option<Vec<RequestRow>>,
}

impl Watch {
    /// Nothing happened yet; none if nobody asks.
    pub fn new(options: &RunOptions) -> Option<Box<Self>> {
        let watch = Self {
            wanted: options.intervals,
            intervals: None,
            slowest: Slowest::new(options.slowest),
            outstanding: 0,
            rows: options.log_requests.then(Vec::new),
        };
        options.is_watched().then(|| Box::new(watch))
    }

    /// The intervals of the measured phase, if they were asked for.
    pub fn intervals(&self) -> Option<&Intervals> {
        self.intervals.as_ref()
    }

    /// The slowest requests of the measured phase.
    pub fn slowest(&self) -> &Slowest {
        &self.slowest
    }

    /// The rows of the request log since the last call.
    pub fn take_rows(&mut self) -> Vec<RequestRow> {
        self.rows.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// Nothing is going to happen any more before `next`.
    pub fn before(&mut self, next: SimTime, device: &Device<dyn Fabric>) {
        let Some(intervals) = &mut self.intervals else { return };
        while intervals.next_end() <= next {
            intervals.close(device.sample(intervals.next_end()));
        }
    }

    /// Something has happened.
    pub fn after(&mut self, now: SimTime, device: &mut Device<dyn Fabric>) {
        self.begin_phase(device);
        let host = device.host();
        let outstanding = host.submitted() - host.completed();
        if let (Some(intervals), true) = (&mut self.intervals, outstanding != self.outstanding) {
            intervals.outstanding(outstanding, now);
        }
        self.outstanding = outstanding;
        if device.recorder().log.as_ref().is_some_and(|log| !log.is_empty()) {
            self.completed(device);
        }
    }

    /// The run is over.
    pub fn finish(&mut self, device: &Device<dyn Fabric>) {
        let recorder = device.recorder();
        let end = recorder.last_completion.max(recorder.last_work);
        if let Some(intervals) = self.intervals.as_mut().filter(|intervals| end >= intervals.start()) {
            intervals.finish(end, device.sample(end));
        }
    }

    /// Takes notice of the first request of a run, or of the measured phase.
    fn begin_phase(&mut self, device: &Device<dyn Fabric>) {
        let recorder = device.recorder();
        let measured = recorder.first_request.filter(|_| recorder.warm_up.is_none());
        let (Some(settings), Some(start)) = (self.wanted, measured) else { return };
        if self.intervals.as_ref().is_none_or(|intervals| intervals.start() != start) {
            let mut before = device.sample(start);
            before.issued = recorder.warmed_up.map_or(0, |phase| phase.requests);
            let mut intervals = Intervals::new(settings, start, before);
            intervals.outstanding(device.host().submitted() - device.host().completed(), start);
            self.intervals = Some(intervals);
        }
    }

    fn completed(&mut self, device: &mut Device<dyn Fabric>) {
        let recorder = device.recorder_mut();
        let unmeasured = if recorder.warm_up.is_some() {
            u64::MAX
        } else {
            recorder.warmed_up.map_or(0, |phase| phase.requests)
        };
        for row in recorder.log.iter_mut().flat_map(|log| log.drain(..)) {
            if row.number >= unmeasured && !row.has_failed {
                self.slowest.add(&row);
                if let Some(intervals) = &mut self.intervals {
                    intervals.completed(&row);
                }
            }
            if let Some(rows) = &mut self.rows {
                rows.push(row);
            }
        }
    }
}
