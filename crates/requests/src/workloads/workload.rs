//! Workloads: one or more concurrent flows.

use venice_kernel::{RandomStream, SimTime};

use super::error::WorkloadError;
use super::idle_settings::idle_settings;
use super::spec::{OpenLoop, Pacing, WorkloadSpec};
use crate::adapters::ShiftedSource;
use crate::request::{RequestSource, SourceError};
use crate::{FlowShare, Pace, SteadyStateCriterion};

/// Alignment of each flow's part of the drive, in sectors: 1 MiB.
const SPACE_SECTORS: u64 = 2048;

/// Workload of one or several flows.
#[derive(Clone, Debug, PartialEq)]
pub struct Workload {
    label: String,
    description: String,
    source: String,
    flows: Vec<FlowSpec>,
}

/// Specification of a flow, with its part of the drive's address space.
#[derive(Clone, Debug, PartialEq)]
pub struct FlowSpec {
    /// Specification of the requests, with addresses relative to the flow's part of the drive.
    pub spec: WorkloadSpec,
    /// Part of the drive's address space that the flow uses.
    pub space: DrivePart,
    /// Number of the host queue of the requests.
    pub queue: u16,
}

/// Part of the drive's address space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum DrivePart {
    /// The whole address space of the drive.
    Drive,
    /// One of several equal parts of the drive.
    Part {
        /// Number of the part, from 0.
        number: u32,
        /// Number of equal parts into which the drive is divided.
        of: u32,
    },
    /// Addresses from this sector to the end of the drive.
    From(u64),
    /// Addresses from the sector at this share of the drive's capacity to the end of the drive.
    FromShare {
        /// Share of the capacity, from 0 to 1.
        ratio: f64,
        /// Alignment of the first address in sectors. The address is rounded down.
        align_sectors: u32,
    },
}

/// Flow for a drive of known capacity, with its request source and issue policy.
pub struct OpenedFlow {
    /// Source of the requests, with addresses on the drive.
    pub source: Box<dyn RequestSource + Send>,
    /// Number of the host queue of the requests.
    pub queue: u16,
    /// Rule that determines when requests are issued: closed loop or open loop.
    pub pacing: Pacing,
    /// Timing parameters in addition to the pacing.
    pub pace: Pace,
    /// Time at which the flow ends at the latest, if the definition sets one.
    pub stop: Option<SimTime>,
    /// Time at which measurement starts, as the definition states.
    pub measured_from: SimTime,
    /// Steady-state criterion at which the flow ends, if the definition sets one.
    pub steady: Option<SteadyStateCriterion>,
}

impl Workload {
    /// Creates a workload of one flow that uses the whole drive.
    pub fn single(spec: WorkloadSpec) -> Self {
        let (label, description) = (spec.label().to_owned(), spec.description().to_owned());
        let source = spec.provenance().to_owned();
        Self { label, description, source, flows: vec![FlowSpec { spec, space: DrivePart::Drive, queue: 0 }] }
    }

    /// Creates a workload of several flows.
    ///
    /// # Panics
    /// Panics if `flows` is empty.
    pub fn of_flows(label: &str, description: &str, source: &str, flows: Vec<FlowSpec>) -> Self {
        assert!(!flows.is_empty(), "a workload has at least one flow");
        Self {
            label: label.to_owned(),
            description: description.to_owned(),
            source: source.to_owned(),
            flows,
        }
    }

    /// Returns the workload's name in reports.
    pub fn label(&self) -> &str {
        &self.label
    }

    /// Returns the description of the workload, a sentence.
    pub fn description(&self) -> &str {
        &self.description
    }

    /// Returns the source of the workload's figures.
    pub fn provenance(&self) -> &str {
        &self.source
    }

    /// Returns the flows of the workload.
    pub fn flows(&self) -> &[FlowSpec] {
        &self.flows
    }

    /// Returns the total number of requests of all flows.
    pub fn requests(&self) -> u64 {
        self.flows.iter().map(|flow| flow.spec.requests()).fold(0, u64::saturating_add)
    }

    /// Returns the workload with another total number of requests, which is divided among the flows in the
    /// same proportions, and by weight among the flows of a group.
    #[must_use]
    pub fn with_requests(mut self, requests: u64) -> Self {
        let shares: Vec<_> = self.flows.iter().map(|flow| self.proportion(&flow.spec)).collect();
        let shares = apportioned(requests, &shares, shares.iter().sum());
        for (flow, share) in self.flows.iter_mut().zip(shares) {
            flow.spec = flow.spec.clone().with_requests(share);
        }
        self
    }

    /// Returns the number of requests of a flow, or its part by weight of the requests of its group.
    fn proportion(&self, spec: &WorkloadSpec) -> u64 {
        let Some(FlowShare { group, weight, .. }) = spec.share() else { return spec.requests() };
        let (mut requests, mut weights) = (0, 0);
        for other in &self.flows {
            if let Some(share) = other.spec.share().filter(|share| share.group == group) {
                requests += u128::from(other.spec.requests());
                weights += u128::from(share.weight);
            }
        }
        (requests * u128::from(weight) / weights) as u64
    }

    /// Returns true if some requests are searches.
    pub fn has_searches(&self) -> bool {
        self.flows.iter().any(|flow| flow.spec.search_ratio() > 0.0)
    }

    /// Checks that a drive with `count` pattern sets has those of all searches.
    ///
    /// # Errors
    ///
    /// Returns a [`WorkloadError`] if a flow with searches names a set that the drive does not have.
    pub fn check_pattern_sets(&self, count: usize) -> Result<(), WorkloadError> {
        let lacks_set =
            |spec: &WorkloadSpec| spec.search_ratio() > 0.0 && usize::from(spec.pattern_set()) >= count;
        match self.flows.iter().map(|flow| &flow.spec).find(|spec| lacks_set(spec)) {
            None => Ok(()),
            Some(spec) => Err(WorkloadError::UnknownPatternSet {
                label: spec.label().to_owned(),
                pattern_set: spec.pattern_set(),
                last: count - 1,
            }),
        }
    }

    /// Checks that a drive can execute the workload. `takes_writes` is true if the drive has a write cache.
    ///
    /// # Errors
    ///
    /// Returns a [`WorkloadError`] if the workload has gathers or searches and the drive has a write cache,
    /// which may hold data that is not on flash yet.
    pub fn check_cache(&self, takes_writes: bool) -> Result<(), WorkloadError> {
        let key = if self.flows.iter().any(|flow| flow.spec.gather_ratio() > 0.0) {
            "gather_pct"
        } else if self.has_searches() {
            "search_pct"
        } else {
            return Ok(());
        };
        if takes_writes {
            return Err(WorkloadError::ChipsBesideWriteCache { key, label: self.label.clone() });
        }
        Ok(())
    }

    /// Returns one sentence for each setting of the definition that has no effect, and for each flow of a mix that
    /// gets hardly any requests.
    pub fn remarks(&self) -> Vec<String> {
        let mut remarks: Vec<_> = self.flows.iter().flat_map(|flow| idle_settings(&flow.spec)).collect();
        remarks.dedup();
        remarks.extend(self.closed_loops_beside_rates());
        remarks
    }

    /// Returns one sentence for each closed loop in a mix with open loops. The flows share the requests by their
    /// rates, and a closed loop has no rate.
    fn closed_loops_beside_rates(&self) -> Vec<String> {
        let is_closed = |flow: &&FlowSpec| matches!(flow.spec.pacing(), Pacing::ClosedLoop { .. });
        let is_of_mix = |flow: &&FlowSpec| matches!(flow.space, DrivePart::Part { .. });
        if self.flows.iter().all(|flow| is_closed(&flow)) {
            return Vec::new();
        }
        let closed = self.flows.iter().filter(is_of_mix).filter(is_closed);
        closed.map(|flow| few_requests(&flow.spec, self.requests())).collect()
    }

    /// Opens the flows for a drive of this capacity. Equal workloads, capacities and seeds give equal
    /// requests.
    ///
    /// # Errors
    ///
    /// Returns a [`WorkloadError`] if a flow does not fit its part, or the part does not fit the drive.
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
            source: if start_sector == 0 {
                source
            } else {
                Box::new(ShiftedSource::new(source, start_sector))
            },
            queue: self.queue,
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
                Pace { start, think, think_requests, share: self.spec.share(), ..Pace::default() }
            }
            Pacing::OpenLoop(OpenLoop { most_outstanding, .. }) => {
                Pace { start, most_outstanding, ..Pace::default() }
            }
        }
    }

    /// Returns the first sector and the number of sectors of this part, on a drive of the given capacity.
    fn extent(&self, capacity_sectors: u64) -> Result<(u64, u64), WorkloadError> {
        match self.space {
            DrivePart::Drive => Ok((0, capacity_sectors)),
            DrivePart::Part { number, of } => {
                let part = capacity_sectors / u64::from(of) / SPACE_SECTORS * SPACE_SECTORS;
                Ok((u64::from(number) * part, part))
            }
            DrivePart::From(start_sector) => self.rest_from(start_sector, capacity_sectors),
            DrivePart::FromShare { ratio, align_sectors } => {
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

/// Returns the seed of a flow, given the seed of the run. The first flow has the seed of the run, so that a
/// workload of one flow uses it unchanged. Further flows have derived seeds, so that their requests differ.
fn seed_of(seed: u64, number: usize) -> u64 {
    match number {
        0 => seed,
        _ => RandomStream::new(seed, &format!("workload.flow.{number}")).next_u64(),
    }
}

/// Returns the remark on a closed loop in a mix with open loops, which issue most of the requests.
fn few_requests(spec: &WorkloadSpec, all: u64) -> String {
    let label = spec.label();
    let requests = spec.requests();
    format!(
        "{label}: `closed_loop_depth` gives this flow {requests} of {all} requests: the flows of a mix share \
         `requests` by their rates, and a closed loop has no rate"
    )
}

/// Divides `requests` in proportion to `shares`, whose sum is `all`. The sum of the results is `requests`.
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
