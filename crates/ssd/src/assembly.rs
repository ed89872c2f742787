//! From settings to a running drive: the one file that knows every room.

mod load;
mod own;
mod prepared;
mod watch;

use std::ops::Range;
use std::path::Path;

use thiserror::Error;
use venice_kernel::{Engine, EngineError, Progress, SimTime};

use crate::cache::{Cache, CacheSettings};
use crate::chip::{DieWork, FlashSettings};
use crate::device::{AnyDevice, Assembly, Device, Event};
use crate::fabric::{Fabric, FabricError, FabricSettings};
use crate::ftl::{
    Ftl, FtlSettings, GatherResult, PreconditionMode, PreconditionSettings, address_ranges,
    broken_victim_contract, home_planes,
};
use crate::geometry::{Geometry, Lpn, SECTOR_BYTES};
use crate::host::{HostInterface, HostSettings, IoQueue};
use crate::observe::{
    Blame, ChipTimes, Closely, IntervalSettings, LogRows, Probes, Recorder, RequestRow, Rounds,
    ScheduledRecord, SliceSettings, Slices, Until, UntilGoal, Violation, WarmUp, WriteSizes,
};
use crate::perfetto;
use crate::power::{AreaSettings, PowerSettings};
use crate::registry::FabricKind;
use crate::report::{AuditReport, Provenance, Report};
use crate::state::{self, StateError};
use venice_requests::traces::PagePlaces;
use venice_requests::{Flow, SourceError};

pub use own::OwnPolicies;
use own::{BuiltPolicies, OwnNames};
pub use prepared::Preparations;
use watch::Watch;

/// Events that may happen at one instant before time is taken to have stopped. The largest honest
/// burst is one event for each die and host request in flight, far below.
const INSTANT_LIMIT: u64 = 10_000_000;

/// Events between two looks at the clock.
const EVENTS_PER_STEP: u64 = 4096;
/// Instant after which a run fails: 187 days, which leaves 26 days for the events of a step.
const CLOCK_LIMIT: SimTime = SimTime::from_ps(7 << 61);

/// Everything that a drive is made from: validated, in engine units.
#[derive(Clone, Debug, PartialEq)]
pub struct DriveSettings {
    /// How many of everything.
    pub geometry: Geometry,
    /// The chips.
    pub flash: FlashSettings,
    /// Which fabric joins them.
    pub fabric_kind: FabricKind,
    /// What fabrics are told.
    pub fabric: FabricSettings,
    /// The data cache.
    pub cache: CacheSettings,
    /// The flash translation layer.
    pub ftl: FtlSettings,
    /// The state of the drive before the run.
    pub precondition: PreconditionSettings,
    /// The host interface.
    pub host: HostSettings,
    /// What the parts take.
    pub power: PowerSettings,
    /// What they take up on the board.
    pub area: AreaSettings,
    /// Seed of every random stream.
    pub seed: u64,
}

impl DriveSettings {
    /// Sizes on which write amplification depends.
    fn write_sizes(&self) -> WriteSizes {
        let Geometry { page_bytes, pages_per_block, .. } = self.geometry;
        WriteSizes {
            page_bytes: u64::from(page_bytes),
            stripe_pages: u64::from(self.geometry.planes()) * u64::from(pages_per_block),
            is_prepared: self.precondition.mode == PreconditionMode::SteadyState,
        }
    }
}

/// How a run is watched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option of its own")]
pub struct RunOptions {
    /// What is served before anything is measured.
    pub warm_up: WarmUp,
    /// Whether the drive's contents are shadowed and checked.
    pub audit: bool,
    /// What rows requests leave in the log.
    pub log_rows: LogRows,
    /// Whether what waits for each chip, and what each chip does, is measured.
    pub watch_chips: bool,
    /// How the run is cut into intervals, if it is.
    pub intervals: Option<IntervalSettings>,
    /// True if the causes of requests' waits are looked for.
    pub causes: bool,
    /// Of how many requests, those that took longest, the report tells.
    pub slowest: u32,
    /// Whether the report has whole distributions.
    pub distributions: bool,
    /// The window of which it is kept what was busy with what, if it is.
    pub slices: Option<SliceSettings>,
    /// Criterion that ends the run, if there is one.
    pub until: Option<UntilGoal>,
}

impl RunOptions {
    /// Whether the run is stepped through, whatever its flows are.
    const fn is_watched(&self) -> bool {
        self.intervals.is_some() || self.slowest > 0 || self.distributions
    }

    /// Returns true if the causes of requests' waits are looked for, by themselves or for a part of the report that has them.
    const fn looks_for_causes(&self) -> bool {
        self.causes || matches!(self.log_rows, LogRows::WithCauses) || self.is_watched()
    }
}

/// Why a run ended without a report.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SimulationError {
    /// The settings do not go together.
    #[error(transparent)]
    Fabric(#[from] FabricError),
    /// The trace or workload failed; requests before that were served.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// The state to start from cannot be had.
    #[error(transparent)]
    State(#[from] StateError),
    /// The event loop stopped the run.
    #[error("{0}; this is a bug in the simulator: please report it with the configuration")]
    Engine(#[from] EngineError),
    /// Requests are outstanding and nothing is going to happen. A bug.
    #[error(
        "the run is stuck: {outstanding} requests are outstanding and no event is left at {at}; \
         {transactions} transactions unfinished, fabric {fabric} {fabric_state}; \
         this is a bug in {suspects}"
    )]
    Stuck {
        /// Requests issued and not completed.
        outstanding: u64,
        /// When it was noticed.
        at: String,
        /// Transactions in the FTL.
        transactions: usize,
        /// Name of the fabric.
        fabric: String,
        /// `is quiet` or `is busy`.
        fabric_state: &'static str,
        /// Whose bug it may be.
        suspects: String,
    },
    /// A policy from outside the catalogue does not suit the drive, breaks its contract, or fails in its own way.
    #[error("the {what} `{name}`: {cause}")]
    OwnPolicy {
        /// What it is.
        what: &'static str,
        /// What it is called.
        name: String,
        /// What is wrong.
        cause: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The drive has not served what was issued when the simulator's clock ends.
    #[error(
        "{outstanding} requests are outstanding after {days:.0} days of simulated time, near the end of the simulator's clock \
         (213 days); use fewer requests or a lower rate"
    )]
    ClockEnds {
        /// Requests issued and not completed.
        outstanding: u64,
        /// Simulated time in days.
        days: f64,
    },
    /// Requests wait for the turn of their class, which does not come.
    #[error(
        "{outstanding} requests are never served: with ftl.scheduling = \"priority_turns\" a chip with work of the low class alone may wait for \
         good, as in MQSim (noticed at {at}); use \"priority_out_of_order\", which serves every class"
    )]
    NeverTheirTurn {
        /// Requests issued and not completed.
        outstanding: u64,
        /// When it was noticed.
        at: String,
    },
    /// The requests ended before the warm-up did.
    #[error(
        "the warm-up was not over when the requests were: {served} requests were served until {at}; \
         give a shorter warm-up or more requests"
    )]
    OnlyWarmUp {
        /// All of them.
        served: u64,
        /// When the last was completed.
        at: String,
    },
    /// The audit found something that must never happen. A bug.
    #[error("the audit failed: {violation}; this is a bug in {suspects}")]
    Audit {
        /// What it found.
        violation: Violation,
        /// Whose bug it may be.
        suspects: String,
    },
}

/// A run in progress.
pub struct Simulation {
    engine: Engine<Event>,
    drive: Box<dyn AnyDevice>,
    geometry: Geometry,
    power: PowerSettings,
    area: AreaSettings,
    audited: bool,
    watch: Option<Box<Watch>>,
    own: OwnNames,
}

/// Who looks at a run with these options; `is_stepped` says whether it is stepped through, which is done with a log.
fn probes(settings: &DriveSettings, options: RunOptions, is_stepped: bool) -> Probes {
    let chips = settings.geometry.array.chips();
    let takes_turns = settings.flash.die_work == DieWork::OneAtATime;
    let blame = || Blame::new(chips, settings.geometry.dies_per_chip, takes_turns);
    let logs = options.log_rows != LogRows::None || is_stepped;
    let is_close = options.watch_chips || options.looks_for_causes() || options.slices.is_some();
    let closely = || Closely {
        chip_times: options.watch_chips.then(|| ChipTimes::new(chips, settings.geometry.dies_per_chip)),
        blame: options.looks_for_causes().then(blame),
        slices: options.slices.map(|window| Box::new(Slices::new(window, settings.geometry))),
    };
    let history = settings.host.scheduler.map(|scheduler| scheduler.history_points);
    Probes {
        recorder: Recorder::new(options.warm_up),
        rounds: Rounds::new(settings.write_sizes()),
        until: options.until.map(|goal| Box::new(Until::new(goal))),
        scheduled: history.map(|points| Box::new(ScheduledRecord::new(SimTime::ZERO, points))),
        log: logs.then(Box::default),
        closely: is_close.then(|| Box::new(closely())),
        ..Probes::default()
    }
}

impl Simulation {
    /// A drive about to receive the first requests of `flows`.
    ///
    /// # Errors
    /// [`SimulationError::Fabric`] when the fabric cannot be built over this array.
    pub fn new(
        settings: &DriveSettings,
        flows: Vec<Flow>,
        options: RunOptions,
    ) -> Result<Self, SimulationError> {
        Self::with_own(OwnPolicies::default(), settings, flows, options)
    }

    /// The same with policies from outside the catalogue.
    ///
    /// # Errors
    /// As [`Simulation::new`], and [`SimulationError::OwnPolicy`] when one does not suit the drive.
    pub fn with_own(
        own: OwnPolicies,
        settings: &DriveSettings,
        mut flows: Vec<Flow>,
        options: RunOptions,
    ) -> Result<Self, SimulationError> {
        let mut own = own.build(settings)?;
        let settings =
            &load::with_measured_pace(settings, &mut flows, |drive| prepared::drive(drive, None, false));
        let ftl = prepared::drive(settings, own.victim.take(), options.audit);
        Self::assembled(settings, flows, options, ftl, own)
    }

    /// A drive as [`Simulation::new`] has it, among other runs: drives that begin alike are prepared once.
    ///
    /// # Errors
    /// As [`Simulation::new`].
    pub fn prepared_among(
        preparations: &Preparations,
        settings: &DriveSettings,
        mut flows: Vec<Flow>,
        options: RunOptions,
    ) -> Result<Self, SimulationError> {
        let own = OwnPolicies::default().build(settings)?;
        let settings =
            &load::with_measured_pace(settings, &mut flows, |drive| preparations.drive(drive, false));
        let ftl = preparations.drive(settings, options.audit);
        Self::assembled(settings, flows, options, ftl, own)
    }

    /// A drive in the state that [`Simulation::save_state`] has written, which takes the place of preconditioning.
    ///
    /// # Errors
    /// As [`Simulation::new`], and [`SimulationError::State`] when the file is damaged or of another drive.
    pub fn from_state(
        settings: &DriveSettings,
        flows: Vec<Flow>,
        options: RunOptions,
        state: &Path,
    ) -> Result<Self, SimulationError> {
        Self::with_own_from_state(OwnPolicies::default(), settings, flows, options, state)
    }

    /// The same with policies from outside the catalogue.
    ///
    /// # Errors
    /// As [`Simulation::from_state`] and [`Simulation::with_own`].
    pub fn with_own_from_state(
        own: OwnPolicies,
        settings: &DriveSettings,
        flows: Vec<Flow>,
        options: RunOptions,
        state: &Path,
    ) -> Result<Self, SimulationError> {
        let mut own = own.build(settings)?;
        let mut ftl = prepared::erased(settings, own.victim.take(), options.audit);
        let stored = state::read(state, &ftl.identity())?;
        if !ftl.restore(stored) {
            let reason = "its tables are not as large as those of the drive that it says it is of".to_owned();
            return Err(StateError::Undecodable { path: state.to_owned(), reason }.into());
        }
        Self::assembled(settings, flows, options, ftl, own)
    }

    fn assembled(
        settings: &DriveSettings,
        flows: Vec<Flow>,
        options: RunOptions,
        mut ftl: Ftl,
        own: BuiltPolicies,
    ) -> Result<Self, SimulationError> {
        let BuiltPolicies { fabric, host_scheduler, names, .. } = own;
        if options.watch_chips {
            ftl.queues.measured.begin();
        }
        let cache = Cache::new(&settings.cache, &mut ftl);
        let watch = Watch::new(&options, &flows);
        let mut host = HostInterface::new(&settings.host, flows, host_scheduler);
        host.transport.gathers_send_results = settings.ftl.gather.result == GatherResult::Host;
        let probes = probes(settings, options, watch.is_some());
        let assembly = Assembly {
            geometry: settings.geometry,
            flash: settings.flash.clone(),
            host,
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
            audited: options.audit,
            watch,
            own: names,
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

    /// Sectors that a host can address on a drive of these settings.
    pub fn capacity_sectors(settings: &DriveSettings) -> u64 {
        Self::address_ranges(settings).last().map_or(0, |range| range.end)
    }

    /// The sectors of each address range of such a drive, one behind the other.
    pub fn address_ranges(settings: &DriveSettings) -> Vec<Range<u64>> {
        address_ranges(&settings.geometry, &settings.ftl)
    }

    /// Where such a drive keeps its pages, for [`trace_info_on`](venice_requests::traces::trace_info_on).
    pub fn page_places(settings: &DriveSettings) -> PagePlaces {
        let (geometry, plane_of) = (settings.geometry, home_planes(&settings.geometry, &settings.ftl));
        let place = move |page: u64| {
            let chip = geometry.chip_of(geometry.die_of(plane_of(Lpn(page as u32))));
            (geometry.array.row(chip), chip.0)
        };
        PagePlaces {
            ranges: Self::address_ranges(settings),
            page_sectors: geometry.page_bytes / SECTOR_BYTES,
            channels: geometry.array.rows,
            chips: geometry.array.chips(),
            place: Box::new(place),
        }
    }

    /// Lets at most `budget` events happen.
    ///
    /// # Errors
    /// Every [`SimulationError`]; the run cannot go on after one.
    pub fn step(&mut self, budget: u64) -> Result<Progress, SimulationError> {
        let budget = budget.min(EVENTS_PER_STEP);
        let progress = match &mut self.watch {
            None => self.drive.run(&mut self.engine, budget)?,
            Some(_) => self.step_watched(budget)?,
        };
        self.check_own()?;
        self.check_audit()?;
        match progress {
            Progress::Idle => self.check_end()?,
            Progress::More => self.check_clock()?,
        }
        Ok(progress)
    }

    /// The same, event by event.
    fn step_watched(&mut self, budget: u64) -> Result<Progress, EngineError> {
        let Self { engine, drive, watch: Some(watch), .. } = self else { return Ok(Progress::Idle) };
        for _ in 0..budget {
            let Some(next) = engine.future.next_at() else {
                watch.finish(drive.device());
                return Ok(Progress::Idle);
            };
            watch.before(next, drive.device_mut());
            drive.run(engine, 1)?;
            watch.after(next, drive.device_mut());
        }
        Ok(Progress::More)
    }

    /// Runs to the end.
    ///
    /// # Errors
    /// As [`Simulation::step`].
    pub fn run(&mut self) -> Result<(), SimulationError> {
        while self.step(1 << 20)? == Progress::More {}
        Ok(())
    }

    /// Writes the state of the drive to a file, once the run has ended: what lies where on flash, how worn blocks are, and
    /// the cached part of the map. What the data cache has and flash does not is written to flash first.
    ///
    /// # Errors
    /// [`StateError::Unwritable`].
    ///
    /// # Panics
    /// When requests are outstanding.
    pub fn save_state(&mut self, path: &Path) -> Result<(), StateError> {
        assert_eq!(self.device().ftl().in_flight(), 0, "a state is saved when nothing is in flight");
        self.drive.device_mut().empty_cache();
        let ftl = self.device().ftl();
        state::write(path, &ftl.identity(), &ftl.store())
    }

    /// The drive.
    pub fn device(&self) -> &Device<dyn Fabric> {
        self.drive.device()
    }

    /// Simulated time so far.
    pub fn now(&self) -> SimTime {
        self.engine.future.now()
    }

    /// Simulated time so far, in microseconds.
    pub fn now_us(&self) -> f64 {
        self.engine.future.now().as_us()
    }

    /// The rows of the request log that nobody has taken. Whoever takes them may leave other memory for the next ones.
    pub fn log_mut(&mut self) -> Option<&mut Vec<RequestRow>> {
        match &mut self.watch {
            Some(watch) => watch.rows_mut(),
            None => self.drive.device_mut().probes_mut().log_mut().map(|log| &mut log.rows),
        }
    }

    /// All of them.
    pub fn take_log(&mut self) -> Vec<RequestRow> {
        self.log_mut().map(std::mem::take).unwrap_or_default()
    }

    /// What was busy with what, if that was kept.
    pub fn slices(&self) -> Option<&Slices> {
        self.device().probes().slices()
    }

    /// Whether what is kept of what was busy with what is complete, but for requests.
    pub fn slices_are_over(&self) -> bool {
        self.slices().is_none_or(|slices| slices.is_over(self.engine.future.now()))
    }

    /// The same as a file for Perfetto, if it was kept.
    pub fn trace_events(&mut self) -> Option<Vec<u8>> {
        Some(perfetto::file_of(self.slices()?.kept(), &self.row_names()))
    }

    /// What rows of slices are called.
    pub fn row_names(&self) -> perfetto::Names {
        let places = self.device().fabric().places().into_iter().map(|place| place.name).collect();
        perfetto::Names { geometry: self.geometry, places }
    }

    /// The report of a run that has ended.
    pub fn report(&mut self, mut provenance: Provenance) -> Report {
        self.own.write_into(&mut provenance.config);
        let mut report = Report::new(
            self.device(),
            &self.geometry,
            &self.power,
            &self.area,
            self.engine.executed(),
            provenance,
        );
        if self.device().probes().looks_for_causes() {
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
            Some(violation) => Err(SimulationError::Audit { violation, suspects: self.own.suspects() }),
            None => Ok(()),
        }
    }

    /// Whether policies from outside the catalogue keep to their contracts so far.
    fn check_own(&mut self) -> Result<(), SimulationError> {
        if let Some(broken) = broken_victim_contract(self.drive.device().ftl()) {
            return Err(self.own.victim_failed(broken));
        }
        match self.drive.device_mut().host_mut().scheduler_failure() {
            Some(failure) => Err(self.own.scheduler_failed(failure)),
            None => Ok(()),
        }
    }

    /// Fails near the end of the clock, to which only what a drive is still to serve can come: [`venice_requests::LAST_ISSUE`].
    fn check_clock(&self) -> Result<(), SimulationError> {
        if self.now() <= CLOCK_LIMIT {
            return Ok(());
        }
        let days = self.now_us() / 86_400e6;
        Err(SimulationError::ClockEnds { outstanding: self.device().host().outstanding(), days })
    }

    /// With no event left, everything must be served and every source of it intact.
    fn check_end(&mut self) -> Result<(), SimulationError> {
        let host = self.device().host();
        let outstanding = host.outstanding();
        let transactions = self.device().ftl().in_flight();
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
        if kept > 0 && transactions == 0 && self.own.has_host_scheduler() {
            let wrong = format!(
                "{kept} of the requests that it was given never came out of it, and nothing was left to wait for"
            );
            return self.own.scheduler_failed(wrong);
        }
        if self.device().ftl().queues.looks_everywhere() {
            return SimulationError::NeverTheirTurn { outstanding, at };
        }
        SimulationError::Stuck {
            outstanding,
            at,
            transactions,
            fabric: self.device().fabric_name().to_owned(),
            suspects: self.own.suspects(),
            fabric_state: if fabric.is_quiet() { "is quiet" } else { "is busy" },
        }
    }
}
