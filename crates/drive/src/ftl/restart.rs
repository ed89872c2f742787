//! Time of a restart after a loss of power.
//!
//! # What it models
//! The map is rebuilt from flash; all planes read at the same time. With `scan`, the drive senses every
//! programmed page for its logical address and age. With `journal`, the map and its changes are on flash, so
//! that the drive senses the pages of the map, and those of partly programmed blocks.
//!
//! ```text
//! scan:    t = max over planes (programmed pages) × t_read
//! journal: t = (⌈map pages / planes⌉ + max over planes (pages in open blocks)) × t_read
//! ```
//!
//! Until the program of a page has ended, its old version is all that a loss of power leaves. With
//! `keep_old_versions` the block of the old version is kept from erasure until then, as by a read.
//!
//! # What is left out
//! Transfers of what is sensed, and the firmware's time.
//!
//! # Source
//! Derivation from the geometry; 4 bytes for an entry of the map are those of `ftl.mapping`.
//!
//! # Parameters
//! `ftl.restart`, `ftl.keep_old_versions`

use venice_kernel::SimSpan;
use venice_params::{ParameterKind, choices, declare, one_of};

/// Method to rebuild the map after a loss of power.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RestartMethod {
    /// Read of every programmed page.
    Scan,
    /// Read of the map's pages and of partly programmed blocks.
    Journal,
}

choices! {
    RestartMethod, "restart method": "scan" => Scan, "journal" => Journal;
}

declare! {
    /// Restart after a loss of power.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct RestartParameters in "ftl." {
        /// Method of rebuilding the map after a loss of power, which determines the time of the restart.
        ///
        /// `scan`: every programmed page is sensed. `journal`: the pages of the map, and those of partly
        /// programmed blocks. The time is in `power_losses` of the report and affects no other figure.
        restart: RestartMethod = one_of::<RestartMethod>(), unit "", default "scan", source "derived: pages × t_read / planes";
        /// Delay of a block's erase until the programs that replace its pages have ended.
        ///
        /// Without it, a loss of power during such a program may lose both versions of a page, as the map changes
        /// when the program is ordered.
        keep_old_versions: bool = ParameterKind::Boolean, unit "", default "false", source "ours; MQSim erases at once (false)";
    }
}

/// Bytes of an entry of the map.
const ENTRY_BYTES: u64 = 4;

/// Drive that restarts.
#[derive(Clone, Copy, Debug)]
pub struct RestartWork {
    /// Programmed pages of the plane with most of them.
    pub most_programmed: u32,
    /// Programmed pages in partly programmed blocks of the plane with most of them.
    pub most_in_open_blocks: u32,
    /// Logical pages, which the map has entries for.
    pub logical_pages: u64,
    /// Bytes of a page.
    pub page_bytes: u32,
    /// Planes of the drive.
    pub planes: u32,
}

impl RestartMethod {
    /// Returns the time until the map is rebuilt, if a page is sensed in `read`.
    pub fn time(self, work: &RestartWork, read: SimSpan) -> SimSpan {
        let pages = match self {
            Self::Scan => u64::from(work.most_programmed),
            Self::Journal => {
                let map_pages = (work.logical_pages * ENTRY_BYTES).div_ceil(work.page_bytes.into());
                map_pages.div_ceil(work.planes.into()) + u64::from(work.most_in_open_blocks)
            }
        };
        read * pages
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scan_reads_all_pages_and_a_journal_the_map_and_open_blocks() {
        let work = RestartWork {
            most_programmed: 1000,
            most_in_open_blocks: 30,
            logical_pages: 1 << 20,
            page_bytes: 16_384,
            planes: 64,
        };
        let read = SimSpan::from_us(50);
        assert_eq!(RestartMethod::Scan.time(&work, read), SimSpan::from_us(50_000));
        // 4 MiB of map are 256 pages, four in each plane.
        assert_eq!(RestartMethod::Journal.time(&work, read), SimSpan::from_us(34 * 50));
    }
}
