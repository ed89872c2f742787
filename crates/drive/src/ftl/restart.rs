//! Time of a restart after a loss of power.
//!
//! # What it models
//! The map is rebuilt from flash, and all planes read at the same time. With `scan`, the drive senses every
//! programmed page to find its logical address and age. With `journal`, the map and its changes are stored on
//! flash, so the drive senses only the pages of the map and those of partly programmed blocks.
//!
//! ```text
//! scan:    t = max over planes (programmed pages) × t_read
//! journal: t = (⌈map pages / planes⌉ + max over planes (pages in open blocks)) × t_read
//! ```
//!
//! Until the program of a page has ended, only its old version survives a loss of power. With
//! `keep_old_versions`, the block of the old version cannot be erased until then.
//!
//! # What is left out
//! Transfers of the pages that are sensed, and the time of the firmware.
//!
//! # Source
//! Derived from the geometry, with 4 bytes (a physical page number) for each map entry.
//!
//! # Parameters
//! `ftl.restart`, `ftl.keep_old_versions`

use venice_kernel::SimSpan;
use venice_params::{ParameterKind, choices, declare, one_of};

/// Method of rebuilding the map after a loss of power.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RestartMethod {
    /// All programmed pages are read.
    Scan,
    /// The pages of the map and the pages of partly programmed blocks are read.
    Journal,
}

choices! {
    RestartMethod, "restart method": "scan" => Scan, "journal" => Journal;
}

declare! {
    /// Parameters of a restart after a loss of power.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct RestartParameters in "ftl." {
        /// Method of rebuilding the map after a loss of power, which determines the time of the restart.
        ///
        /// `scan`: every programmed page is sensed. `journal`: only the pages of the map and of partly
        /// programmed blocks are sensed. The restart time is reported in `power_losses` and affects no
        /// other figure.
        restart: RestartMethod = one_of::<RestartMethod>(), unit "", default "scan", source "derived: pages × t_read / planes";
        /// If true, a block is erased only after the programs that replace its pages have ended.
        ///
        /// If false, a loss of power during such a program may lose both versions of a page, since the
        /// map changes before the program has ended.
        keep_old_versions: bool = ParameterKind::Boolean, unit "", default "false", source "ours; MQSim erases at once (false)";
    }
}

/// Number of bytes in a map entry.
const ENTRY_BYTES: u64 = 4;

/// Properties and state of a drive that determine the time of its restart after a loss of power.
#[derive(Clone, Copy, Debug)]
pub struct RestartWork {
    /// Largest number of programmed pages in a plane.
    pub most_programmed: u32,
    /// Largest number of programmed pages in partly programmed blocks of a plane.
    pub most_in_open_blocks: u32,
    /// Number of logical pages in the map.
    pub logical_pages: u64,
    /// Number of bytes in a page.
    pub page_bytes: u32,
    /// Number of planes in the drive.
    pub planes: u32,
}

impl RestartMethod {
    /// Returns the time until the map is rebuilt. `read` is the time to sense a page.
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
        // The map has 4 MiB, which are 256 pages, four in each plane.
        assert_eq!(RestartMethod::Journal.time(&work, read), SimSpan::from_us(34 * 50));
    }
}
