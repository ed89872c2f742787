//! Service periods of the host: pauses without requests, and the last completion.

use super::measurement_window::{BusyTimes, WorkDone};

/// Record of pauses, in which no request is outstanding, and of the last completion.
#[derive(Debug)]
pub(super) struct ServiceRecord {
    is_paused: bool,
    /// True from the first request of the run.
    has_begun: bool,
    /// Work done while no request was outstanding, if it is measured.
    pauses: Option<Pauses>,
    /// Work up to the start of the last pause after which no request was certain.
    end: Option<Box<WorkDone>>,
}

/// Work while the host had no outstanding request.
#[derive(Clone, Copy, Debug, Default)]
struct Pauses {
    /// Work up to the start of the current pause.
    begun: Option<BusyTimes>,
    /// Work in completed pauses.
    work: BusyTimes,
}

impl Pauses {
    /// Returns the part of `all` outside pauses.
    fn outside(self, all: BusyTimes) -> BusyTimes {
        let mut outside = BusyTimes::default();
        outside.add_between(self.work, self.begun.unwrap_or(all));
        outside
    }
}

impl ServiceRecord {
    /// Creates the record of a host without requests.
    pub(super) fn new(measures_pauses: bool) -> Self {
        Self { is_paused: true, has_begun: false, pauses: measures_pauses.then(Pauses::default), end: None }
    }

    /// True if no request is outstanding, according to the last recorded event.
    #[inline]
    pub(super) const fn is_paused(&self) -> bool {
        self.is_paused
    }

    /// Records the first request of the run. Returns false if there was a request before.
    pub(super) const fn begin(&mut self) -> bool {
        !std::mem::replace(&mut self.has_begun, true)
    }

    /// True if the work in pauses is measured.
    pub(super) const fn measures_pauses(&self) -> bool {
        self.pauses.is_some()
    }

    /// Discards the record before the start of the measured phase.
    pub(super) fn restart(&mut self) {
        self.pauses = self.pauses.map(|_| Pauses::default());
        self.end = None;
    }

    /// Records the beginning or end of a pause without outstanding requests; `busy` is the drive's work so
    /// far.
    pub(super) fn change(&mut self, is_paused: bool, busy: Option<BusyTimes>) {
        self.is_paused = is_paused;
        let (Some(pauses), Some(busy)) = (&mut self.pauses, busy) else { return };
        if is_paused {
            pauses.begun = Some(busy);
        } else if let Some(begun) = pauses.begun.take() {
            pauses.work.add_between(begun, busy);
        }
    }

    /// Returns the work up to the last completion, for a finished run.
    pub(super) fn end(&self) -> Option<&WorkDone> {
        self.end.as_deref()
    }

    /// Returns the part of `all` that was done while the host had outstanding requests, if this is measured.
    pub(super) fn outside_pauses(&self, all: BusyTimes) -> Option<BusyTimes> {
        self.pauses.map(|pauses| pauses.outside(all))
    }

    /// Records the work done up to a completion that may be the last one.
    pub(super) fn note_end(&mut self, work: WorkDone) {
        self.end = Some(Box::new(work));
    }
}
