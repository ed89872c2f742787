//! When the host is served: pauses without a request, and the last completion.

use super::served::{BusyTimes, WorkDone};

/// Record of when the host is served: of pauses, in which no request is outstanding, and of the last completion.
#[derive(Debug)]
pub(super) struct ServiceRecord {
    is_paused: bool,
    /// Work in pauses, if it is asked for.
    pauses: Option<Pauses>,
    /// Work up to the last pause behind which no request was certain.
    end: Option<Box<WorkDone>>,
}

/// Work while the host had no request outstanding.
#[derive(Clone, Copy, Debug, Default)]
struct Pauses {
    /// Work before the pause that is not over.
    begun: Option<BusyTimes>,
    /// Work in pauses that are over.
    work: BusyTimes,
}

impl Pauses {
    /// Returns the part of `all` that was done outside pauses.
    fn outside(self, all: BusyTimes) -> BusyTimes {
        let mut outside = BusyTimes::default();
        outside.add_between(self.work, self.begun.unwrap_or(all));
        outside
    }
}

impl ServiceRecord {
    /// The record of a host without requests.
    pub(super) fn new(measures_pauses: bool) -> Self {
        Self { is_paused: true, pauses: measures_pauses.then(Pauses::default), end: None }
    }

    /// Returns true if the host has no request outstanding, as far as is known.
    #[inline]
    pub(super) const fn is_paused(&self) -> bool {
        self.is_paused
    }

    /// Returns true if the work in pauses is asked for.
    pub(super) const fn measures_pauses(&self) -> bool {
        self.pauses.is_some()
    }

    /// Forgets what lies before the measured phase, which begins.
    pub(super) fn restart(&mut self) {
        self.pauses = self.pauses.map(|_| Pauses::default());
        self.end = None;
    }

    /// A pause begins or ends, when the drive has done `busy`.
    pub(super) fn change(&mut self, is_paused: bool, busy: Option<BusyTimes>) {
        self.is_paused = is_paused;
        let (Some(pauses), Some(busy)) = (&mut self.pauses, busy) else { return };
        if is_paused {
            pauses.begun = Some(busy);
        } else if let Some(begun) = pauses.begun.take() {
            pauses.work.add_between(begun, busy);
        }
    }

    /// The work up to the last completion, of a run that is over.
    pub(super) fn end(&self) -> Option<&WorkDone> {
        self.end.as_deref()
    }

    /// Returns the part of `all` that was done while the host had requests outstanding, if it is asked for.
    pub(super) fn outside_pauses(&self, all: BusyTimes) -> Option<BusyTimes> {
        self.pauses.map(|pauses| pauses.outside(all))
    }

    /// The request that was completed may have been the last one.
    pub(super) fn note_end(&mut self, work: WorkDone) {
        self.end = Some(Box::new(work));
    }
}
