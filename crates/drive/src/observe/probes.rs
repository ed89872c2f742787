//! Catalogue of probes, one field each.

use super::load::LoadRecord;
use super::probe::{CommandStart, Completion, Departure, PageCompletion, TransactionOrigins, TransferEnd};
use super::probe::{probes, with_events};
use super::{
    CausedWait, ChipTimes, DispatchRecord, Recorder, RequestLog, Rounds, Slices, StopCriterion, Violation,
    WaitAttribution,
};
use venice_kernel::{SimSpan, SimTime};
use venice_nand::chip::{ArrayWork, DieTransfer, Operation};
use venice_nand::geometry::{ChipId, DieId, PlaneId, RequestId, TransactionId};
use venice_nand::latency::StageClock;

with_events! { probes
    /// Probes of a run.
    Probes {
        /// Latencies and their stages, path conflicts, utilisation.
        recorder: Recorder,
        /// Arrivals and completions over time.
        load: LoadRecord,
        /// Cumulative counts for the rounds of the steady-state verdict.
        rounds: Rounds,
        /// Criterion that ends the run, if there is one.
        until: Option<Box<StopCriterion>>,
        /// Record for runs with a host scheduler.
        scheduled: Option<Box<DispatchRecord>>,
        /// Detailed probes on request; most runs have none, which costs one check per event.
        detailed: Option<Box<DetailedProbes>>,
        /// Request log, which processes only completions and costs nothing elsewhere.
        log: Option<Box<RequestLog>>,
    }
}

with_events! { probes
    /// Detailed probes, which cost time.
    DetailedProbes {
        /// Activities of chips over time.
        chip_times: Option<ChipTimes>,
        /// Attribution of waits to causes.
        attribution: Option<WaitAttribution>,
        /// Slices for the trace of a run.
        slices: Option<Box<Slices>>,
    }
}

impl Probes {
    /// Removes and returns the causes of a complete request's wait, if waits are attributed.
    #[inline]
    pub fn take_caused_wait(&mut self, id: RequestId) -> Option<CausedWait> {
        self.detailed.as_mut().and_then(|detailed| detailed.take_caused_wait(id))
    }

    /// True if waits are attributed to causes.
    pub fn attributes_waits(&self) -> bool {
        self.detailed.as_ref().is_some_and(|detailed| detailed.attribution.is_some())
    }

    /// Returns the request log, if one is kept.
    pub fn log(&self) -> Option<&RequestLog> {
        self.log.as_deref()
    }

    /// Returns the request log for draining its rows.
    pub fn log_mut(&mut self) -> Option<&mut RequestLog> {
        self.log.as_deref_mut()
    }

    /// Returns the slices, if slices are kept.
    pub fn slices(&self) -> Option<&Slices> {
        self.detailed.as_ref().and_then(|detailed| detailed.slices.as_deref())
    }

    /// Returns the slices for completing them.
    pub fn slices_mut(&mut self) -> Option<&mut Slices> {
        self.detailed.as_mut().and_then(|detailed| detailed.slices.as_deref_mut())
    }

    /// Returns the accounting violation found, if any.
    pub fn violation(&self) -> Option<&Violation> {
        self.recorder.violation.as_ref()
    }
}

impl DetailedProbes {
    #[cold]
    fn take_caused_wait(&mut self, id: RequestId) -> Option<CausedWait> {
        self.attribution.as_mut().map(|attribution| attribution.take(id))
    }
}
