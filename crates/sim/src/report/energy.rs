//! Figures of energy, power and area in the report.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use venice_drive::device::Device;
use venice_fabric::Fabric;
use venice_kernel::SimSpan;
use venice_nand::geometry::Geometry;

use crate::power::{BoardArea, Component, Energy, PaperEnergy, RunActivity};

use super::parts::{FinishedRun, ReportPart};

/// Energy as computed in the Venice paper: mean power × execution time.
#[derive(Clone, Copy, Debug, JsonSchema, Serialize)]
pub struct PaperEnergyReport {
    /// Power of a busy array, averaged over the busy time of all arrays.
    pub array_mw: f64,
    /// Power of a path that carries a transfer, averaged over the duration of transfers.
    pub path_mw: f64,
    /// Sum of `array_mw` and `path_mw`.
    pub power_mw: f64,
    /// `power_mw` times the length of the measured window, in microjoules.
    pub energy_uj: f64,
}

impl ReportPart for PaperEnergyReport {
    fn of(run: &FinishedRun<'_>) -> Self {
        let paper = PaperEnergy::of(run.activity, run.power);
        Self {
            array_mw: paper.array_mw,
            path_mw: paper.path_mw,
            power_mw: paper.power_mw(),
            energy_uj: paper.energy_uj,
        }
    }
}

/// Board area of chips, routers and wires.
#[derive(Clone, Copy, Debug, JsonSchema, Serialize)]
pub struct AreaReport {
    /// Area of all chips, in square millimetres.
    pub chips_mm2: f64,
    /// Area of all routers, in square millimetres.
    pub routers_mm2: f64,
    /// Area of the routers relative to the area of the chips, in %.
    pub routers_pct: f64,
    /// Additional area of the flash dies relative to the baseline's dies, in %.
    pub die_overhead_pct: f64,
    /// Area of channels and links, in units of one shared channel of the baseline.
    #[schemars(extend("unit" = "channels"))]
    pub wires_in_channels: f64,
    /// Reduction of the wire area relative to the baseline, in %; negative for an increase.
    pub wires_saved_pct: f64,
}

/// Returns the activity of a drive, from which its energy is computed. Host data crosses the drive's memory
/// once. A flash page crosses the memory once for each transfer to or from flash, and once more for a search
/// in the controller.
pub(crate) fn activity(device: &Device<dyn Fabric>, geometry: &Geometry) -> RunActivity {
    let (recorder, fabric) = (device.recorder(), device.fabric());
    let drive = &recorder.drive;
    let [read, write, gather, ..] = recorder.sums();
    let results = if device.host().transport.gathers_send_results { gather.bytes } else { 0 };
    let searched = device.meters().search_counters();
    let start = recorder.first_request.unwrap_or_default();
    let end = recorder.last_completion.max(start);
    let drained = end.max(drive.last_work);
    let counters = device.meters().fabric_counters(drained);
    let in_use: SimSpan = device.meters().path_busy(drained).into_iter().sum();
    let core_ps = device.meters().core_counters(drained).map_or(0, |cores| cores.busy_ps);
    // A path that is held without a transfer consumes no dynamic energy.
    let wiring = fabric.wiring();
    let crossed = if wiring.reserved { counters.links_crossed } else { in_use - counters.paths_kept };
    let through_routers =
        if wiring.routers > 0 { crossed + counters.paths_used } else { counters.paths_used };
    let mut arrays = drive.arrays.without(drive.voided);
    arrays.read += SimSpan::from_ps(device.meters().ftl_counters().sense_energy_ps);
    RunActivity {
        time: end.since(start),
        until_drained: drained.since(start),
        chips: geometry.array.chips(),
        arrays,
        wiring,
        path_bytes: wiring.path_rate.bytes_in(crossed + counters.port_wires_crossed),
        router_bytes: wiring.router_rate.bytes_in(through_routers),
        scout_bytes: wiring.path_rate.bytes_in(wiring.scout_hop * counters.scout_hops),
        transfer_time: drive.transfer_time,
        core_time: SimSpan::from_ps(core_ps as u64),
        dram_bytes: drive.memory_bytes
            + (read.bytes + write.bytes + results) as u64
            + searched.loaded_bytes
            + searched.bytes_to_host,
        host_link_bytes: device.meters().link_bytes(drained),
    }
}

/// Returns the energy of each component by its name, in microjoules, and their sum as `total`.
pub(super) fn energy_report(energy: &Energy) -> BTreeMap<&'static str, f64> {
    let components = Component::ALL.into_iter().map(|part| (part.name(), energy.component_uj(part)));
    components.chain([("total", energy.total_uj())]).collect()
}

impl ReportPart for AreaReport {
    fn of(run: &FinishedRun<'_>) -> Self {
        let wiring = run.device.fabric().wiring();
        let area = BoardArea::of(run.geometry.array, &wiring, run.area);
        Self {
            chips_mm2: area.chips_mm2,
            routers_mm2: area.routers_mm2,
            routers_pct: area.routers_pct(),
            die_overhead_pct: area.die_overhead_pct(),
            wires_in_channels: area.wires_in_channels,
            wires_saved_pct: area.wires_saved_pct(),
        }
    }
}
