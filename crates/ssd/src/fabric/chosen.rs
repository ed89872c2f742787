//! Which fabric a drive has, as it is stated.

use super::catalogue::FabricKind;
use super::settings::{BusSettings, FirstOnPath, Hold};
use crate::parameters::{Kind, declare, one_of};

declare! {
    /// What joins the chips to the flash controllers.
    pub struct ChosenFabric in "fabric." {
        /// Which fabric.
        name: FabricKind = one_of::<FabricKind>(), unit "", default "bus",
            source "Nadig et al., Venice, ISCA 2023, §3.2, §5";
        with bus: BusSettings;
        /// Whether chips send pages that collection moves, and operands of gathers, to each other, without a controller, where the
        /// fabric can.
        ///
        /// `venice`: over a circuit from chip to chip. `pnssd`: between chips of a column, over its bus. Others cannot. Collection
        /// moves pages to other chips with `ftl.gc_destination` only.
        chip_to_chip: bool = Kind::Boolean, unit "", default "false",
            source "Nadig et al., Venice, ISCA 2023, §8; Kim et al., Networked SSD, MICRO 2022";
        /// What a path is held for: a channel, a bus, a ring, a circuit.
        ///
        /// `transfer`: for one transfer, so that a read takes a path twice and others use it while its array works.
        /// `operation`: from a read's command to the end of its data. The packets of `nossd` hold no path.
        hold: Hold = one_of::<Hold>(), unit "", default "transfer",
            source "Nadig et al., Venice, ISCA 2023, §3.1, Figure 3 (transfer); §4.2, §6.5 (operation: for each I/O request)";
        /// What goes first of several transfers that wait for a path.
        ///
        /// `data`: data that was read, then commands, as in MQSim. `commands`: commands without data, then data that was
        /// read, then commands with data. They take no time to speak of and set arrays to work, so that more chips have
        /// data waiting and fewer paths stay unused; every fabric carries more for it under a saturating load of reads.
        first_on_path: FirstOnPath = one_of::<FirstOnPath>(), unit "", default "commands",
            source "ours (commands): a saturated channel then carries its rate; Tavakkol et al., MQSim, FAST 2018 (data)";
    }
}
