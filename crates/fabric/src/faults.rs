//! Fault parameters as configured (by row and column), and fault settings as passed to fabrics.

use venice_kernel::{SimSpan, SimTime};
use venice_nand::geometry::{Array, ChipId};
use venice_params::{ParameterKind, declare, number};

use super::noc::MeshParameters;

declare! {
    /// Parts that fail, and the drive's response. For links and routers of a mesh see `[fabric.mesh]`.
    #[derive(Clone, Debug, PartialEq)]
    pub struct FaultParameters in "fabric.faults." {
        /// Channels that fail, by row number; for `bus`, `pssd` and `decoupled`.
        ///
        /// A list of lists: `[[0, 3]]` and `[[0], [3]]` both name the channels of rows 0 and 3.
        channels: Vec<Vec<u32>> = ParameterKind::Lists { max: 255 }, unit "", default "[]", source "ours";
        /// Direct channels that fail, each by row and column of its chip; for `ideal`.
        chip_channels: Vec<Vec<u32>> = ParameterKind::Lists { max: 255 }, unit "", default "[]", source "ours";
        /// Row buses that fail, by row number; for `pnssd`. Their chips remain reachable by the column buses.
        row_buses: Vec<Vec<u32>> = ParameterKind::Lists { max: 255 }, unit "", default "[]", source "ours";
        /// Column buses that fail, by column number; for `pnssd`. Their chips remain reachable by the row
        /// buses.
        column_buses: Vec<Vec<u32>> = ParameterKind::Lists { max: 255 }, unit "", default "[]", source "ours";
        /// Ring links that fail, each by row and link number; for `hlnand`.
        ///
        /// Link 0 leaves the controller, link *c* + 1 leaves the chip of column *c*. Links are one-way, so
        /// one failed link makes all chips of the ring unreachable unless `fabric.hlnand.links_turn` is set.
        ring_links: Vec<Vec<u32>> = ParameterKind::Lists { max: 255 }, unit "", default "[]", source "ours";
        /// Time at which all parts of this section and of `[fabric.mesh]` fail. Transfers that already have a
        /// path complete.
        at_us: f64 = number(0.0, 1e12), unit "µs", default "0", source "ours";
        /// Time from a failure until the controllers detect it. Transfers that need the failed part wait
        /// until then.
        ///
        /// Failures at time 0 are known from the start.
        detection as detection_us: SimSpan = number(0.0, 1e9), unit "µs", default "100",
            source "assumed: the papers do not cover failures; longer than a read of any preset, so that no busy chip is abandoned";
        /// Degraded mode: a drive with unreachable chips stays in operation. If false, such a drive is
        /// rejected.
        ///
        /// Failures at time 0 reduce the capacity. Later failures lose data: reads of lost data end with an
        /// error, which the report counts, and writes go to other chips while these have free space.
        degraded_mode: bool = ParameterKind::Boolean, unit "", default "false", source "ours";
    }
}

impl FaultParameters {
    /// Returns the path numbers of the failing channels, buses or ring links. Assumes that the fabric has
    /// these parts, which the configuration check ensures.
    fn paths(&self, array: Array) -> Vec<u32> {
        let pair = |part: &Vec<u32>, width: u32| Some(part.first()? * width + part.get(1)?);
        let rows = self.channels.iter().chain(&self.row_buses).flatten().copied();
        let columns = self.column_buses.iter().flatten().map(|column| array.rows + column);
        let chips = self.chip_channels.iter().filter_map(|part| pair(part, array.cols));
        let links = self.ring_links.iter().filter_map(|part| pair(part, array.cols + 1));
        rows.chain(columns).chain(chips).chain(links).collect()
    }
}

/// Faults as passed to a fabric. They concern links and routers of a mesh, or channels, buses and ring links.
/// A router is identified by its chip.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FaultSettings {
    /// Mesh links that fail, each identified by the two chips at its ends.
    pub links: Vec<[ChipId; 2]>,
    /// Mesh routers that fail, each identified by its chip.
    pub routers: Vec<ChipId>,
    /// Channels, buses or ring links that fail, as indices into
    /// [`Fabric::path_busy`](super::Fabric::path_busy).
    pub paths: Vec<u32>,
    /// Instant at which the parts fail.
    pub at: SimTime,
    /// Delay from failure to detection by the controllers.
    pub detection: SimSpan,
    /// Chips that hold no data and therefore need not be reachable.
    pub unused: Vec<ChipId>,
    /// True if the drive keeps running when chips are unreachable.
    pub degraded_mode: bool,
}

impl FaultSettings {
    /// True if path `path` fails at some time.
    pub fn fails(&self, path: u32) -> bool {
        self.paths.contains(&path)
    }

    /// Converts the declared parameters; `unused` lists the chips without data. Ignores entries of wrong
    /// length, which the configuration check rejects.
    pub fn of(stated: &FaultParameters, mesh: &MeshParameters, array: Array, unused: Vec<ChipId>) -> Self {
        let chip = |row: u32, column: u32| ChipId(row * array.cols + column);
        let ends = |link: &Vec<u32>| match link[..] {
            [row, column, other_row, other_column] => {
                Some([chip(row, column), chip(other_row, other_column)])
            }
            _ => None,
        };
        let place = |router: &Vec<u32>| match router[..] {
            [row, column] => Some(chip(row, column)),
            _ => None,
        };
        Self {
            links: mesh.failed_links.iter().filter_map(ends).collect(),
            routers: mesh.failed_routers.iter().filter_map(place).collect(),
            paths: stated.paths(array),
            // Both keys have the same meaning; the configuration check has rejected two different instants.
            at: SimTime::ZERO + SimSpan::from_us_f64(mesh.fail_at_us.max(stated.at_us)),
            detection: stated.detection,
            unused,
            degraded_mode: stated.degraded_mode,
        }
    }

    /// True if no part fails.
    pub fn is_empty(&self) -> bool {
        self.links.is_empty() && self.routers.is_empty() && self.paths.is_empty()
    }

    /// Returns the instant of detection. Failures at the start of the run are detected immediately.
    pub fn known_at(&self) -> SimTime {
        if self.at == SimTime::ZERO { self.at } else { self.at + self.detection }
    }
}
