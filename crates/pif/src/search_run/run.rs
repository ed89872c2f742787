//! Run of a search on an idle drive.

use thiserror::Error;
use venice_drive::ftl::{SearchCounters, SearchLocation, SearchedPage};
use venice_kernel::SimSpan;
use venice_requests::{Flow, HostRequest, LoopMode, Op, RequestSource, SECTOR_BYTES, SourceError};
use venice_sim::assembly::{RunOptions, Simulation, SimulationError};

use super::limits::LimitError;
use super::plan::searches;
use super::{PifSettings, SearchEnergy, SearchPhase};

/// Busy times of the drive's components in a search. The components work in parallel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TimeParts {
    /// Sensing time per chip, averaged over the chips.
    pub flash: SimSpan,
    /// Busy time of the busiest path.
    pub transfer: SimSpan,
    /// Busy time per accelerator of the controller, averaged over the accelerators.
    pub accelerators: SimSpan,
}

/// Duration, counters and energy of a search.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchTiming {
    /// Time from the first command to the last result.
    pub time: SimSpan,
    /// Busy times of the drive's components.
    pub parts: TimeParts,
    /// Page reads of the flash array, including heads and repeated reads with shifted thresholds.
    pub senses: u64,
    /// Counters of the search.
    pub counters: SearchCounters,
    /// Energy of the search.
    pub energy: SearchEnergy,
}

/// Error of a timed search.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SearchRunError {
    /// The design exceeds a limit or a restriction of the model.
    #[error(transparent)]
    Limit(#[from] LimitError),
    /// The files need more pages than the drive has.
    #[error(
        "the files need {pages} pages, but the drive has {has}; expected: fewer files, or a drive with more chips or blocks"
    )]
    Capacity {
        /// Number of pages that the files need.
        pages: u64,
        /// Number of logical pages of the drive.
        has: u64,
    },
    /// The simulation of the search failed.
    #[error(transparent)]
    Simulation(#[from] SimulationError),
}

/// Simulates a search of all phases at `location`.
///
/// # Errors
/// Returns a [`SearchRunError`] if the drive is not valid, or for a bug in the simulator.
pub fn time_search(
    settings: &PifSettings,
    location: SearchLocation,
    phases: &[SearchPhase],
) -> Result<SearchTiming, SearchRunError> {
    settings.check()?;
    let last = phases.iter().flat_map(|phase| &phase.pages).map(|page| page.number).max();
    settings.check_capacity(last.map_or(0, |last| u64::from(last) + 1))?;
    let mut drive = settings.drive.clone();
    drive.ftl.search.location = location;
    let searches = searches(settings, location, phases);
    let commands = searches.iter().map(|pages| settings.command_of(pages)).collect::<Vec<_>>();
    let source = SearchCommands(commands.into_iter());
    let flow = Flow::new(Box::new(source), LoopMode::Closed { depth: 1 });
    let mut simulation = Simulation::new(&drive, vec![flow], RunOptions::default())?;
    simulation.plan_searches(searches);
    simulation.run()?;
    Ok(SearchTiming::of(settings, &simulation))
}

impl PifSettings {
    /// Checks that the drive has at least this number of logical pages.
    ///
    /// # Errors
    /// Returns [`SearchRunError::Capacity`] if it has fewer.
    pub fn check_capacity(&self, pages: u64) -> Result<(), SearchRunError> {
        let has = Simulation::capacity_sectors(&self.drive) / u64::from(self.page_sectors());
        if pages > has { Err(SearchRunError::Capacity { pages, has }) } else { Ok(()) }
    }

    const fn page_sectors(&self) -> u32 {
        self.drive.geometry.page_bytes / SECTOR_BYTES
    }

    /// Returns the search command whose range contains all these pages.
    fn command_of(&self, pages: &[SearchedPage]) -> HostRequest {
        let numbers = || pages.iter().map(|page| page.lpn.0);
        let (first, last) = (numbers().min().unwrap_or(0), numbers().max().unwrap_or(0));
        HostRequest {
            arrival: venice_kernel::SimTime::ZERO,
            op: Op::Search,
            start_sector: u64::from(first) * u64::from(self.page_sectors()),
            sectors: (last - first + 1) * self.page_sectors(),
            queue: 0,
            pattern_set: 0,
        }
    }
}

/// Source of the search commands.
struct SearchCommands(std::vec::IntoIter<HostRequest>);

impl RequestSource for SearchCommands {
    fn fill(&mut self, into: &mut Vec<HostRequest>, at_most: usize) -> Result<usize, SourceError> {
        let before = into.len();
        into.extend(self.0.by_ref().take(at_most));
        Ok(into.len() - before)
    }

    fn label(&self) -> &'static str {
        "searches"
    }

    fn is_synthetic(&self) -> bool {
        true
    }
}

impl SearchTiming {
    /// Returns the results of a finished run.
    fn of(settings: &PifSettings, simulation: &Simulation) -> Self {
        let device = simulation.device();
        let (recorder, meters, counters) =
            (device.recorder(), device.meters(), device.meters().search_counters());
        let end = recorder.last_completion;
        let sensing = recorder.drive.arrays.read;
        let mean = |sum: SimSpan, of: u32| SimSpan::from_ps(sum.as_ps() / u64::from(of.max(1)));
        let controller_busy = SimSpan::from_ps(counters.controller_busy_ps);
        let parts = TimeParts {
            flash: mean(sensing, settings.drive.geometry.array.chips()),
            transfer: meters.path_busy(end).into_iter().max().unwrap_or(SimSpan::ZERO),
            accelerators: mean(controller_busy, settings.drive.ftl.search.controller_matchers),
        };
        Self {
            time: recorder.first_request.map_or(SimSpan::ZERO, |begin| end.since(begin)),
            parts,
            senses: meters.ftl_counters().reads,
            counters,
            energy: SearchEnergy::of(&settings.drive.ftl.search, simulation.energy(), &counters),
        }
    }
}
