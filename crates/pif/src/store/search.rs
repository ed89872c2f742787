//! Search of pages by the command `read_when_matched`, in the chips and in the controller.
//!
//! A chip senses, corrects and matches a page and returns one of three outcomes (ONFI status bits 3 and 4). A
//! matching page is corrected and sent to the controller. A page that the chip could not decode is sent
//! uncorrected, and the controller decodes and matches it. The controller also finds matches across page
//! borders, with [`Matcher::across`].
//!
//! *Passes.* A chip's tables hold 8 patterns. Further patterns need further passes, in which pages already
//! sent are skipped.

use std::borrow::Cow;
use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

use super::{CorrectionResult, PAGE_BYTES, PageReader, ReadSettings};
use crate::matcher::{
    FastMatcher, LONGEST_PATTERN, MAX_PATTERNS, MatchState, Matcher, PatternError, PatternSet,
};

/// Outcome of the command `read_when_matched`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ReadOutcome {
    /// The page contains a complete pattern and is sent to the controller.
    MatchedPageFound,
    /// The page contains no pattern; only the matcher's state at the end of the page is sent.
    MatchedPageNotFound,
    /// `ECC_w` failed; the page is sent uncorrected.
    DecodingFailure,
}

/// Search result of a page.
#[derive(Clone, Debug)]
pub struct PageSearch<'a> {
    /// Result of the error correction of the page.
    pub fate: CorrectionResult,
    /// Data of the page after error correction.
    pub data: Cow<'a, [u8]>,
    /// First pass in which the chip or the controller found a match in the page.
    pub found_in: Option<u16>,
    /// True if the page has a match before its first newline.
    pub is_in_first_line: bool,
    /// True if the page has a match after its last newline.
    pub is_in_last_line: bool,
    /// States of the matcher at the end of the page, one per pass.
    states: Vec<MatchState>,
}

impl PageSearch<'_> {
    /// Returns the outcome that the chip reported.
    pub const fn outcome(&self) -> ReadOutcome {
        match (self.fate.in_chip(), self.found_in) {
            (false, _) => ReadOutcome::DecodingFailure,
            (true, Some(_)) => ReadOutcome::MatchedPageFound,
            (true, None) => ReadOutcome::MatchedPageNotFound,
        }
    }
}

/// State of the matchers at the end of a page. The controller keeps it until it has the next page.
#[derive(Clone, Debug)]
pub struct PageEndState {
    is_readable: bool,
    states: Vec<MatchState>,
}

/// Result of the search for matches across a page border.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BorderMatches {
    /// True if a pattern may continue in the next page, so that the first bytes ("head") of that page are
    /// needed.
    pub asks_for_head: bool,
    /// True if a match crosses the page boundary.
    pub is_crossed: bool,
}

/// Patterns searched in one pass.
#[derive(Clone, Debug)]
struct Pass {
    matcher: Matcher,
    /// Matchers of the pass. A page matches if each of them finds a pattern in it.
    all_of: Vec<FastMatcher>,
}

/// Number of pages that one thread reads together.
const BATCH_PAGES: usize = 512;

/// Search of pages for patterns. Without patterns every page matches, so all pages are read.
#[derive(Debug)]
pub struct Searcher {
    settings: ReadSettings,
    passes: Vec<Pass>,
    /// Idle readers, kept because their construction is expensive.
    readers: Mutex<Vec<PageReader>>,
}

impl Searcher {
    /// Creates a search for any of `patterns`, 1 … 32 bytes each. Their number is not limited; 8 patterns are
    /// searched per pass.
    ///
    /// # Errors
    ///
    /// Returns a [`PatternError`] for a pattern that a chip cannot search.
    pub fn new<P: AsRef<[u8]>>(
        patterns: &[P],
        folds_case: bool,
        settings: ReadSettings,
    ) -> Result<Self, PatternError> {
        let mut passes = Vec::new();
        for patterns in patterns.chunks(MAX_PATTERNS) {
            add_passes(&mut passes, patterns, folds_case)?;
        }
        Ok(Self { settings, passes, readers: Mutex::default() })
    }

    /// Creates a search for pages with at least one pattern of each group, with at most 8 patterns in total.
    ///
    /// # Errors
    ///
    /// Returns a [`PatternError`] for more than 8 patterns, or a pattern that a chip cannot search.
    pub fn of_all(groups: &[Vec<Vec<u8>>], settings: ReadSettings) -> Result<Self, PatternError> {
        let set = PatternSet::new(groups.iter().flatten())?;
        let fast = |group: &Vec<Vec<u8>>| PatternSet::new(group).map(|set| FastMatcher::new(&set));
        let all_of = groups.iter().map(fast).collect::<Result<Vec<_>, _>>()?;
        let pass = Pass { matcher: Matcher::new(&set)?, all_of };
        let passes = if groups.is_empty() { Vec::new() } else { vec![pass] };
        Ok(Self { settings, passes, readers: Mutex::default() })
    }

    /// Returns the read settings.
    pub const fn settings(&self) -> &ReadSettings {
        &self.settings
    }

    /// Returns the number of passes; 0 if every page is read.
    pub const fn passes(&self) -> usize {
        self.passes.len()
    }

    /// Searches consecutive pages, starting at page `first` of the drive.
    pub fn search<'a>(&self, first: u64, data: &'a [u8]) -> Vec<PageSearch<'a>> {
        if data.len() <= BATCH_PAGES * PAGE_BYTES {
            return self.batch(first, data);
        }
        let batches = data.par_chunks(BATCH_PAGES * PAGE_BYTES).enumerate();
        let found: Vec<_> =
            batches.map(|(batch, data)| self.batch(first + (batch * BATCH_PAGES) as u64, data)).collect();
        found.into_iter().flatten().collect()
    }

    fn batch<'a>(&self, first: u64, data: &'a [u8]) -> Vec<PageSearch<'a>> {
        let idle = || self.readers.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = idle().pop();
        let mut reader = taken.unwrap_or_else(|| self.reader());
        let read = reader.read_all(first, data);
        idle().push(reader);
        read.into_iter().map(|read| self.matched(read)).collect()
    }

    /// Returns a reader with the read settings.
    pub fn reader(&self) -> PageReader {
        PageReader::new(self.settings)
    }

    /// Searches one page.
    pub fn page<'a>(&self, reader: &mut PageReader, number: u64, stored: &'a [u8]) -> PageSearch<'a> {
        self.matched(reader.read(number, stored))
    }

    fn matched<'a>(&self, (fate, data): (CorrectionResult, Cow<'a, [u8]>)) -> PageSearch<'a> {
        let found_in = if fate.is_readable() { self.found_in(&data) } else { None };
        let (is_in_first_line, is_in_last_line) =
            if found_in.is_some() { self.outer_lines(&data) } else { (false, false) };
        let states = self.passes.iter().map(|pass| state_at_end(&pass.matcher, &data)).collect();
        PageSearch { fate, data, found_in, is_in_first_line, is_in_last_line, states }
    }

    fn found_in(&self, data: &[u8]) -> Option<u16> {
        if self.passes.is_empty() {
            return Some(0);
        }
        let found = |pass: &Pass| pass.all_of.iter().all(|any| any.contains(data));
        self.passes.iter().position(found).map(|pass| pass as u16)
    }

    fn outer_lines(&self, data: &[u8]) -> (bool, bool) {
        let has =
            |part: &[u8]| self.passes.iter().any(|pass| pass.all_of.iter().any(|any| any.contains(part)));
        match (memchr::memchr(b'\n', data), memchr::memrchr(b'\n', data)) {
            (Some(first), Some(last)) => (has(&data[..first]), has(&data[last + 1..])),
            _ => (true, true),
        }
    }

    /// Returns the state of the matchers at the end of a page, which the controller keeps.
    pub fn end_of(&self, page: &PageSearch<'_>) -> PageEndState {
        PageEndState { is_readable: page.fate.is_readable(), states: page.states.clone() }
    }

    /// Finds matches across the border between a page and the next one, which begins with `head`.
    pub fn border(&self, before: &PageEndState, is_readable: bool, head: &[u8]) -> BorderMatches {
        let mut border = BorderMatches::default();
        if before.is_readable && is_readable {
            for (pass, &state) in self.passes.iter().zip(&before.states) {
                if pass.matcher.continues(state) {
                    border.asks_for_head = true;
                    pass.matcher.across(state, head, |_, _| border.is_crossed = true);
                }
            }
        }
        border
    }
}

/// Adds the passes for up to 8 patterns. Usually this is one pass. Case-insensitive patterns may need more
/// states than a table has; they are then divided among several passes.
fn add_passes<P: AsRef<[u8]>>(
    passes: &mut Vec<Pass>,
    patterns: &[P],
    folds_case: bool,
) -> Result<(), PatternError> {
    let set = PatternSet::new(patterns)?.folding_case(folds_case);
    match Matcher::new(&set) {
        Ok(matcher) => passes.push(Pass { matcher, all_of: vec![FastMatcher::new(&set)] }),
        Err(_) if patterns.len() > 1 => {
            let (first, second) = patterns.split_at(patterns.len() / 2);
            add_passes(passes, first, folds_case)?;
            add_passes(passes, second, folds_case)?;
        }
        // Searches for the first half of the pattern instead, since a page that contains the pattern also
        // contains its prefix.
        Err(_) => add_passes(passes, &[&patterns[0].as_ref()[..patterns[0].as_ref().len() / 2]], folds_case)?,
    }
    Ok(())
}

/// Returns the matcher's state at the end of a page. It depends only on the last 32 bytes, the maximum length
/// of a pattern.
fn state_at_end(matcher: &Matcher, data: &[u8]) -> MatchState {
    let mut state = MatchState::START;
    matcher.scan(&mut state, &data[data.len().saturating_sub(LONGEST_PATTERN)..], |_, _| ());
    state
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::ErrorModel;
    use venice_ecc::channel::SoftReads;
    use venice_nand::wear::{PageWear, WearModel};

    fn settings(cycles: f64, days: f64) -> ReadSettings {
        let wear = PageWear { program_erase_cycles: cycles, retention_days: days, reads: 0.0 };
        let (model, soft) = (WearModel::default(), SoftReads::Six);
        ReadSettings {
            mode: ErrorModel::Functional,
            model,
            wear,
            soft,
            chip_iterations: 300,
            chip_failing_checks: 1024,
            controller_failing_checks: 1024,
            seed: 5,
        }
    }

    fn searcher(patterns: &[&str], cycles: f64, days: f64) -> Searcher {
        Searcher::new(patterns, false, settings(cycles, days)).unwrap()
    }

    #[test]
    fn the_three_outcomes_are_distinguished_and_complete() {
        let mut data = vec![b'.'; 5 * PAGE_BYTES];
        for at in [100, PAGE_BYTES - 3, 3 * PAGE_BYTES - 6, 4 * PAGE_BYTES - 1] {
            data[at..at + 6].copy_from_slice(b"venice");
        }
        let young = searcher(&["venice"], 1.0, 0.0);
        let pages = young.search(0, &data);
        let (found, not) = (ReadOutcome::MatchedPageFound, ReadOutcome::MatchedPageNotFound);
        let outcomes: Vec<_> = pages.iter().map(PageSearch::outcome).collect();
        assert_eq!(outcomes, [found, not, found, not, not]);
        let borders = (1..5).map(|page| {
            young.border(&young.end_of(&pages[page - 1]), true, &data[page * PAGE_BYTES..][..31])
        });
        let crossed: Vec<_> = borders.map(|border| (border.asks_for_head, border.is_crossed)).collect();
        assert_eq!(crossed, [(true, true), (false, false), (false, false), (true, true)]);
        let old = searcher(&["venice"], 2000.0, 365.0).search(0, &data);
        assert!(old.iter().any(|page| page.outcome() == ReadOutcome::DecodingFailure));
        assert_eq!(old.iter().filter(|page| page.found_in.is_some()).count(), 2);
    }

    #[test]
    fn patterns_beyond_eight_are_found_in_later_passes() {
        let patterns: Vec<String> = (0..20).map(|index| format!("<{index}>")).collect();
        let searcher = Searcher::new(&patterns, false, settings(1.0, 0.0)).unwrap();
        assert_eq!(searcher.passes(), 3);
        let pass = |text: &[u8]| searcher.search(0, text)[0].found_in;
        assert_eq!(
            [pass(b"<0>"), pass(b"<8> <17>"), pass(b"<19>"), pass(b"<20>")],
            [Some(0), Some(1), Some(2), None]
        );
    }

    #[test]
    fn a_page_holds_one_pattern_of_every_group_or_is_not_found() {
        let group = |patterns: &[&str]| patterns.iter().map(|pattern| pattern.as_bytes().to_vec()).collect();
        let groups: Vec<Vec<Vec<u8>>> = vec![group(&["red", "blue"]), group(&["cat"])];
        let searcher = Searcher::of_all(&groups, settings(1.0, 0.0)).unwrap();
        let found = |text: &[u8]| searcher.search(0, text)[0].found_in.is_some();
        assert_eq!(
            [found(b"a red cat"), found(b"cats, blue"), found(b"red, blue"), found(b"cat")],
            [true, true, false, false]
        );
    }

    #[test]
    fn without_patterns_every_page_is_found() {
        let all = Searcher::new::<&str>(&[], false, settings(1.0, 0.0)).unwrap();
        assert!(all.search(0, &vec![0; 3 * PAGE_BYTES]).iter().all(|page| page.found_in == Some(0)));
    }
}
