//! Drives and scripted hosts for tests, with explicit settings.

use venice_drive::controller::{CoreParameters, EccParameters};
use venice_drive::ftl::PreconditionSettings;
use venice_drive::observe::{LogRows, RequestRow, WarmUp};
use venice_drive::testkit::settings::SmallDrive;
use venice_fabric::FabricKind;
use venice_fabric::testkit::paper_settings;
use venice_host::testkit::{Script, free_host};
use venice_kernel::{Progress, SimSpan, SimTime};
use venice_nand::wear::PageErrorModel;
use venice_requests::{Flow, HostRequest, LoopMode, Op};

use crate::assembly::{DriveSettings, RunOptions, SelectedPolicies, Simulation, SimulationError};
use crate::power::{AreaSettings, PowerSettings};
use crate::report::{FlashReport, Provenance, Report, TwoPassReport, UnitReport};

/// Returns the power settings of the Venice paper for routers, links and channels. Arrays take 160 or 180 mW,
/// and all other components zero.
pub fn paper_power() -> PowerSettings {
    PowerSettings {
        array_read_mw: 160.0,
        array_program_mw: 180.0,
        array_erase_mw: 180.0,
        chip_static_mw: 0.0,
        channel_pj_per_byte: 9.0,
        channel_static_mw: 0.0,
        link_pj_per_byte: 1.08,
        link_static_mw: 0.0,
        router_pj_per_byte: 0.241,
        buffer_pj_per_byte: 2.5,
        router_static_mw: 0.0,
        controller_mw: 0.0,
        controller_core_mw: 0.0,
        dram_static_mw: 0.0,
        dram_pj_per_byte: 0.0,
        host_link_static_mw: 0.0,
        host_link_pj_per_byte: 0.0,
    }
}

/// Returns the area settings of the Venice paper.
pub fn paper_area() -> AreaSettings {
    AreaSettings {
        chip_mm2: 100.0,
        router_mm2: 8.0,
        packetised_die_pct: 20.0,
        buffered_router_die_pct: 8.0,
        link_per_channel: 0.04,
    }
}

/// Creates a drive of `rows` × `cols` chips of one die and two planes with 4-KiB pages, small blocks, and an
/// infinitely fast host link.
pub fn small_drive(kind: FabricKind, rows: u32, cols: u32) -> DriveSettings {
    let SmallDrive { geometry, flash, ftl, cache } = SmallDrive::new(rows, cols);
    DriveSettings {
        geometry,
        flash,
        fabric_kind: kind,
        fabric: paper_settings(rows, cols),
        ftl,
        cache,
        precondition: PreconditionSettings::none(),
        host: free_host(),
        cores: CoreParameters::default(),
        ecc: EccParameters::default(),
        wear: PageErrorModel::default(),
        power: paper_power(),
        area: paper_area(),
        seed: 1,
        own: SelectedPolicies::default(),
    }
}

/// Results of a run with a scripted host.
pub struct RunOutcome {
    /// Report of the run, without configuration and wall-clock time.
    pub report: Report,
    /// Log rows of the requests, in order of completion. A trim has a row for each range.
    pub rows: Vec<RequestRow>,
}

impl RunOutcome {
    /// Returns the flash counters of the whole run, including operations after the measured window.
    pub fn whole_flash(&self) -> FlashReport {
        whole_flash(&self.report)
    }

    /// Iterates over the last log row of each request, in order of completion.
    pub fn requests(&self) -> impl Iterator<Item = &RequestRow> {
        self.rows.iter().filter(|row| row.op != Op::TrimRange)
    }

    /// Returns the latencies in order of issue.
    pub fn latencies(&self) -> Vec<SimSpan> {
        let mut rows: Vec<_> = self.requests().collect();
        rows.sort_by_key(|row| row.number);
        rows.iter().map(|row| row.completed.since(row.arrival)).collect()
    }
}

/// Runs these requests to the end with the audit enabled.
///
/// # Errors
/// Returns the errors of the run.
pub fn try_run(
    settings: &DriveSettings,
    mode: LoopMode,
    requests: Vec<HostRequest>,
) -> Result<RunOutcome, SimulationError> {
    try_run_after(WarmUp::default(), settings, mode, requests)
}

/// Runs these requests after a warm-up, as [`try_run`] does.
///
/// # Errors
/// Returns the errors of the run.
pub fn try_run_after(
    warm_up: WarmUp,
    settings: &DriveSettings,
    mode: LoopMode,
    requests: Vec<HostRequest>,
) -> Result<RunOutcome, SimulationError> {
    let flow = Flow::new(Box::new(Script::new(requests)), mode);
    try_run_flows(warm_up, settings, vec![flow], &[])
}

/// Runs these requests as [`run`] does, and examines a loss of power at each of these instants.
///
/// # Panics
/// Panics if the run fails.
pub fn run_with_power_losses(
    settings: &DriveSettings,
    mode: LoopMode,
    requests: Vec<HostRequest>,
    instants: &[SimTime],
) -> RunOutcome {
    let flow = Flow::new(Box::new(Script::new(requests)), mode);
    let outcome = try_run_flows(WarmUp::default(), settings, vec![flow], instants);
    outcome.unwrap_or_else(|error| panic!("{error}"))
}

/// Runs flows of any kind after a warm-up, as [`try_run_after`] does, and examines losses of power.
///
/// # Errors
/// Returns the errors of the run.
pub fn try_run_flows(
    warm_up: WarmUp,
    settings: &DriveSettings,
    flows: Vec<Flow>,
    power_losses: &[SimTime],
) -> Result<RunOutcome, SimulationError> {
    let options = RunOptions { audit: true, log_rows: LogRows::WithCauses, warm_up, ..RunOptions::default() };
    let mut simulation = Simulation::new(settings, flows, options)?;
    simulation.examine_power_losses(power_losses);
    run_to_end(&mut simulation)?;
    let provenance = Provenance { config: serde_json::Value::Null, seed: settings.seed, wall_s: 0.0 };
    Ok(RunOutcome { rows: simulation.take_log(), report: simulation.report(provenance) })
}

/// Number of events without a completed request after which the run of a test is aborted, before its
/// records fill the memory.
const MAX_EVENTS: u64 = 50_000_000;

/// Runs a simulation to its end.
///
/// # Errors
/// Returns the errors of the run.
///
/// # Panics
/// Panics if the run does not end.
pub fn run_to_end(simulation: &mut Simulation) -> Result<(), SimulationError> {
    const EVENTS: u64 = 1 << 12;
    let (mut completed, mut events) = (0, 0);
    while events < MAX_EVENTS {
        if simulation.step(EVENTS)? == Progress::QueueEmpty {
            return Ok(());
        }
        let rows = simulation.log_mut().map_or(0, |rows| rows.len());
        events = if rows == completed { events + EVENTS } else { 0 };
        completed = rows;
    }
    panic!("the run does not end: no request completed in {MAX_EVENTS} events")
}

/// Runs these requests as [`try_run`] does, for runs that must succeed.
///
/// # Panics
/// Panics if the run fails.
pub fn run(settings: &DriveSettings, mode: LoopMode, requests: Vec<HostRequest>) -> RunOutcome {
    try_run(settings, mode, requests).unwrap_or_else(|error| panic!("{error}"))
}

/// Returns the flash counters of the whole run, including operations after the measured window.
pub fn whole_flash(report: &Report) -> FlashReport {
    let (served, after) = (&report.flash, &report.after_last_completion.flash);
    let sum = |one: Option<u64>, other: Option<u64>| {
        (one.is_some() || other.is_some()).then(|| one.unwrap_or(0) + other.unwrap_or(0))
    };
    FlashReport {
        reads: served.reads + after.reads,
        programs: served.programs + after.programs,
        erases: served.erases + after.erases,
        multiplane_reads: served.multiplane_reads + after.multiplane_reads,
        multiplane_programs: served.multiplane_programs + after.multiplane_programs,
        suspended_erases: served.suspended_erases + after.suspended_erases,
        suspended_programs: served.suspended_programs + after.suspended_programs,
        copybacks: served.copybacks + after.copybacks,
        mapping_reads: served.mapping_reads + after.mapping_reads,
        mapping_programs: served.mapping_programs + after.mapping_programs,
        gc_moves: served.gc_moves + after.gc_moves,
        wear_moves: served.wear_moves + after.wear_moves,
        moves_elsewhere: sum(served.moves_elsewhere, after.moves_elsewhere),
        reclaim_moves: sum(served.reclaim_moves, after.reclaim_moves),
        reclaim_executions: sum(served.reclaim_executions, after.reclaim_executions),
        refresh_moves: sum(served.refresh_moves, after.refresh_moves),
        refresh_executions: sum(served.refresh_executions, after.refresh_executions),
        scrub_reads: sum(served.scrub_reads, after.scrub_reads),
        idle_moves: sum(served.idle_moves, after.idle_moves),
        idle_executions: sum(served.idle_executions, after.idle_executions),
        parity_programs: sum(served.parity_programs, after.parity_programs),
        fold_moves: sum(served.fold_moves, after.fold_moves),
        copies_between_chips: sum(served.copies_between_chips, after.copies_between_chips),
        host_programs: served.host_programs + after.host_programs,
        update_reads: served.update_reads + after.update_reads,
        gc_executions: served.gc_executions + after.gc_executions,
        wear_executions: served.wear_executions + after.wear_executions,
        read_bytes: served.read_bytes + after.read_bytes,
        programmed_bytes: served.programmed_bytes + after.programmed_bytes,
        read_commands: served.read_commands + after.read_commands,
        program_commands: served.program_commands + after.program_commands,
        erase_commands: served.erase_commands + after.erase_commands,
        multiplane_erases: served.multiplane_erases + after.multiplane_erases,
        mapping_write_backs: served.mapping_write_backs + after.mapping_write_backs,
        two_pass: served.two_pass.zip(after.two_pass).map(|(one, other)| whole_two_pass(one, other)),
        units: served.units.zip(after.units).map(|(one, other)| whole_units(served, after, one, other)),
        // The wear of blocks is cumulative and taken at the end of the run.
        ..*after
    }
}

/// Returns the figures of two-pass programming of the whole run.
fn whole_two_pass(one: TwoPassReport, other: TwoPassReport) -> TwoPassReport {
    TwoPassReport {
        second_pass_pages: one.second_pass_pages + other.second_pass_pages,
        buffer_reads: one.buffer_reads + other.buffer_reads,
        buffer_bytes: one.buffer_bytes,
    }
}

/// Returns the counts of mapping units of the whole run, including operations after the measured window.
fn whole_units(served: &FlashReport, after: &FlashReport, one: UnitReport, other: UnitReport) -> UnitReport {
    let (per_page, empty_slots) = (one.per_page, one.empty_slots + other.empty_slots);
    let programs = served.programs + after.programs;
    let filled = programs * u64::from(per_page) / u64::from(one.pages_per_unit) - empty_slots;
    UnitReport {
        per_page,
        pages_per_unit: one.pages_per_unit,
        per_program: (programs > 0).then(|| filled as f64 / programs as f64),
        empty_slots,
        shared_reads: one.shared_reads + other.shared_reads,
    }
}
