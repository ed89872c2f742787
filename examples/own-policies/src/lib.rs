//! Policies that no catalogue of Venice has, and how to run them: see `docs/guide/own-policies.md`.

mod oldest_first;
mod shortest_first;
mod two_buses;

use std::error::Error;
use std::path::Path;

use venice_requests::adapters::{Folded, Limited};
use venice_requests::traces::{TraceOptions, open_trace};
use venice_requests::workloads::{OpenedFlow, Pacing, load_workload};
use venice_requests::{Flow, LoopMode, RequestSource, SECTOR_BYTES};
use venice_ssd::assembly::{DriveSettings, OwnPolicies, RunOptions, Simulation};
use venice_ssd::config::Resolved;
use venice_ssd::report::{Provenance, Report};

pub use oldest_first::OldestFirst;
pub use shortest_first::ShortestFirst;
pub use two_buses::TwoBuses;

/// What a run comes to.
pub type Outcome<T> = Result<T, Box<dyn Error>>;

/// Runs a drive with policies of one's own, audited, over at most so many requests of a trace (if there is such a file) or of a workload.
///
/// # Errors
/// What is wrong with the requests or with the drive, and whatever ends the run.
pub fn run(drive: &Resolved, own: OwnPolicies, requests: &str, at_most: u64) -> Outcome<Report> {
    let settings = drive.settings();
    let flows = flows(settings, requests, at_most)?;
    let options = RunOptions { audit: true, ..RunOptions::default() };
    let mut simulation = Simulation::with_own(own, settings, flows, options)?;
    simulation.run()?;
    Ok(simulation.report(Provenance { config: drive.to_json(), seed: settings.seed, wall_s: 0.0 }))
}

/// Requests, folded into the drive where they lie beyond it.
fn flows(settings: &DriveSettings, requests: &str, at_most: u64) -> Outcome<Vec<Flow>> {
    let ranges = Simulation::address_ranges(settings);
    let page_sectors = settings.geometry.page_bytes / SECTOR_BYTES;
    let flow = |source: Box<dyn RequestSource + Send>, mode| {
        let limited = Limited::new(source, at_most);
        Flow::new(Box::new(Folded::into_ranges(limited, ranges.clone(), page_sectors)), mode)
    };
    if Path::new(requests).is_file() {
        let trace = open_trace(Path::new(requests), &TraceOptions::default())?;
        return Ok(vec![flow(trace, LoopMode::Open)]);
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
