//! Search for paths by scouts (packets that reserve paths) on a mesh with reserved circuits, for worked
//! examples.

use pyo3::prelude::*;
use venice_fabric::Venice;
use venice_fabric::noc::RouterId;
use venice_fabric::venice::{ControllerId, LfsrClock, LfsrCycle};
use venice_kernel::SimTime;

use crate::drive::Drive;
use crate::error;

/// Clock of the LFSRs. A scout of two flits takes two cycles per hop, so the LFSRs advance twice.
const CLOCK: LfsrClock = LfsrClock { start: LfsrCycle::after(0), hop: LfsrCycle::after(2) };

/// Sends a scout over the drive's mesh. `circuits` are the reserved circuits, each as a controller and the
/// routers of its path. `request` states the controller that sends the scout and the destination chip.
///
/// Returns the routers that the scout visited, in order, and the routers of the path that it found. The
/// second list is empty if the scout found no path.
///
/// Raises `UsageError` for a circuit that cannot be reserved, for a request of a controller that already uses
/// a circuit, and for numbers outside the array.
#[pyfunction]
pub fn scout_search(
    drive: &Drive,
    circuits: Vec<(u32, Vec<u32>)>,
    request: (u32, u32),
) -> PyResult<(Vec<u32>, Vec<u32>)> {
    let settings = drive.resolved().settings();
    let array = settings.fabric.array;
    let (controller, chip) = request;
    let is_inside = |controller, router| controller < array.rows && router < array.chips();
    let circuits_are_inside = circuits.iter().all(|(who, path)| path.iter().all(|&at| is_inside(*who, at)));
    if !circuits_are_inside || !is_inside(controller, chip) {
        return Err(error::usage("controllers must be below `array.rows`, chips below rows × columns"));
    }
    if circuits.iter().any(|(who, _)| *who == controller) {
        return Err(error::usage("the request's controller is in a circuit; choose a free one"));
    }
    let mut network = Venice::new(&settings.fabric).network().clone();
    for (who, path) in &circuits {
        let path: Vec<_> = path.iter().copied().map(RouterId).collect();
        let installed = network.install(ControllerId(*who), &path, SimTime::ZERO);
        installed.map_err(|wrong| error::usage(&wrong.to_string()))?;
    }
    let course = network.follow(ControllerId(controller), RouterId(chip), CLOCK, SimTime::ZERO);
    let path = network.path_of(ControllerId(controller));
    Ok((numbers(&course), numbers(&path)))
}

fn numbers(routers: &[RouterId]) -> Vec<u32> {
    routers.iter().map(|router| router.0).collect()
}
