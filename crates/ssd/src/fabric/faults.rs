//! What fails: as it is stated, by rows and columns, and as fabrics are told it.

use venice_kernel::{SimSpan, SimTime};

use crate::geometry::{Array, ChipId};
use crate::parameters::{Kind, declare, number};

use super::noc::MeshParameters;

declare! {
    /// What fails, on each fabric what it is made of; and what follows. Links and routers of a mesh: `[fabric.mesh]`.
    #[derive(Clone, Debug, PartialEq)]
    pub struct FaultParameters in "fabric.faults." {
        /// Channels that fail, by the numbers of their rows: of `bus`, `pssd` and `decoupled`.
        ///
        /// Lists of numbers as everywhere: `[[0, 3]]` are those of rows 0 and 3, and so is `[[0], [3]]`.
        channels: Vec<Vec<u32>> = Kind::Lists { max: 255 }, unit "", default "[]", source "ours";
        /// Direct channels that fail, each by row and column of its chip: of `ideal`.
        chip_channels: Vec<Vec<u32>> = Kind::Lists { max: 255 }, unit "", default "[]", source "ours";
        /// Row buses that fail, by the numbers of their rows: of `pnssd`. Its chips are reached by the buses of their columns.
        row_buses: Vec<Vec<u32>> = Kind::Lists { max: 255 }, unit "", default "[]", source "ours";
        /// Column buses that fail, by the numbers of their columns: of `pnssd`. Its chips are reached by the buses of their rows.
        column_buses: Vec<Vec<u32>> = Kind::Lists { max: 255 }, unit "", default "[]", source "ours";
        /// Links of rings that fail, each by its row and its number: of `hlnand`.
        ///
        /// Link 0 leaves the controller, link *c* + 1 leaves the chip of column *c*. Links lead one way, so that a cut ring is lost
        /// whole, unless `fabric.hlnand.links_turn`.
        ring_links: Vec<Vec<u32>> = Kind::Lists { max: 255 }, unit "", default "[]", source "ours";
        /// When what fails does so, here and in `[fabric.mesh]`; what has a path by then is finished.
        at_us: f64 = number(0.0, 1e12), unit "µs", default "0", source "ours";
        /// How long controllers take to find that something has failed: until then what needs it waits.
        ///
        /// What fails at 0 is known from the start.
        detection as detection_us: SimSpan = number(0.0, 1e9), unit "µs", default "100",
            source "assumed: the papers speak of no failures; longer than a read of any preset, so that no chip at work is given up";
        /// Whether the drive goes on when no controller reaches some chips any more; else it is refused.
        ///
        /// What fails at 0 makes it smaller. What fails later takes data with it: reads of it end with an error, which the report
        /// counts, and writes go to other chips while these have room.
        degraded_mode: bool = Kind::Boolean, unit "", default "false", source "ours";
    }
}

impl FaultParameters {
    /// The numbers of the channels, buses or ring links that fail; what a fabric has not is refused before anything is built.
    fn paths(&self, array: Array) -> Vec<u32> {
        let pair = |part: &Vec<u32>, width: u32| Some(part.first()? * width + part.get(1)?);
        let rows = self.channels.iter().chain(&self.row_buses).flatten().copied();
        let columns = self.column_buses.iter().flatten().map(|column| array.rows + column);
        let chips = self.chip_channels.iter().filter_map(|part| pair(part, array.cols));
        let links = self.ring_links.iter().filter_map(|part| pair(part, array.cols + 1));
        rows.chain(columns).chain(chips).chain(links).collect()
    }
}

/// What fails: links and routers of a mesh, where a router is named by its chip; elsewhere channels, buses, or links of rings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FaultSettings {
    /// Links of a mesh, each by the neighbours that it joins.
    pub links: Vec<[ChipId; 2]>,
    /// Routers.
    pub routers: Vec<ChipId>,
    /// Channels, buses, or links of rings, by their numbers among what [`Fabric::path_busy`](super::Fabric::path_busy) lists.
    pub paths: Vec<u32>,
    /// When.
    pub at: SimTime,
    /// How long after that controllers take for failed what no longer answers.
    pub detection: SimSpan,
    /// Chips that hold no data, so that nobody needs to reach them.
    pub unused: Vec<ChipId>,
    /// Whether a drive goes on without the chips that nobody reaches any more.
    pub degraded_mode: bool,
}

impl FaultSettings {
    /// Whether a path is among those that fail.
    pub fn fails(&self, path: u32) -> bool {
        self.paths.contains(&path)
    }

    /// What is stated; entries of another length or beyond the array are refused before anything is built. `unused` are chips that
    /// hold no data.
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
            // Both keys mean the same; two different instants are refused.
            at: SimTime::ZERO + SimSpan::from_us_f64(mesh.fail_at_us.max(stated.at_us)),
            detection: stated.detection,
            unused,
            degraded_mode: stated.degraded_mode,
        }
    }

    /// Whether anything fails.
    pub fn is_empty(&self) -> bool {
        self.links.is_empty() && self.routers.is_empty() && self.paths.is_empty()
    }

    /// When controllers know: what has failed before the start is found when the drive is switched on.
    pub fn known_at(&self) -> SimTime {
        if self.at == SimTime::ZERO { self.at } else { self.at + self.detection }
    }
}
