//! Examples of extensions outside the catalogues of Venice; see `docs/guide/own-policies.md`.

mod kib_lines;
mod oldest_first;
mod shortest_first;
mod two_buses;
mod wear_spread;

use std::error::Error;
use std::path::Path;

use serde::Serialize;
use venice_config::ResolvedDrive;
use venice_requests::adapters::{LimitedSource, WrappedSource};
use venice_requests::traces::{TraceOptions, open_trace};
use venice_requests::workloads::{OpenedFlow, Pacing, load_workload};
use venice_requests::{Flow, LoopMode, RequestSource, SECTOR_BYTES};
use venice_sim::assembly::{DriveSettings, ExternalPolicies, RunOptions, Simulation};
use venice_sim::report::{Provenance, Report};

pub use kib_lines::{KibError, KibLines};
pub use oldest_first::OldestFirst;
pub use shortest_first::ShortestFirst;
pub use two_buses::TwoBuses;
pub use wear_spread::WearSpread;

/// Result of a run.
pub type Outcome<T> = Result<T, Box<dyn Error>>;

/// Report of Venice with an additional figure of this crate.
#[derive(Clone, Debug, Serialize)]
pub struct ExtendedReport {
    /// Figures of Venice.
    #[serde(flatten)]
    pub report: Report,
    /// Wear of the blocks at the end of the run.
    pub wear_spread: WearSpread,
}

/// Runs a drive with user-defined policies, with the audit enabled, over at most `at_most` requests.
/// `requests` is the path of a trace if that file exists, otherwise the name of a workload.
///
/// # Errors
/// Errors of the requests, of the drive or of the simulation.
pub fn run(
    drive: &ResolvedDrive,
    external: ExternalPolicies,
    requests: &str,
    at_most: u64,
) -> Outcome<ExtendedReport> {
    let settings = drive.settings();
    let flows = flows(settings, requests, at_most)?;
    let options = RunOptions { audit: true, ..RunOptions::default() };
    let mut simulation = Simulation::with_external(external, settings, flows, options)?;
    simulation.run()?;
    let wear_spread = WearSpread::of(&simulation);
    let provenance = Provenance { config: drive.to_json(), seed: settings.seed, wall_s: 0.0 };
    Ok(ExtendedReport { report: simulation.report(provenance), wear_spread })
}

/// Opens the requests, with addresses wrapped around the drive's capacity.
fn flows(settings: &DriveSettings, requests: &str, at_most: u64) -> Outcome<Vec<Flow>> {
    let ranges = Simulation::address_ranges(settings);
    let page_sectors = settings.geometry.page_bytes / SECTOR_BYTES;
    let flow = |source: Box<dyn RequestSource + Send>, mode| {
        let limited = LimitedSource::new(source, at_most);
        Flow::new(Box::new(WrappedSource::into_ranges(limited, ranges.clone(), page_sectors)), mode)
    };
    if Path::new(requests).is_file() {
        return Ok(vec![flow(open_file(Path::new(requests))?, LoopMode::Open)]);
    }
    let opened = load_workload(requests)?.open(ranges[0].end, settings.seed)?;
    let paced = |OpenedFlow { source, pacing, .. }| {
        let mode = match pacing {
            Pacing::ClosedLoop { depth, .. } => LoopMode::Closed { depth },
            Pacing::OpenLoop(_) => LoopMode::Open,
        };
        flow(source, mode)
    };
    Ok(opened.into_iter().map(paced).collect())
}

/// Opens a trace in the format of this crate or in a format of the catalogue.
fn open_file(path: &Path) -> Outcome<Box<dyn RequestSource + Send>> {
    if KibLines::recognises(path) {
        return Ok(Box::new(KibLines::open(path)?));
    }
    Ok(open_trace(path, &TraceOptions::default())?)
}
