//! Assembly of a drive from settings, and its run. This module is the only one that depends on all others.

mod external;
mod load;
mod prepared_drives;
mod selected;
mod watch;

use std::ops::Range;
use std::path::Path;

use thiserror::Error;
use venice_drive::cache::{Cache, CacheSettings};
use venice_drive::controller::{CommandSource, CoreParameters, Decoders, EccParameters};
use venice_drive::device::{AnyDevice, Assembly, Device, DriveEvent};
use venice_drive::ftl::{
    Ftl, FtlSettings, GatherResult, InitialAges, PageErrors, PreconditionMode, PreconditionSettings,
    ReadErrors, SearchedPage, address_ranges, home_planes,
};
use venice_drive::observe::{
    ChipTimes, DetailedProbes, DispatchRecord, IntervalSettings, LogRows, Probes, Recorder, RequestRow,
    Rounds, SliceSettings, Slices, StopCriterion, StopGoal, Violation, WaitAttribution, WarmUp, WriteSizes,
};
use venice_fabric::{Fabric, FabricError, FabricKind, FabricSettings, named_paths};
use venice_host::{HostInterface, HostSettings, IoQueue};
use venice_kernel::{Engine, EngineError, Progress, SimSpan, SimTime};
use venice_nand::chip::{DieWork, FlashSettings};
use venice_nand::geometry::{Geometry, Lpn};
use venice_nand::wear::PageErrorModel;
use venice_requests::traces::PagePlaces;
use venice_requests::{Flow, SECTOR_BYTES, SourceError};

use crate::perfetto;
use crate::power::{AreaSettings, Energy, PowerSettings};
use crate::report::{AuditReport, Provenance, Report, activity, power_loss_reports};
use crate::state::{self, StateError};

pub use external::ExternalPolicies;
use external::{BuiltPolicies, ExternalNames};
pub use prepared_drives::PreparedDrives;
pub use selected::{PolicyIdentity, SelectedPolicies};
use watch::Watch;

/// Maximum number of events at one simulated instant. A run that exceeds this number is aborted as a
/// livelock. Valid runs stay far below: at one instant, they have at most one event for each die and
/// outstanding request.
const INSTANT_LIMIT: u64 = 10_000_000;

/// Maximum number of events per step, between two checks of the clock.
const EVENTS_PER_STEP: u64 = 4096;
/// Latest simulated time of a run: 187 days. The remaining 26 days of the clock's range are reserved for the
/// events of a step.
const CLOCK_LIMIT: SimTime = SimTime::from_ps(7 << 61);

/// Validated settings of a complete drive, in engine units.
#[derive(Clone, Debug, PartialEq)]
pub struct DriveSettings {
    /// Geometry: numbers of chips, dies, planes, blocks and pages.
    pub geometry: Geometry,
    /// Settings of the flash chips.
    pub flash: FlashSettings,
    /// Fabric of the drive.
    pub fabric_kind: FabricKind,
    /// Settings of the fabric.
    pub fabric: FabricSettings,
    /// Settings of the data cache.
    pub cache: CacheSettings,
    /// Settings of the flash translation layer.
    pub ftl: FtlSettings,
    /// Settings of preconditioning before the run.
    pub precondition: PreconditionSettings,
    /// Settings of the host interface.
    pub host: HostSettings,
    /// Settings of the controller's cores.
    pub cores: CoreParameters,
    /// Settings of the controller's decoders, and of read errors.
    pub ecc: EccParameters,
    /// Model of the pages' raw bit error rate.
    pub wear: PageErrorModel,
    /// Settings of the components' power and energy.
    pub power: PowerSettings,
    /// Settings of the components' board area.
    pub area: AreaSettings,
    /// Seed of all random streams.
    pub seed: u64,
    /// User-defined policies that the drive selects by name. Each replaces the built-in policy in these
    /// settings.
    pub own: SelectedPolicies,
}

impl DriveSettings {
    /// Returns the sizes of pages, blocks and superblocks from which write amplification is computed.
    fn write_sizes(&self) -> WriteSizes {
        let Geometry { page_bytes, pages_per_block, .. } = self.geometry;
        WriteSizes {
            page_bytes: u64::from(page_bytes),
            stripe_units: self
                .ftl
                .units
                .slots_of_pages(u64::from(self.geometry.planes()) * u64::from(pages_per_block)),
            block_pages: u64::from(pages_per_block),
            is_prepared: self.precondition.mode == PreconditionMode::SteadyState,
        }
    }
}

/// Options for the measurement and the end of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option of its own")]
pub struct RunOptions {
    /// Requests served before the measurement starts.
    pub warm_up: WarmUp,
    /// True if the audit is enabled, which checks reads and programs against a shadow copy of the drive's
    /// contents.
    pub audit: bool,
    /// Contents of the request log.
    pub log_rows: LogRows,
    /// True if the queues and the activity of each chip are measured.
    pub watch_chips: bool,
    /// Division of the run into intervals; `None` for no intervals.
    pub intervals: Option<IntervalSettings>,
    /// True if waits of requests are attributed to causes.
    pub causes: bool,
    /// Number of slowest requests that the report lists.
    pub slowest: u32,
    /// True if the report contains complete latency distributions.
    pub distributions: bool,
    /// Time window in which the activity of resources is recorded; `None` for no recording.
    pub slices: Option<SliceSettings>,
    /// Criterion that ends the run early; `None` for a run to the end of its flows.
    pub until: Option<StopGoal>,
}

impl RunOptions {
    /// Returns true if the options require an observer of each event.
    const fn is_watched(&self) -> bool {
        self.intervals.is_some() || self.slowest > 0 || self.distributions
    }

    /// Returns true if waits are attributed to causes, for single requests or for a part of the report.
    const fn attributes_waits(&self) -> bool {
        self.causes || matches!(self.log_rows, LogRows::WithCauses) || self.is_watched()
    }
}

/// Error that ends a run without a report.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SimulationError {
    /// The settings of the fabric are inconsistent.
    #[error(transparent)]
    Fabric(#[from] FabricError),
    /// The trace or workload failed. All requests before the failure were served.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// The saved initial state could not be read.
    #[error(transparent)]
    State(#[from] StateError),
    /// The event loop aborted the run.
    #[error("{0}; this is a bug in the simulator: please report it with the configuration")]
    Engine(#[from] EngineError),
    /// Requests are outstanding, but no event is pending. This is a bug in the simulator.
    #[error(
        "deadlock at {at}: {outstanding} requests are outstanding and no events are left; \
         {transactions} transactions are unfinished, and the fabric {fabric} {fabric_state}; \
         this is a bug in {suspects}"
    )]
    Stuck {
        /// Number of outstanding requests.
        outstanding: u64,
        /// Time of the last event.
        at: String,
        /// Number of transactions in the FTL.
        transactions: usize,
        /// Name of the fabric.
        fabric: String,
        /// State of the fabric for the message: `is quiet` or `is busy`.
        fabric_state: &'static str,
        /// Components that may have caused the error.
        suspects: String,
    },
    /// A user-defined policy does not suit the drive, violated the rules of its interface, or failed.
    #[error("the {what} `{name}`: {cause}")]
    ExternalPolicy {
        /// Type of the policy, such as fabric or host scheduler.
        what: &'static str,
        /// Name of the policy.
        name: String,
        /// Cause of the failure.
        cause: Box<dyn std::error::Error + Send + Sync>,
    },
    /// Requests are still outstanding near the end of the simulator's clock.
    #[error(
        "{outstanding} requests are outstanding after {days:.0} days of simulated time, near the end of the simulator's clock \
         (213 days); expected: fewer requests or a lower rate"
    )]
    ClockEnds {
        /// Number of outstanding requests.
        outstanding: u64,
        /// Simulated time, in days.
        days: f64,
    },
    /// Requests of a priority class wait forever, because the scheduling policy never selects them
    /// (starvation).
    #[error(
        "{outstanding} requests are never served (detected at {at}): with ftl.scheduling = \"priority_turns\" a chip with low-class \
         work only may wait forever, as in MQSim; expected: \"priority_out_of_order\", which serves every class"
    )]
    NeverTheirTurn {
        /// Number of outstanding requests.
        outstanding: u64,
        /// Simulated time at which the error was detected.
        at: String,
    },
    /// The request source ended before the warm-up was complete.
    #[error(
        "the requests ended during the warm-up, after {served} requests at {at}; expected: a shorter warm-up or more \
         requests"
    )]
    OnlyWarmUp {
        /// Number of requests that were served during the warm-up.
        served: u64,
        /// Time of the last completion.
        at: String,
    },
    /// The audit found a violation of an invariant. This is a bug in the simulator or in a user-defined
    /// policy.
    #[error("the audit failed: {violation}; this is a bug in {suspects}")]
    Audit {
        /// Violated invariant.
        violation: Violation,
        /// Components that may have caused the error.
        suspects: String,
    },
}

/// Run of a drive under a workload.
pub struct Simulation {
    engine: Engine<DriveEvent>,
    drive: Box<dyn AnyDevice>,
    geometry: Geometry,
    power: PowerSettings,
    area: AreaSettings,
    /// Mean time of an array read over all types of pages.
    t_read: SimSpan,
    audited: bool,
    watch: Option<Box<Watch>>,
    external: ExternalNames,
}

fn read_errors(settings: &DriveSettings) -> ReadErrors {
    let pages = PageErrors { model: settings.wear.clone(), order: settings.flash.array.page_types };
    ReadErrors::new(&settings.ecc, pages, settings.seed)
        .with_limit(settings.ftl.refresh.error_share, settings.seed)
}

/// Creates the probes for these options. `is_stepped` is true for a run that is observed event by event,
/// which needs the request log.
fn probes(settings: &DriveSettings, options: RunOptions, is_stepped: bool) -> Probes {
    let chips = settings.geometry.array.chips();
    let takes_turns = settings.flash.die_work == DieWork::OneAtATime;
    let attribution = || WaitAttribution::new(chips, settings.geometry.dies_per_chip, takes_turns);
    let logs = options.log_rows != LogRows::None || is_stepped;
    let is_close = options.watch_chips || options.attributes_waits() || options.slices.is_some();
    let detailed = || DetailedProbes {
        chip_times: options.watch_chips.then(|| ChipTimes::new(chips, settings.geometry.dies_per_chip)),
        attribution: options.attributes_waits().then(attribution),
        slices: options.slices.map(|window| Box::new(Slices::new(window, settings.geometry))),
    };
    let history = settings.host.scheduler.map(|scheduler| scheduler.history_points);
    Probes {
        recorder: Recorder::new(options.warm_up),
        rounds: Rounds::new(settings.write_sizes()),
        until: options.until.map(|goal| Box::new(StopCriterion::new(goal))),
        scheduled: history.map(|points| Box::new(DispatchRecord::new(SimTime::ZERO, points))),
        log: logs.then(Box::default),
        detailed: is_close.then(|| Box::new(detailed())),
        ..Probes::default()
    }
}

impl Simulation {
    /// Creates a run of `flows` on a drive in its initial state, before the first request.
    ///
    /// # Errors
    /// Returns [`SimulationError::Fabric`] if the fabric cannot be built over the array.
    pub fn new(
        settings: &DriveSettings,
        flows: Vec<Flow>,
        options: RunOptions,
    ) -> Result<Self, SimulationError> {
        Self::with_external(ExternalPolicies::default(), settings, flows, options)
    }

    /// Creates a run as [`Simulation::new`] does, with user-defined policies.
    ///
    /// # Errors
    /// Returns the errors of [`Simulation::new`], and [`SimulationError::ExternalPolicy`] if a policy does
    /// not suit the drive.
    pub fn with_external(
        external: ExternalPolicies,
        settings: &DriveSettings,
        mut flows: Vec<Flow>,
        options: RunOptions,
    ) -> Result<Self, SimulationError> {
        let mut external = external.build(settings)?;
        let settings = &load::with_measured_pace(settings, &mut flows, |drive| {
            prepared_drives::drive(drive, None, false)
        });
        let ftl = prepared_drives::drive(settings, external.victim.take(), options.audit);
        Self::assembled(settings, flows, options, ftl, external)
    }

    /// Creates a run as [`Simulation::new`] does, with a shared cache of preconditioned drives. Among runs
    /// with equal initial states, only the first one preconditions its drive.
    ///
    /// # Errors
    /// Returns the errors of [`Simulation::new`].
    pub fn prepared_among(
        preparations: &PreparedDrives,
        settings: &DriveSettings,
        mut flows: Vec<Flow>,
        options: RunOptions,
    ) -> Result<Self, SimulationError> {
        let external = ExternalPolicies::default().build(settings)?;
        let settings =
            &load::with_measured_pace(settings, &mut flows, |drive| preparations.drive(drive, false));
        let ftl = preparations.drive(settings, options.audit);
        Self::assembled(settings, flows, options, ftl, external)
    }

    /// Creates a run on a drive in a state saved by [`Simulation::save_state`], instead of a preconditioned
    /// one.
    ///
    /// # Errors
    /// Returns the errors of [`Simulation::new`], and [`SimulationError::State`] if the file is damaged or
    /// belongs to another drive.
    pub fn from_state(
        settings: &DriveSettings,
        flows: Vec<Flow>,
        options: RunOptions,
        state: &Path,
    ) -> Result<Self, SimulationError> {
        Self::with_external_from_state(ExternalPolicies::default(), settings, flows, options, state)
    }

    /// Creates a run as [`Simulation::from_state`] does, with user-defined policies.
    ///
    /// # Errors
    /// Returns the errors of [`Simulation::from_state`] and [`Simulation::with_external`].
    pub fn with_external_from_state(
        external: ExternalPolicies,
        settings: &DriveSettings,
        flows: Vec<Flow>,
        options: RunOptions,
        state: &Path,
    ) -> Result<Self, SimulationError> {
        let mut external = external.build(settings)?;
        let mut ftl = prepared_drives::erased(settings, external.victim.take(), options.audit);
        let stored = state::read(state, &ftl.settings.identity(&settings.geometry))?;
        if !ftl.restore(stored) {
            let reason = "its tables differ in size from those of the drive named in it".to_owned();
            return Err(StateError::Undecodable { path: state.to_owned(), reason }.into());
        }
        Self::assembled(settings, flows, options, ftl, external)
    }

    fn assembled(
        settings: &DriveSettings,
        flows: Vec<Flow>,
        options: RunOptions,
        mut ftl: Ftl,
        external: BuiltPolicies,
    ) -> Result<Self, SimulationError> {
        let BuiltPolicies { fabric, host_scheduler, names, .. } = external;
        if options.watch_chips {
            ftl.queues_mut().measured.begin();
        }
        let refresh = settings.ftl.refresh;
        if settings.ecc.decoders > 0 || refresh.is_some() {
            let (youngest_days, spread_days) = (settings.ecc.retention_days, refresh.age_days);
            ftl.begin_ages(InitialAges { youngest_days, spread_days });
        }
        if settings.ecc.decoders > 0 {
            ftl.add_read_errors(read_errors(settings));
        }
        let cache = Cache::new(&settings.cache, &mut ftl);
        let watch = Watch::new(&options, &flows);
        let mut host = HostInterface::new(&settings.host, flows, host_scheduler);
        host.transport.gathers_send_results = settings.ftl.gather.result == GatherResult::Host;
        host.transport.search_result_bytes = settings.ftl.search.final_result_bytes();
        let probes = probes(settings, options, watch.is_some());
        let assembly = Assembly {
            geometry: settings.geometry,
            flash: settings.flash.clone(),
            host,
            cores: settings.cores,
            decoders: Decoders::new(&settings.ecc, settings.geometry.array.rows),
            cache,
            ftl,
            paths: &settings.fabric,
            probes,
        };
        let mut simulation = Self {
            engine: Engine::new(INSTANT_LIMIT),
            drive: fabric.join(assembly, names.fabric().unwrap_or(settings.fabric_kind.name())),
            geometry: settings.geometry,
            power: settings.power,
            area: settings.area,
            t_read: settings.flash.array.mean_read(),
            audited: options.audit,
            watch,
            external: names,
        };
        simulation.check_own()?;
        if options.slices.is_some() {
            simulation.drive.device_mut().ask_for_details();
        }
        simulation.drive.start(&mut simulation.engine.future);
        if let Some(watch) = &mut simulation.watch {
            watch.after(simulation.engine.future.now(), simulation.drive.device_mut());
        }
        Ok(simulation)
    }

    /// Sets the pages and outcomes of the searches of the run, as [`Ftl::plan_searches`] does. Must be called
    /// before the first step.
    pub fn plan_searches(&mut self, searches: Vec<Vec<SearchedPage>>) {
        self.drive.device_mut().ftl_mut().plan_searches(searches);
    }

    /// Examines the effects of a loss of power at each of the `instants`. The run itself continues.
    pub fn examine_power_losses(&mut self, instants: &[SimTime]) {
        for &at in instants {
            self.engine.future.schedule(at, DriveEvent::PowerLoss);
        }
    }

    /// Returns the capacity of a drive with these settings, in sectors.
    pub fn capacity_sectors(settings: &DriveSettings) -> u64 {
        Self::address_ranges(settings).last().map_or(0, |range| range.end)
    }

    /// Returns the range of sectors of each address range of a drive with these settings. The ranges are
    /// consecutive.
    pub fn address_ranges(settings: &DriveSettings) -> Vec<Range<u64>> {
        address_ranges(&settings.geometry, &settings.ftl)
    }

    /// Returns the placement of pages on the channels and chips of a drive with these settings, for
    /// [`trace_info_on`](venice_requests::traces::trace_info_on).
    pub fn page_places(settings: &DriveSettings) -> PagePlaces {
        let (geometry, plane_of) = (settings.geometry, home_planes(&settings.geometry, &settings.ftl));
        let place = move |page: u64| {
            let chip = geometry.chip_of(geometry.die_of(plane_of(Lpn(page as u32))));
            (geometry.array.row(chip), chip.0)
        };
        PagePlaces {
            ranges: Self::address_ranges(settings),
            page_sectors: settings.ftl.units.slots(&geometry).page_bytes / SECTOR_BYTES,
            channels: geometry.array.rows,
            chips: geometry.array.chips(),
            place: Box::new(place),
        }
    }

    /// Processes at most `budget` events.
    ///
    /// # Errors
    /// Returns a [`SimulationError`], after which the run cannot continue.
    pub fn step(&mut self, budget: u64) -> Result<Progress, SimulationError> {
        let budget = budget.min(EVENTS_PER_STEP);
        let progress = match &mut self.watch {
            None => self.drive.run(&mut self.engine, budget)?,
            Some(_) => self.step_watched(budget)?,
        };
        self.check_own()?;
        self.check_audit()?;
        match progress {
            Progress::QueueEmpty => self.check_end()?,
            Progress::BudgetSpent => self.check_clock()?,
        }
        Ok(progress)
    }

    /// Processes at most `budget` events, and updates the observer after each event.
    fn step_watched(&mut self, budget: u64) -> Result<Progress, EngineError> {
        let Self { engine, drive, watch: Some(watch), .. } = self else { return Ok(Progress::QueueEmpty) };
        for _ in 0..budget {
            let Some(next) = engine.future.next_at() else {
                watch.finish(drive.device());
                return Ok(Progress::QueueEmpty);
            };
            watch.before(next, drive.device_mut());
            drive.device_mut().limit_skips(watch.next_end());
            drive.run(engine, 1)?;
            watch.after(next, drive.device_mut());
        }
        Ok(Progress::BudgetSpent)
    }

    /// Runs to the end.
    ///
    /// # Errors
    /// Returns the errors of [`Simulation::step`].
    pub fn run(&mut self) -> Result<(), SimulationError> {
        while self.step(1 << 20)? == Progress::BudgetSpent {}
        Ok(())
    }

    /// Writes the state of the drive to a file after a run. The state consists of the placement of pages, the
    /// wear of blocks, and the cached part of the mapping table. Dirty pages of the data cache are destaged
    /// first.
    ///
    /// # Errors
    /// Returns [`StateError::Unwritable`] if the file cannot be written, and the error of [`Simulation::check_savable`].
    ///
    /// # Panics
    /// Panics if requests are outstanding.
    pub fn save_state(&mut self, path: &Path) -> Result<(), StateError> {
        assert_eq!(self.device().ftl().transactions().len(), 0, "a state is saved when nothing is in flight");
        self.check_savable(path)?;
        self.drive.device_mut().empty_cache();
        let ftl = self.device().ftl();
        state::write(path, &ftl.settings.identity(&self.geometry), &ftl.store())
    }

    /// Checks that a file can describe the state of the drive; `path` is the path of the file in the message.
    ///
    /// # Errors
    /// Returns [`StateError::Unsupported`] for a drive with parity, with a pSLC cache, or with erases that can fail.
    pub fn check_savable(&self, path: &Path) -> Result<(), StateError> {
        let ftl = self.device().ftl();
        let features = [
            (ftl.has_parity(), "with parity", "`ftl.rain_data_units = 0`"),
            (
                ftl.slc_cache().is_some(),
                "with a pSLC cache",
                "`ftl.slc_static_pct = 0` and `ftl.slc_dynamic_pct = 0`",
            ),
            (
                ftl.settings.grown_bad_blocks.is_some(),
                "whose erases can fail",
                "`flash.erase_failure_ppm = 0`",
            ),
        ];
        match features.into_iter().find(|feature| feature.0) {
            Some((_, feature, expected)) => {
                Err(StateError::Unsupported { path: path.to_owned(), feature, expected })
            }
            None => Ok(()),
        }
    }

    /// Returns the simulated drive.
    pub fn device(&self) -> &Device<dyn Fabric> {
        self.drive.device()
    }

    /// Returns the energy of the drive in the measured phase.
    pub fn energy(&self) -> Energy {
        Energy::of(&activity(self.device(), &self.geometry), &self.power)
    }

    /// Returns the simulated time.
    pub fn now(&self) -> SimTime {
        self.engine.future.now()
    }

    /// Returns the simulated time in microseconds.
    pub fn now_us(&self) -> f64 {
        self.engine.future.now().as_us()
    }

    /// Returns the rows of the request log that have not been retrieved yet. The caller may replace the
    /// vector, so that its memory is reused.
    pub fn log_mut(&mut self) -> Option<&mut Vec<RequestRow>> {
        match &mut self.watch {
            Some(watch) => watch.rows_mut(),
            None => self.drive.device_mut().probes_mut().log_mut().map(|log| &mut log.rows),
        }
    }

    /// Removes and returns the remaining rows of the request log.
    pub fn take_log(&mut self) -> Vec<RequestRow> {
        self.log_mut().map(std::mem::take).unwrap_or_default()
    }

    /// Returns the recorded activity of resources, if enabled.
    pub fn slices(&self) -> Option<&Slices> {
        self.device().probes().slices()
    }

    /// Returns true if the time window of recorded slices has ended, or if no slices are recorded. Requests
    /// may still be in progress.
    pub fn slices_are_over(&self) -> bool {
        self.slices().is_none_or(|slices| slices.is_over(self.engine.future.now()))
    }

    /// Returns the recorded activity as a Perfetto trace file, if enabled.
    pub fn trace_events(&mut self) -> Option<Vec<u8>> {
        Some(perfetto::file_of(self.slices()?.kept(), &self.row_names()))
    }

    /// Returns the names of the rows (tracks) in the record of the resources' activity.
    pub fn row_names(&self) -> perfetto::RowNames {
        let places = named_paths(self.device().fabric()).into_iter().map(|path| path.name).collect();
        perfetto::RowNames { geometry: self.geometry, places }
    }

    /// Returns the report of a finished run.
    pub fn report(&mut self, mut provenance: Provenance) -> Report {
        self.external.write_into(&mut provenance.config);
        let mut report = Report::new(
            self.device(),
            &self.geometry,
            &self.power,
            &self.area,
            self.engine.executed(),
            provenance,
        );
        if self.device().probes().attributes_waits() {
            report.add_causes(self.device());
        }
        if let Some(watch) = &self.watch {
            report.add_slowest(watch.slowest());
            report.add_steady(watch.judges());
            if let Some(depths) = watch.depths() {
                report.add_distributions(self.device(), depths, watch.busy());
                report.add_places(self.device());
            }
            if let Some(intervals) = watch.intervals() {
                report.add_time_series(intervals, self.device(), &self.geometry);
            }
        }
        report.power_losses = power_loss_reports(self.device(), &self.geometry, self.t_read);
        if let Some(audit) = self.drive.device_mut().ftl_mut().audit_mut() {
            report.audit = Some(AuditReport { reads_checked: audit.reads_checked() });
        }
        report
    }

    fn violation(&mut self) -> Option<Violation> {
        let found =
            self.drive.device_mut().ftl_mut().audit_mut().and_then(|audit| audit.violation().cloned());
        found.or_else(|| self.device().probes().violation().cloned())
    }

    fn check_audit(&mut self) -> Result<(), SimulationError> {
        match self.violation() {
            Some(violation) => Err(SimulationError::Audit { violation, suspects: self.external.suspects() }),
            None => Ok(()),
        }
    }

    /// Checks that user-defined policies have obeyed the rules of their interfaces.
    fn check_own(&mut self) -> Result<(), SimulationError> {
        if let Some(broken) = self.drive.device().ftl().broken_victim_contract() {
            return Err(self.external.victim_failed(broken));
        }
        match self.drive.device_mut().host_mut().scheduler_failure() {
            Some(failure) => Err(self.external.scheduler_failed(failure)),
            None => Ok(()),
        }
    }

    /// Returns an error if the clock is near its end. Only outstanding requests can reach this time, since
    /// none are issued after [`venice_requests::LAST_ISSUE`].
    fn check_clock(&self) -> Result<(), SimulationError> {
        if self.now() <= CLOCK_LIMIT {
            return Ok(());
        }
        let days = self.now_us() / 86_400e6;
        Err(SimulationError::ClockEnds { outstanding: self.device().host().outstanding(), days })
    }

    /// Checks at the end of a run that all requests have been served and no request source has failed.
    fn check_end(&mut self) -> Result<(), SimulationError> {
        let host = self.device().host();
        let outstanding = host.outstanding();
        let transactions = self.device().ftl().transactions().len();
        if outstanding > 0 || transactions > 0 || !self.device().fabric().is_quiet() {
            return Err(self.stuck(outstanding, transactions));
        }
        if let Some(error) = self.drive.device_mut().host_mut().flows.take_error() {
            return Err(error.into());
        }
        if self.device().recorder().has_only_warm_up() {
            let (served, at) = (self.device().host().completed(), self.engine.future.now().to_string());
            return Err(SimulationError::OnlyWarmUp { served, at });
        }
        if self.audited {
            self.drive.device_mut().ftl_mut().check_balance();
        }
        self.check_audit()
    }

    fn stuck(&self, outstanding: u64, transactions: usize) -> SimulationError {
        let (fabric, at) = (self.device().fabric(), self.engine.future.now().to_string());
        let kept = self.device().host().io_queue().map_or(0, IoQueue::waiting);
        if kept > 0 && transactions == 0 && self.external.has_host_scheduler() {
            let wrong = format!(
                "it never dispatched {kept} of the requests that it received, and no events are left"
            );
            return self.external.scheduler_failed(wrong);
        }
        if self.device().ftl().queues().looks_everywhere() {
            return SimulationError::NeverTheirTurn { outstanding, at };
        }
        SimulationError::Stuck {
            outstanding,
            at,
            transactions,
            fabric: self.device().fabric_name().to_owned(),
            suspects: self.external.suspects(),
            fabric_state: if fabric.is_quiet() { "is quiet" } else { "is busy" },
        }
    }
}
