//! Utilisation of each path of the fabric, reported on request.

use schemars::JsonSchema;
use serde::Serialize;
use venice_drive::device::Device;
use venice_fabric::{Fabric, NamedPath, PathStop, named_paths};

/// Path of the fabric, such as a channel, bus or link.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct PathUtilisationReport {
    /// Name of the path, such as `channel 3`.
    pub name: String,
    /// Controllers and chips that the path connects, in order; empty if the fabric does not provide them.
    pub stops: Vec<PathStopReport>,
    /// Share of time in which the path was in use, in %; absent if the path does not contribute to
    /// `utilisation.channel_pct`.
    pub busy_pct: Option<f64>,
}

/// Controller or chip that a path connects.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct PathStopReport {
    /// Kind of the connected part: `controller` or `chip`. A router is reported as its chip.
    pub kind: &'static str,
    /// Number of the controller or chip, from 0. Chips are numbered by row and column.
    #[schemars(extend("unit" = ""))]
    pub index: u32,
}

pub(super) fn place_reports(device: &Device<dyn Fabric>) -> Vec<PathUtilisationReport> {
    let served = device.meters().window_work();
    let busy = served.by_path().chain(std::iter::repeat(None));
    let report = |(path, busy_pct): (NamedPath, Option<f64>)| {
        let stops = path.stops.into_iter().map(stop_report).collect();
        PathUtilisationReport { name: path.name, stops, busy_pct }
    };
    named_paths(device.fabric()).into_iter().zip(busy).map(report).collect()
}

const fn stop_report(stop: PathStop) -> PathStopReport {
    match stop {
        PathStop::Controller(index) => PathStopReport { kind: "controller", index },
        PathStop::Chip(chip) => PathStopReport { kind: "chip", index: chip.0 },
    }
}
