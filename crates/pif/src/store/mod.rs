//! A drive's bytes: pages that rest as codewords in worn cells, and what reading one of them comes to.
//!
//! # What it models
//!
//! Data are cut into pages; each is encoded once, as the controller would, and rests in cells of the same wear. Which bits of a page are wrong
//! is a property of its cells: a page that is read twice is wrong in the same places. The chip decodes sub-page by sub-page and gives the page up with
//! the first that it cannot correct. The controller then has the page as it was read: it tries the stronger decoder, then 2 extra reads, then 6, as
//! far as it is allowed to.
//!
//! # How
//!
//! Decoders see failing checks, differences from what was read and strengths. These depend on the errors alone, as the code is linear: decoding the
//! errors over the word of all zeros takes the same iterations and leaves what decoding the stored word would, less that word. So no page is
//! encoded; tests hold both ways together, for each decoder.
//!
//! # Three modes
//!
//! - [`Mode::Functional`]: codewords are corrupted and decoded for real.
//! - [`Mode::Statistical`]: errors of each codeword are drawn, and failures from the measured curves; no code is touched.
//! - [`Mode::Threshold`]: the paper's rule: `ECC_w` fails on every page if the mean exceeds 72 errors per codeword, and on none otherwise.
//!
//! Pages are independent of each other and of the order in which they are read.
//!
//! # What is left out
//!
//! A file system: where a file's pages lie is its own affair. The last page of a file is filled up with zeros.

mod controller;
mod fate;
mod foreseen;
mod outcome;
mod read;
mod search;

pub use fate::{Correction, Fate};
pub use read::PageReader;
pub use search::{Border, PageEnd, PageSearch, ReadOutcome, Searcher};

use crate::code::DATA_BYTES;
use crate::wear::{Wear, WearModel};

/// Data bytes of a page.
pub const PAGE_BYTES: usize = 16 * 1024;
/// Sub-pages, hence codewords, of a page.
pub const SUB_PAGES: usize = PAGE_BYTES / DATA_BYTES;
/// Mean raw errors per codeword beyond which the paper's `ECC_w` fails.
pub const PAPER_REACH: f64 = 72.0;

/// How errors come about; see the module comment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mode {
    /// Bytes are corrupted and decoded.
    Functional,
    /// Failures are drawn from the measured curves.
    Statistical,
    /// The paper's rule.
    Threshold,
}

/// Names of the modes, as users write them.
pub const MODE_NAMES: [&str; 3] = ["functional", "statistical", "threshold"];

impl Mode {
    /// The mode of this name, if there is one.
    pub fn from_name(name: &str) -> Option<Self> {
        let modes = [Self::Functional, Self::Statistical, Self::Threshold];
        MODE_NAMES.iter().position(|&known| known == name).map(|index| modes[index])
    }
}

/// How many reads around the threshold the controller may add.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SoftReads {
    /// None: hard reads only.
    None,
    /// Two.
    Two,
    /// Two, then six.
    Six,
}

/// What the cells have been through and how they are read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReadSettings {
    /// How errors come about.
    pub mode: Mode,
    /// The chip's constants.
    pub model: WearModel,
    /// What all pages have been through.
    pub wear: Wear,
    /// How far the controller may go.
    pub soft: SoftReads,
    /// Iterations after which the chip's decoder gives a sub-page up.
    pub chip_iterations: u32,
    /// Failing checks of a sub-page beyond which the chip hands the page on without decoding any of it.
    pub chip_failing_checks: u32,
    /// Failing checks of a sub-page beyond which the controller asks for extra reads without decoding the page as it was read.
    pub controller_failing_checks: u32,
    /// Seed of the errors.
    pub seed: u64,
}

/// Pages that data take.
pub const fn pages_of(bytes: usize) -> usize {
    bytes.div_ceil(PAGE_BYTES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_mode_has_its_name() {
        assert_eq!(Mode::from_name("functional"), Some(Mode::Functional));
        assert_eq!(Mode::from_name("threshold"), Some(Mode::Threshold));
        assert_eq!(Mode::from_name("Statistical"), None);
    }
}
