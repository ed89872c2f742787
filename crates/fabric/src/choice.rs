//! Parameter that selects the fabric, and parameters that all fabrics have in common.

use venice_params::{ParameterKind, declare, one_of};

use super::catalogue::FabricKind;
use super::settings::{BusSettings, FirstOnPath, Hold};

declare! {
    /// Connection between flash controllers and chips.
    pub struct FabricChoice in "fabric." {
        /// Interconnect between the drive's flash controllers and its chips (fabric).
        name: FabricKind = one_of::<FabricKind>(), unit "", default "bus",
            source "Nadig et al., Venice, ISCA 2023, §3.2, §5";
        with bus: BusSettings;
        /// Direct copies of pages between chips, without a controller, for garbage collection and for gathers
        /// (combination of pages in flash).
        ///
        /// `venice`: over a circuit between the chips. `pnssd`: between chips of a column, over its bus.
        /// Other fabrics do not support it. Garbage collection moves pages to other chips only with
        /// `ftl.gc_destination`.
        chip_to_chip: bool = ParameterKind::Boolean, unit "", default "false",
            source "Nadig et al., Venice, ISCA 2023, §8; Kim et al., Networked SSD, MICRO 2022";
        /// Time for which a path (channel, bus, ring or circuit) is held.
        ///
        /// `transfer`: one transfer, so that a read acquires a path twice and other transfers use it during
        /// the array time. `operation`: a read holds its path from its command to the end of its data.
        /// `request`: in addition, a program or copyback holds its path from its command to the end of the
        /// array operation. A suspended operation releases its path, and its resume command acquires a new
        /// one. Chip-to-chip copies and gathers hold a path for one transfer only. `nossd` with packets
        /// (`fabric.nossd.switching`) ignores this setting.
        hold: Hold = one_of::<Hold>(), unit "", default "transfer",
            source "Nadig et al., Venice, ISCA 2023, §3.1, Figure 3 (transfer); §4.2, §6.3, §6.5 (operation, request: for each I/O request)";
        /// If true, an erase also holds its path from its command to its end, with `hold = "request"`.
        hold_erases: bool = ParameterKind::Boolean, unit "", default "false",
            source "ours: Nadig et al., Venice, ISCA 2023, reserve paths for I/O requests, which no erase is part of";
        /// Order of priority among transfers that wait for a path.
        ///
        /// `data`: read data, then commands, as in MQSim. `commands`: commands without data, then read data,
        /// then commands with data. Commands without data take negligible path time and start array
        /// operations, so that more chips have data ready and fewer paths are idle. Under a saturating load
        /// of reads, every fabric has a higher throughput with `commands`.
        first_on_path: FirstOnPath = one_of::<FirstOnPath>(), unit "", default "commands",
            source "ours (commands): a saturated channel then carries its rate; Tavakkol et al., MQSim, FAST 2018 (data)";
    }
}
