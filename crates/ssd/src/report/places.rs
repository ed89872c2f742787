//! How busy each channel, bus or link was, of runs in which that was asked for.

use crate::device::Device;
use crate::fabric::{Fabric, Place, Stop};
use schemars::JsonSchema;
use serde::Serialize;

/// A place of the fabric over which transfers go: a channel, a bus, a link.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct PlaceReport {
    /// What it is called.
    pub name: String,
    /// What it joins, in the order in which it comes by; nothing where the fabric does not say.
    pub stops: Vec<StopReport>,
    /// Share of time for which it was in use, in %; absent of what is none of the paths of `utilisation.channel_pct`.
    pub busy_pct: Option<f64>,
}

/// What a place joins.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct StopReport {
    /// `controller` or `chip`; the router beside a chip is the chip here.
    pub kind: &'static str,
    /// Which of these, from 0; chips row by row.
    #[schemars(extend("unit" = ""))]
    pub index: u32,
}

pub(super) fn place_reports(device: &Device<dyn Fabric>) -> Vec<PlaceReport> {
    let served = device.meters().served();
    let busy = served.by_path().chain(std::iter::repeat(None));
    let report = |(place, busy_pct): (Place, Option<f64>)| {
        let stops = place.stops.into_iter().map(stop_report).collect();
        PlaceReport { name: place.name, stops, busy_pct }
    };
    device.fabric().places().into_iter().zip(busy).map(report).collect()
}

const fn stop_report(stop: Stop) -> StopReport {
    match stop {
        Stop::Controller(index) => StopReport { kind: "controller", index },
        Stop::Chip(chip) => StopReport { kind: "chip", index: chip.0 },
    }
}
