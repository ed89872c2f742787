//! `read_when_matched` over the pages of a file, and what the controller makes of the answers.
//!
//! A chip senses a page, corrects and matches it, and answers with one of three outcomes (ONFI status bits 3 and 4). A page that was
//! found crosses to the controller; a page that the chip could not decode crosses as it was read, and the controller decodes and
//! matches it. Matches across page borders are the controller's, by [`Matcher::across`].

use rayon::prelude::*;
use thiserror::Error;

use super::{Fate, PAGE_BYTES, PageReader, ReadSettings, StoredFile};
use crate::matcher::{FastMatcher, LONGEST_PATTERN, MatchState, Matcher, PatternSet};

/// What the chip says of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ReadOutcome {
    /// A whole pattern lies in the page, which is sent.
    MatchedPageFound,
    /// None does; nothing is sent but the state at the page's end.
    MatchedPageNotFound,
    /// `ECC_w` failed; the page is sent as it was read.
    DecodingFailure,
}

/// A page that was searched.
#[derive(Clone, Debug)]
pub struct PageSearch {
    /// What the chip said.
    pub outcome: ReadOutcome,
    /// What the page's errors came to.
    pub fate: Fate,
    /// Whether a whole pattern lies in the page, whoever found it.
    pub found: bool,
    /// Whether the controller asked for the head of the next page.
    pub asks_for_next_head: bool,
    /// The page's data, if it was sent.
    pub data: Option<Vec<u8>>,
    /// Offsets in the file of whole matches that begin in this page, in order: from, to. Those of one end may be several.
    pub matches: Vec<(usize, usize)>,
    state: MatchState,
    head: [u8; LONGEST_PATTERN - 1],
}

/// A page that nobody could read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the page at offset {offset} is unreadable: neither decoder corrects it")]
pub struct Unreadable {
    /// Which page of the file.
    pub page: usize,
    /// Its first byte.
    pub offset: usize,
}

/// A file that was searched.
#[derive(Clone, Debug)]
pub struct FileSearch {
    /// Its pages.
    pub pages: Vec<PageSearch>,
}

impl FileSearch {
    /// The pages that nobody could read.
    pub fn unreadable(&self) -> impl Iterator<Item = Unreadable> {
        let pages = self.pages.iter().enumerate().filter(|(_, page)| !page.fate.is_readable());
        pages.map(|(page, _)| Unreadable { page, offset: page * PAGE_BYTES })
    }

    /// All matches, by where they begin.
    pub fn matches(&self) -> impl Iterator<Item = (usize, usize)> {
        self.pages.iter().flat_map(|page| page.matches.iter().copied())
    }
}

/// Searches files for a set of patterns.
#[derive(Clone, Debug)]
pub struct Searcher {
    settings: ReadSettings,
    matcher: Matcher,
    fast: FastMatcher,
}

/// What cannot be searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum SearchError {
    /// No pattern was given.
    #[error("there is no pattern to search for: give one")]
    NoPattern,
}

impl Searcher {
    /// A searcher for these patterns in pages read by these settings.
    ///
    /// # Errors
    /// [`SearchError::NoPattern`].
    pub fn new(patterns: &PatternSet, settings: ReadSettings) -> Result<Self, SearchError> {
        if patterns.is_empty() {
            return Err(SearchError::NoPattern);
        }
        let (matcher, fast) = (Matcher::new(patterns), FastMatcher::new(patterns));
        Ok(Self { settings, matcher, fast })
    }

    /// A reader of pages by the same settings.
    pub fn reader(&self) -> PageReader {
        PageReader::new(self.settings)
    }

    /// Searches all pages of a file.
    pub fn search(&self, file: &StoredFile) -> FileSearch {
        let mut pages: Vec<PageSearch> = (0..file.pages())
            .into_par_iter()
            .map_init(|| self.reader(), |reader, page| self.search_page(reader, file, page))
            .collect();
        for page in 1..pages.len() {
            let (before, after) = pages.split_at_mut(page);
            self.cross_border(page * PAGE_BYTES, file, &mut before[page - 1], &after[0]);
        }
        FileSearch { pages }
    }

    fn search_page(&self, reader: &mut PageReader, file: &StoredFile, page: usize) -> PageSearch {
        let (fate, data) = reader.read(file, page);
        let found = fate.is_readable() && self.fast.contains(&data);
        let outcome = match (fate.in_chip(), found) {
            (false, _) => ReadOutcome::DecodingFailure,
            (true, true) => ReadOutcome::MatchedPageFound,
            (true, false) => ReadOutcome::MatchedPageNotFound,
        };
        // A machine's state depends on the last 32 bytes alone: no pattern is longer.
        let mut state = MatchState::START;
        self.matcher.scan(&mut state, &data[PAGE_BYTES - LONGEST_PATTERN..], |_, _| ());
        let mut head = [0; LONGEST_PATTERN - 1];
        head.copy_from_slice(&data[..LONGEST_PATTERN - 1]);
        let matches = if found { self.matches(file, page, &data) } else { Vec::new() };
        let sent = fate.is_readable() && outcome != ReadOutcome::MatchedPageNotFound;
        let data = sent.then(|| data.into_owned());
        PageSearch { outcome, fate, found, asks_for_next_head: false, data, matches, state, head }
    }

    /// The controller's search of a page that was sent, without what lies in the filling of the last one.
    fn matches(&self, file: &StoredFile, page: usize, data: &[u8]) -> Vec<(usize, usize)> {
        let mut matches = Vec::new();
        self.fast.scan(&data[..file.bytes_of_page(page)], |found| {
            matches.push((page * PAGE_BYTES + found.start, page * PAGE_BYTES + found.end));
        });
        matches.sort_unstable();
        matches.dedup();
        matches
    }

    /// Adds to the page before the border the matches that lie across it.
    fn cross_border(&self, border: usize, file: &StoredFile, before: &mut PageSearch, after: &PageSearch) {
        if !(before.fate.is_readable() && after.fate.is_readable() && self.matcher.continues(before.state)) {
            return;
        }
        before.asks_for_next_head = true;
        let head = &after.head[..(file.bytes() - border).min(LONGEST_PATTERN - 1)];
        self.matcher.across(before.state, head, |length, pattern| {
            let end = border + length;
            before.matches.push((end - self.matcher.length(pattern), end));
        });
        before.matches.sort_unstable();
        before.matches.dedup();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{Mode, SoftReads};
    use crate::wear::{Wear, WearModel};

    fn searcher(patterns: &[&[u8]], cycles: f64, days: f64) -> Searcher {
        let wear = Wear { program_erase_cycles: cycles, retention_days: days, reads: 0.0 };
        let (model, soft) = (WearModel::TLC_72_LAYERS, SoftReads::Six);
        let settings = ReadSettings { mode: Mode::Functional, model, wear, soft, seed: 5 };
        Searcher::new(&PatternSet::new(patterns).unwrap(), settings).unwrap()
    }

    fn search(data: Vec<u8>, searcher: &Searcher) -> FileSearch {
        searcher.search(&StoredFile::store(data, 0, Mode::Functional))
    }

    #[test]
    fn the_three_outcomes_are_told_apart_and_nothing_is_missed() {
        let mut data = vec![b'.'; 5 * PAGE_BYTES];
        for at in [100, PAGE_BYTES - 3, 3 * PAGE_BYTES - 6, 4 * PAGE_BYTES - 1] {
            data[at..at + 6].copy_from_slice(b"venice");
        }
        let expected: Vec<_> =
            [100, PAGE_BYTES - 3, 3 * PAGE_BYTES - 6, 4 * PAGE_BYTES - 1].map(|at| (at, at + 6)).into();
        let young = search(data.clone(), &searcher(&[b"venice"], 1.0, 0.0));
        let outcomes: Vec<_> = young.pages.iter().map(|page| page.outcome).collect();
        let (found, not) = (ReadOutcome::MatchedPageFound, ReadOutcome::MatchedPageNotFound);
        assert_eq!(outcomes, [found, not, found, not, not]);
        assert_eq!(young.matches().collect::<Vec<_>>(), expected);
        assert!(young.pages[0].asks_for_next_head && !young.pages[1].asks_for_next_head);
        let old = search(data, &searcher(&[b"venice"], 2000.0, 365.0));
        assert!(old.pages.iter().any(|page| page.outcome == ReadOutcome::DecodingFailure));
        assert_eq!(old.matches().collect::<Vec<_>>(), expected);
    }

    #[test]
    fn the_filling_of_the_last_page_is_not_part_of_the_file() {
        let found = search(vec![0; PAGE_BYTES + 3], &searcher(&[b"\0\0\0\0"], 1.0, 0.0));
        let last = found.matches().last().unwrap();
        assert_eq!(last, (PAGE_BYTES - 1, PAGE_BYTES + 3));
    }

    #[test]
    fn pages_that_nobody_can_read_are_named() {
        let found = search(vec![b'x'; 2 * PAGE_BYTES], &searcher(&[b"x"], 6000.0, 3650.0));
        let offsets: Vec<_> = found.unreadable().map(|page| page.offset).collect();
        assert_eq!(offsets, [0, PAGE_BYTES]);
        assert_eq!(found.matches().count(), 0);
    }

    #[test]
    fn no_pattern_is_refused() {
        let settings = *searcher(&[b"x"], 1.0, 0.0).reader().settings();
        assert_eq!(Searcher::new(&PatternSet::default(), settings).err(), Some(SearchError::NoPattern));
    }
}
