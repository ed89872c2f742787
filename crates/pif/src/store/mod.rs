//! A drive's bytes: files that are stored once as codewords, and what reading a page of them comes to.
//!
//! # What it models
//!
//! A file is cut into pages; each is encoded once, as the controller would, and rests in cells of the same wear. Which bits of a page are wrong
//! is a property of its cells: a page that is read twice is wrong in the same places. What the chip cannot correct, the controller
//! tries with the stronger decoder, then with 2 extra reads, then with 6, as far as it is allowed to.
//!
//! # Three modes
//!
//! - [`Mode::Functional`]: codewords are stored, corrupted and decoded for real.
//! - [`Mode::Statistical`]: errors of each codeword are drawn, and failures from the measured curves; no code is touched.
//! - [`Mode::Threshold`]: the paper's rule: `ECC_w` fails on every page if the mean exceeds 72 errors per codeword, and on none otherwise.
//!
//! Pages are independent of each other and of the order in which they are read.
//!
//! # What is left out
//!
//! A file system: where a file's pages lie is its own affair. The last page of a file is filled up with zeros.

mod fate;
mod read;
mod search;

use rayon::prelude::*;

pub use fate::{Correction, Fate};
pub use read::PageReader;
pub use search::{FileSearch, PageSearch, ReadOutcome, SearchError, Searcher, Unreadable};

use crate::code::DATA_BYTES;
use crate::page::StoredPage;
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
    /// Seed of the errors.
    pub seed: u64,
}

/// A file in the drive.
#[derive(Clone, Debug)]
pub struct StoredFile {
    cells: Cells,
    bytes: usize,
    first_page: u64,
    /// Newlines before each page and, last, in all: the controller's index of lines.
    lines_before: Vec<u64>,
}

/// What the drive holds of a file.
#[derive(Clone, Debug)]
enum Cells {
    Encoded(Vec<StoredPage>),
    /// The data alone, where no code is touched.
    Plain(Vec<u8>),
}

impl StoredFile {
    /// Stores a file whose first page is the drive's page number `first_page`.
    pub fn store(data: Vec<u8>, first_page: u64, mode: Mode) -> Self {
        let lines_before = line_index(&data);
        let bytes = data.len();
        let cells = match mode {
            Mode::Functional => Cells::Encoded(data.par_chunks(PAGE_BYTES).map(encode).collect()),
            Mode::Statistical | Mode::Threshold => Cells::Plain(data),
        };
        Self { cells, bytes, first_page, lines_before }
    }

    /// Bytes of data.
    pub const fn bytes(&self) -> usize {
        self.bytes
    }

    /// Pages that it takes.
    pub const fn pages(&self) -> usize {
        self.bytes.div_ceil(PAGE_BYTES)
    }

    /// The drive's number of its first page.
    pub const fn first_page(&self) -> u64 {
        self.first_page
    }

    /// Newlines before a page; for the number of pages, newlines in all.
    pub fn lines_before(&self, page: usize) -> u64 {
        self.lines_before[page]
    }

    /// Data bytes of a page: fewer than [`PAGE_BYTES`] in the last.
    pub const fn bytes_of_page(&self, page: usize) -> usize {
        let left = self.bytes - page * PAGE_BYTES;
        if left < PAGE_BYTES { left } else { PAGE_BYTES }
    }
}

fn encode(data: &[u8]) -> StoredPage {
    let mut page = [0; PAGE_BYTES];
    page[..data.len()].copy_from_slice(data);
    StoredPage::encode(&page).expect("a page has 1 to 64 sub-pages")
}

fn line_index(data: &[u8]) -> Vec<u64> {
    let count = |page: &[u8]| memchr::memchr_iter(b'\n', page).count() as u64;
    let counts: Vec<u64> = data.par_chunks(PAGE_BYTES).map(count).collect();
    let mut before = 0;
    let sums = counts.into_iter().map(|count| {
        before += count;
        before
    });
    std::iter::once(0).chain(sums).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_takes_whole_pages_and_knows_its_lines() {
        let mut data = vec![b'.'; 2 * PAGE_BYTES + 5];
        for at in [0, PAGE_BYTES - 1, PAGE_BYTES, 2 * PAGE_BYTES + 4] {
            data[at] = b'\n';
        }
        for mode in [Mode::Functional, Mode::Statistical] {
            let file = StoredFile::store(data.clone(), 7, mode);
            assert_eq!((file.pages(), file.bytes(), file.first_page()), (3, 2 * PAGE_BYTES + 5, 7));
            let lines: Vec<u64> = (0..=3).map(|page| file.lines_before(page)).collect();
            assert_eq!(lines, [0, 2, 3, 4]);
            assert_eq!((file.bytes_of_page(1), file.bytes_of_page(2)), (PAGE_BYTES, 5));
        }
    }

    #[test]
    fn a_file_of_nothing_takes_no_page() {
        let file = StoredFile::store(Vec::new(), 0, Mode::Functional);
        assert_eq!((file.pages(), file.lines_before(0)), (0, 0));
    }

    #[test]
    fn every_mode_has_its_name() {
        assert_eq!(Mode::from_name("functional"), Some(Mode::Functional));
        assert_eq!(Mode::from_name("threshold"), Some(Mode::Threshold));
        assert_eq!(Mode::from_name("Statistical"), None);
    }
}
