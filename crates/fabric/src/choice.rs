//! Declaration of the parameter that selects the fabric, and of the parameters common to all fabrics.

use venice_params::{ParameterKind, declare, one_of};

use super::catalogue::FabricKind;
use super::settings::{BusSettings, FirstOnPath, Hold};

declare! {
    /// Connection between flash controllers and chips.
    pub struct FabricChoice in "fabric." {
        /// Fabric of the drive.
        name: FabricKind = one_of::<FabricKind>(), unit "", default "bus",
            source "Nadig et al., Venice, ISCA 2023, §3.2, §5";
        with bus: BusSettings;
        /// Direct copies between chips, without a controller, of pages that garbage collection moves and of
        /// operands of gathers.
        ///
        /// `venice`: over a circuit between the chips. `pnssd`: between chips of a column, over its bus.
        /// Other fabrics do not support it. Garbage collection moves pages to other chips only with
        /// `ftl.gc_destination`.
        chip_to_chip: bool = ParameterKind::Boolean, unit "", default "false",
            source "Nadig et al., Venice, ISCA 2023, §8; Kim et al., Networked SSD, MICRO 2022";
        /// Time for which a path (channel, bus, ring or circuit) is held.
        ///
        /// `transfer`: one transfer, so that a read acquires a path twice and other transfers use it during
        /// the array time. `operation`: from a read's command to the end of its data. `request`: also from a
        /// program's or copyback's command to the end of the array's work. A suspended operation gives up its
        /// path, and its resume command takes another. Chip-to-chip copies and gathers hold nothing beyond a
        /// transfer. The packets of `nossd` hold no path.
        hold: Hold = one_of::<Hold>(), unit "", default "transfer",
            source "Nadig et al., Venice, ISCA 2023, §3.1, Figure 3 (transfer); §4.2, §6.3, §6.5 (operation, request: for each I/O request)";
        /// Holding of paths during erases as well, for `hold = "request"`.
        hold_erases: bool = ParameterKind::Boolean, unit "", default "false",
            source "ours: Nadig et al., Venice, ISCA 2023, reserve paths for I/O requests, which no erase is part of";
        /// Priority among transfers that wait for a path.
        ///
        /// `data`: read data, then commands, as in MQSim. `commands`: bare commands, then read data, then
        /// commands with data. Bare commands take negligible path time and start array operations, so that
        /// more chips have data ready and fewer paths are idle; every fabric has a higher throughput with it
        /// under a saturating load of reads.
        first_on_path: FirstOnPath = one_of::<FirstOnPath>(), unit "", default "commands",
            source "ours (commands): a saturated channel then carries its rate; Tavakkol et al., MQSim, FAST 2018 (data)";
    }
}
