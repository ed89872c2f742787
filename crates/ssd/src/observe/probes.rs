//! The catalogue of probes: a field for each.

use super::load::LoadRecord;
use super::probe::{CommandStart, Completion, Departure, PageEnd, Reasons, TransferEnd};
use super::probe::{probes, with_events};
use super::{
    Behind, Blame, ChipTimes, Recorder, RequestLog, Rounds, ScheduledRecord, Slices, Until, Violation,
};
use crate::accounting::StageClock;
use crate::chip::{ArrayWork, Operation, Sent};
use crate::geometry::{ChipId, DieId, PlaneId, RequestId, TransactionId};
use venice_kernel::{SimSpan, SimTime};

with_events! { probes
    /// Everybody who looks at a run.
    Probes {
        /// Latencies, their parts, paths, occupation.
        recorder: Recorder,
        /// How requests come and go.
        load: LoadRecord,
        /// Counts from which rounds are cut.
        rounds: Rounds,
        /// Criterion that ends the run, if there is one.
        until: Option<Box<Until>>,
        /// What is asked of runs whose host has a scheduler.
        scheduled: Option<Box<ScheduledRecord>>,
        /// Those that are only there where somebody asks: most runs ask for none of them, which costs one question.
        closely: Option<Box<Closely>>,
        /// The request log: it looks at completions alone, so that it costs nothing elsewhere.
        log: Option<Box<RequestLog>>,
    }
}

with_events! { probes
    /// Who looks closely, which takes time.
    Closely {
        /// What chips spend their time on.
        chip_times: Option<ChipTimes>,
        /// The causes of requests' waits.
        blame: Option<Blame>,
        /// What everything was busy with when.
        slices: Option<Box<Slices>>,
    }
}

impl Probes {
    /// Returns the causes of the wait of a request that is complete, if causes are looked for. They are forgotten.
    #[inline]
    pub fn take_behind(&mut self, id: RequestId) -> Option<Behind> {
        self.closely.as_mut().and_then(|closely| closely.take_behind(id))
    }

    /// Returns true if the causes of requests' waits are looked for.
    pub fn looks_for_causes(&self) -> bool {
        self.closely.as_ref().is_some_and(|closely| closely.blame.is_some())
    }

    /// The request log, if one is kept.
    pub fn log(&self) -> Option<&RequestLog> {
        self.log.as_deref()
    }

    /// The same, for taking rows out of it.
    pub fn log_mut(&mut self) -> Option<&mut RequestLog> {
        self.log.as_deref_mut()
    }

    /// What everything was busy with, if that is kept.
    pub fn slices(&self) -> Option<&Slices> {
        self.closely.as_ref().and_then(|closely| closely.slices.as_deref())
    }

    /// The same, for completing them.
    pub fn slices_mut(&mut self) -> Option<&mut Slices> {
        self.closely.as_mut().and_then(|closely| closely.slices.as_deref_mut())
    }

    /// A wrong sum, should one ever be found.
    pub fn violation(&self) -> Option<&Violation> {
        self.recorder.violation.as_ref()
    }
}

impl Closely {
    #[cold]
    fn take_behind(&mut self, id: RequestId) -> Option<Behind> {
        self.blame.as_mut().map(|blame| blame.take(id))
    }
}
