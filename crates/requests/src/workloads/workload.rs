//! What `--workload` names: one flow, or several that run at once.

use venice_kernel::{RandomStream, SimTime};

use super::error::WorkloadError;
use super::spec::{OpenLoop, Pacing, WorkloadSpec};
use crate::adapters::Moved;
use crate::request::{RequestSource, SourceError};
use crate::{Pace, SteadyGoal};

/// Spaces of flows that share a drive begin at multiples of this: 1 MiB.
const SPACE_SECTORS: u64 = 2048;

/// A workload of one or several flows.
#[derive(Clone, Debug, PartialEq)]
pub struct Workload {
    label: String,
    description: String,
    source: String,
    flows: Vec<FlowSpec>,
}

/// One flow, and the part of the drive that it knows as its own.
#[derive(Clone, Debug, PartialEq)]
pub struct FlowSpec {
    /// Its requests, counted from the first sector of its space.
    pub spec: WorkloadSpec,
    /// Its space.
    pub space: Space,
}

/// A part of the drive.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Space {
    /// All of it.
    Drive,
    /// One of several parts of the same size.
    Part {
        /// Which, from zero.
        number: u32,
        /// Of how many.
        of: u32,
    },
    /// From this sector on.
    From(u64),
    /// From this share of the drive on, from 0 to 1.
    FromShare {
        /// The share.
        ratio: f64,
        /// Rounded down to a multiple of this.
        align_sectors: u32,
    },
}

/// A flow that is ready to run.
pub struct OpenedFlow {
    /// Its requests, on the drive.
    pub source: Box<dyn RequestSource + Send>,
    /// What makes them come.
    pub pacing: Pacing,
    /// What else bears upon when they come.
    pub pace: Pace,
    /// When it ends at the latest.
    pub stop: Option<SimTime>,
    /// When its definition says that what is to be measured begins.
    pub measured_from: SimTime,
    /// When it counts as steady and ends, if it does.
    pub steady: Option<SteadyGoal>,
}

impl Workload {
    /// A workload of one flow, which has the whole drive.
    pub fn single(spec: WorkloadSpec) -> Self {
        let (label, description) = (spec.label().to_owned(), spec.description().to_owned());
        let source = spec.provenance().to_owned();
        Self { label, description, source, flows: vec![FlowSpec { spec, space: Space::Drive }] }
    }

    /// A workload of these flows.
    ///
    /// # Panics
    /// When there is none.
    pub fn of_flows(label: &str, description: &str, source: &str, flows: Vec<FlowSpec>) -> Self {
        assert!(!flows.is_empty(), "a workload has at least one flow");
        Self {
            label: label.to_owned(),
            description: description.to_owned(),
            source: source.to_owned(),
            flows,
        }
    }

    /// The preset's name, or the file's.
    pub fn label(&self) -> &str {
        &self.label
    }

    /// What the workload is, in a sentence.
    pub fn description(&self) -> &str {
        &self.description
    }

    /// Where its numbers come from.
    pub fn provenance(&self) -> &str {
        &self.source
    }

    /// Its flows; the place of each is the number of its queue.
    pub fn flows(&self) -> &[FlowSpec] {
        &self.flows
    }

    /// How many requests all flows give together.
    pub fn requests(&self) -> u64 {
        self.flows.iter().map(|flow| flow.spec.requests()).fold(0, u64::saturating_add)
    }

    /// The same workload with another number of requests in all, shared as before.
    #[must_use]
    pub fn with_requests(mut self, requests: u64) -> Self {
        let before = self.requests();
        let shares = self.flows.iter().map(|flow| flow.spec.requests());
        let shares = apportioned(requests, &shares.collect::<Vec<_>>(), before);
        for (flow, share) in self.flows.iter_mut().zip(shares) {
            flow.spec = flow.spec.clone().with_requests(share);
        }
        self
    }

    /// Whether the workload can run on a drive whose data cache takes writes, or takes none.
    ///
    /// # Errors
    /// [`WorkloadError`], when it gathers operands beside a cache that has writes which are not on flash yet.
    pub fn check_cache(&self, takes_writes: bool) -> Result<(), WorkloadError> {
        let gathers = self.flows.iter().any(|flow| flow.spec.gather_ratio() > 0.0);
        if gathers && takes_writes {
            return Err(WorkloadError::GathersBesideWriteCache { label: self.label.clone() });
        }
        Ok(())
    }

    /// The flows, for a drive of this capacity. The same workload, capacity and seed give the same requests.
    ///
    /// # Errors
    /// [`WorkloadError`], when a flow does not fit its space, or its space the drive.
    pub fn open(&self, capacity_sectors: u64, seed: u64) -> Result<Vec<OpenedFlow>, SourceError> {
        let numbered = self.flows.iter().enumerate();
        numbered.map(|(number, flow)| flow.open(capacity_sectors, seed_of(seed, number))).collect()
    }
}

impl FlowSpec {
    fn open(&self, capacity_sectors: u64, seed: u64) -> Result<OpenedFlow, SourceError> {
        let (start_sector, sectors) = self.extent(capacity_sectors)?;
        let source = self.spec.source(sectors, seed)?;
        Ok(OpenedFlow {
            source: if start_sector == 0 { source } else { Box::new(Moved::new(source, start_sector)) },
            pacing: self.spec.pacing(),
            pace: self.pace(),
            stop: self.spec.stop(),
            measured_from: self.spec.measured_from(),
            steady: self.spec.steady(),
        })
    }

    fn pace(&self) -> Pace {
        let start = self.spec.start();
        match self.spec.pacing() {
            Pacing::ClosedLoop { think, think_requests, .. } => {
                Pace { start, think, think_requests, ..Pace::default() }
            }
            Pacing::OpenLoop(OpenLoop { most_outstanding, .. }) => {
                Pace { start, most_outstanding, ..Pace::default() }
            }
        }
    }

    /// First sector and length of its space on a drive.
    fn extent(&self, capacity_sectors: u64) -> Result<(u64, u64), WorkloadError> {
        match self.space {
            Space::Drive => Ok((0, capacity_sectors)),
            Space::Part { number, of } => {
                let part = capacity_sectors / u64::from(of) / SPACE_SECTORS * SPACE_SECTORS;
                Ok((u64::from(number) * part, part))
            }
            Space::From(start_sector) => self.rest_from(start_sector, capacity_sectors),
            Space::FromShare { ratio, align_sectors } => {
                let start_sector = (capacity_sectors as f64 * ratio) as u64;
                let align_sectors = u64::from(align_sectors);
                self.rest_from(start_sector / align_sectors * align_sectors, capacity_sectors)
            }
        }
    }

    fn rest_from(&self, start_sector: u64, capacity_sectors: u64) -> Result<(u64, u64), WorkloadError> {
        if start_sector < capacity_sectors {
            return Ok((start_sector, capacity_sectors - start_sector));
        }
        Err(WorkloadError::FootprintBeyondDrive {
            label: self.spec.label().to_owned(),
            needed_sectors: start_sector + 1,
            capacity_sectors,
        })
    }
}

/// The first flow draws with the run's seed, so that a workload of one flow does; the others with their own,
/// so that no two flows do the same.
fn seed_of(seed: u64, number: usize) -> u64 {
    match number {
        0 => seed,
        _ => RandomStream::new(seed, &format!("workload.flow.{number}")).next_u64(),
    }
}

/// `requests` in proportion to `shares`, which add up to `all`; the last ones get what rounding leaves.
pub(super) fn apportioned(requests: u64, shares: &[u64], all: u64) -> Vec<u64> {
    let mut given = 0_u128;
    let mut sum = 0_u128;
    let share = |share: &u64| {
        sum += u128::from(*share);
        let up_to_here = u128::from(requests) * sum / u128::from(all.max(1));
        let its_own = up_to_here - given;
        given = up_to_here;
        its_own as u64
    };
    shares.iter().map(share).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn shares_add_up_and_are_right_to_one(requests in 0_u64..1 << 50, shares in prop::collection::vec(1_u64..1 << 40, 1..9)) {
            let all: u64 = shares.iter().sum();
            let given = apportioned(requests, &shares, all);
            prop_assert_eq!(given.iter().sum::<u64>(), requests);
            for (&got, &share) in given.iter().zip(&shares) {
                let exact = requests as f64 * share as f64 / all as f64;
                prop_assert!((got as f64 - exact).abs() <= 1.0 + exact * 1e-12);
            }
        }
    }
}
