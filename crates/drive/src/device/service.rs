//! Record of pauses (periods without outstanding requests) and of the last completion.

use super::measurement_window::{BusyTimes, WorkDone};

/// Record of pauses (periods without outstanding requests) and of the drive's operations up to the last
/// completion.
#[derive(Debug)]
pub(super) struct ServiceRecord {
    is_paused: bool,
    /// True after the first request of the run has been issued.
    has_begun: bool,
    /// Busy times in pauses, if they are measured.
    pauses: Option<Pauses>,
    /// Operations and busy times up to the latest completion that may be the last one of the run.
    end: Option<Box<WorkDone>>,
}

/// Busy times in pauses (periods without outstanding requests).
#[derive(Clone, Copy, Debug, Default)]
struct Pauses {
    /// Busy times up to the start of the current pause.
    begun: Option<BusyTimes>,
    /// Busy times during all pauses that have ended.
    work: BusyTimes,
}

impl Pauses {
    /// Returns the part of the busy times `all` that lies outside pauses.
    fn outside(self, all: BusyTimes) -> BusyTimes {
        let mut outside = BusyTimes::default();
        outside.add_between(self.work, self.begun.unwrap_or(all));
        outside
    }
}

impl ServiceRecord {
    /// Creates the record at the start of a run. `measures_pauses` is true if busy times in pauses are
    /// measured.
    pub(super) fn new(measures_pauses: bool) -> Self {
        Self { is_paused: true, has_begun: false, pauses: measures_pauses.then(Pauses::default), end: None }
    }

    /// Returns true if no request was outstanding after the last recorded event.
    #[inline]
    pub(super) const fn is_paused(&self) -> bool {
        self.is_paused
    }

    /// Records the first request of the run. Returns false if it was recorded before.
    pub(super) const fn begin(&mut self) -> bool {
        !std::mem::replace(&mut self.has_begun, true)
    }

    /// Returns true if busy times in pauses are measured.
    pub(super) const fn measures_pauses(&self) -> bool {
        self.pauses.is_some()
    }

    /// Discards the recorded pauses and operations when the measured phase starts.
    pub(super) fn restart(&mut self) {
        self.pauses = self.pauses.map(|_| Pauses::default());
        self.end = None;
    }

    /// Records the beginning or end of a pause. `busy` contains the drive's busy times so far.
    pub(super) fn change(&mut self, is_paused: bool, busy: Option<BusyTimes>) {
        self.is_paused = is_paused;
        let (Some(pauses), Some(busy)) = (&mut self.pauses, busy) else { return };
        if is_paused {
            pauses.begun = Some(busy);
        } else if let Some(begun) = pauses.begun.take() {
            pauses.work.add_between(begun, busy);
        }
    }

    /// Returns the operations and busy times of a finished run up to the last completion.
    pub(super) fn end(&self) -> Option<&WorkDone> {
        self.end.as_deref()
    }

    /// Returns the part of the busy times `all` that lies outside pauses, if pauses are measured.
    pub(super) fn outside_pauses(&self, all: BusyTimes) -> Option<BusyTimes> {
        self.pauses.map(|pauses| pauses.outside(all))
    }

    /// Records the operations and busy times up to a completion that may be the last one of the run.
    pub(super) fn note_end(&mut self, work: WorkDone) {
        self.end = Some(Box::new(work));
    }
}
