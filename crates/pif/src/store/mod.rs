//! Stored pages and their error correction.
//!
//! # What it models
//!
//! Data are divided into pages. The controller encodes each page before it is stored. All cells have equal
//! wear. The wrong bits of a page are a property of its cells, so repeated reads of a page have the same
//! errors. The chip decodes sub-page by sub-page and stops at the first uncorrectable one. The controller
//! then decodes the hard read. If its decoder fails, it decodes again after 2 extra reads, then after 6 more,
//! up to the configured limit.
//!
//! # How
//!
//! The input of the decoders consists of syndromes, differences from the hard read, and strengths
//! (reliabilities). All of these depend only on the errors, because the code is linear. Decoding the errors
//! relative to the all-zero codeword takes the same number of iterations and leaves the same errors, so pages
//! are not actually encoded. Tests compare both methods for each decoder.
//!
//! # Modes
//!
//! - [`ErrorModel::Functional`]: codewords are corrupted and decoded.
//! - [`ErrorModel::Statistical`]: errors of each codeword are drawn, and failures follow the measured curves,
//!   without decoding.
//! - [`ErrorModel::Threshold`]: the rule of the `PiF` paper. `ECC_w` fails on every page if the mean exceeds
//!   72 errors per codeword, and on none otherwise.
//!
//! Pages are independent of each other and of the order of reads.
//!
//! # What is left out
//!
//! A file system: the caller chooses the pages of a file. The last page of a file is padded with zeros.

mod controller;
mod correction;
mod outcome;
mod read;
mod read_ahead;
mod search;

pub use correction::{Correction, CorrectionResult};
pub use read::PageReader;
pub use search::{BorderMatches, PageEndState, PageSearch, ReadOutcome, Searcher};

use venice_ecc::channel::SoftReads;
use venice_ecc::code::DATA_BYTES;
use venice_nand::wear::{PageWear, WearModel};

/// Data bytes of a page.
pub const PAGE_BYTES: usize = 16 * 1024;
/// Number of sub-pages (codewords) of a page.
pub const SUB_PAGES: usize = PAGE_BYTES / DATA_BYTES;
/// Mean number of raw errors per codeword above which `ECC_w` fails in the `PiF` paper.
pub const PAPER_REACH: f64 = 72.0;

/// Error model; see the module documentation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrorModel {
    /// Bits are inverted at random, and codewords are decoded.
    Functional,
    /// Failures are drawn from measured curves.
    Statistical,
    /// Rule of the `PiF` paper: the chip's decoder fails if the mean number of errors exceeds
    /// [`PAPER_REACH`].
    Threshold,
}

/// Names of the error models, as in configuration files.
pub const MODE_NAMES: [&str; 3] = ["functional", "statistical", "threshold"];

impl ErrorModel {
    /// Returns the error model with this name, if there is one.
    pub fn from_name(name: &str) -> Option<Self> {
        let modes = [Self::Functional, Self::Statistical, Self::Threshold];
        MODE_NAMES.iter().position(|&known| known == name).map(|index| modes[index])
    }
}

/// Settings of page reads: wear of the cells, and limits of error correction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReadSettings {
    /// Model of raw bit errors.
    pub mode: ErrorModel,
    /// Model of the raw bit error rate.
    pub model: WearModel,
    /// Wear of the cells, equal for all pages.
    pub wear: PageWear,
    /// Maximum number of extra reads per page.
    pub soft: SoftReads,
    /// Iteration limit of the chip's decoder for each sub-page.
    pub chip_iterations: u32,
    /// Maximum number of failing checks of a sub-page that the chip decodes. If a sub-page has more, its page
    /// is sent undecoded.
    pub chip_failing_checks: u32,
    /// Maximum number of failing checks of a sub-page whose hard read the controller decodes. If a sub-page
    /// has more, the controller requests extra reads at once.
    pub controller_failing_checks: u32,
    /// Seed of the random errors.
    pub seed: u64,
}

/// Returns the number of pages for `bytes` bytes of data.
pub const fn pages_of(bytes: usize) -> usize {
    bytes.div_ceil(PAGE_BYTES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_mode_has_its_name() {
        assert_eq!(ErrorModel::from_name("functional"), Some(ErrorModel::Functional));
        assert_eq!(ErrorModel::from_name("threshold"), Some(ErrorModel::Threshold));
        assert_eq!(ErrorModel::from_name("Statistical"), None);
    }
}
