//! NoSSD as a circuit-switched mesh. The mesh has the routers and links of Venice, but only one path for
//! each pair of controller and chip.

use super::Switching;
use crate::venice::{PathLoops, PortChoice, Retry, Routing, ServiceOrder, VeniceSettings};
use crate::{Attachment, FabricSettings};

/// Returns the settings with which Venice's mesh models NoSSD with circuit switching. Returns `None` if NoSSD
/// is configured for packet switching.
///
/// Scouts have the same parameters as on Venice: the reservation of links, the time that they take, and the
/// delay of retries. A comparison of both meshes then differs only in routing and in the choice of controllers.
pub fn circuit_settings(settings: &FabricSettings) -> Option<FabricSettings> {
    let nossd = settings.own.nossd;
    let retry = match nossd.switching {
        Switching::Packets => return None,
        Switching::Circuits => Retry::NextTransfer,
        Switching::CommittedCircuits => Retry::AtOnce,
    };
    let mut mesh = FabricSettings { chip_to_chip: false, ..settings.clone() };
    mesh.own.venice = VeniceSettings {
        routing: Routing::DimensionOrder,
        port_choice: PortChoice::Fixed,
        controller: nossd.controller,
        retry,
        path_loops: PathLoops::Kept,
        order: ServiceOrder::FirstCome,
        attachment: Attachment::PAPER,
        ..settings.own.venice
    };
    Some(mesh)
}

#[cfg(test)]
mod tests {
    use venice_kernel::{SimSpan, SimTime};
    use venice_nand::geometry::ChipId;

    use crate::testkit::{FabricBench, command_to, paper_settings};
    use crate::{ControllerChoice, FabricKind, Offer, Transfer};

    use super::*;

    /// Test on an array of four rows and two columns. Offers a page to the chips 0, 2, 1, 3 and 7 in turn,
    /// and returns the responses to the last two offers. The first two offers occupy the controllers of rows
    /// 0 and 1. The controller of row 2 reaches chip 1 over its row and column 1. The controller of row 3
    /// would need the same links for chip 3. Each failed scout returns before the next offer.
    fn answers(switching: Switching, controller: ControllerChoice) -> (Offer, Offer) {
        let mut settings = paper_settings(4, 2);
        (settings.own.nossd.switching, settings.own.nossd.controller) = (switching, controller);
        let mut bench = FabricBench::of(FabricKind::NoSsd, &settings).expect("a mesh of four rows");
        let mut at = SimTime::ZERO;
        let mut offer = |chip| {
            at = at + SimSpan::from_ns(100);
            bench.offer(&Transfer { bytes: 4096, ..command_to(ChipId(chip)) }, at)
        };
        let first = [0, 2, 1].map(&mut offer);
        if controller == ControllerChoice::NearestFree {
            assert_eq!(first, [Offer::Accepted; 3]);
        }
        (offer(3), offer(7))
    }

    #[test]
    fn a_controller_whose_path_is_busy_serves_another_transfer_unless_committed() {
        use Offer::{Accepted, DomainBusy, PathBusy};
        let nearest = ControllerChoice::NearestFree;
        assert_eq!(answers(Switching::Circuits, nearest), (PathBusy, Accepted));
        assert_eq!(answers(Switching::CommittedCircuits, nearest), (Accepted, DomainBusy));
    }

    #[test]
    fn at_home_only_the_controller_of_the_row_serves_a_chip() {
        let (taken, free) = answers(Switching::Circuits, ControllerChoice::Home);
        assert_ne!(taken, Offer::Accepted, "the controller of row 1 serves chip 2");
        assert_eq!(free, Offer::Accepted, "row 3 is idle");
    }
}
