//! What was found, as `grep -F` prints it.
//!
//! # What it models
//!
//! The controller has matches, not lines. A line's number follows from the controller's index of lines: newlines before each page, counted
//! once when the file was stored. A line's text may begin and end in pages that hold no match: those are read as any page is, and listed as
//! [`FileGrep::context`], since they cost time.
//!
//! # What is left out
//!
//! Binary files are treated as text, as by `grep -a`. Lines of which a part is unreadable are not printed; the page is named.
//!
//! # Source
//!
//! POSIX.1-2017, `grep`; GNU grep 3.8 for `-o`, `-h`, `-H`.

mod lines;

use aho_corasick::{AhoCorasick, MatchKind};
use thiserror::Error;

use crate::matcher::{LONGEST_PATTERN, PatternError, PatternSet};
use crate::store::{FileSearch, ReadSettings, SearchError, Searcher, StoredFile};

use lines::Lines;

/// What is wanted of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Wanted {
    /// The lines.
    Lines,
    /// The matching parts of lines, each on a line of its own (`-o`).
    Parts,
    /// How many lines (`-c`).
    Count,
    /// The file's name, if it has a line (`-l`).
    Name,
    /// Nothing (`-q`).
    Nothing,
}

/// How it is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Style {
    /// What.
    pub wanted: Wanted,
    /// With the file's name in front (`-H`).
    pub with_name: bool,
    /// With the line's number in front (`-n`).
    pub with_number: bool,
}

/// A pattern that cannot be searched for as `grep` would.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum GrepError {
    /// The matcher does not take it.
    #[error(transparent)]
    Pattern(#[from] PatternError),
    /// There is none.
    #[error(transparent)]
    Search(#[from] SearchError),
}

/// A file that was searched.
#[derive(Clone, Debug)]
pub struct FileGrep {
    /// What is to be printed.
    pub output: Vec<u8>,
    /// Lines with a match.
    pub lines: u64,
    /// What the chips and the controller found.
    pub search: FileSearch,
    /// Pages that were read for their lines only, in order.
    pub context: Vec<usize>,
}

/// Searches files as `grep -F` does.
#[derive(Clone, Debug)]
pub struct Grep {
    searcher: Searcher,
    /// Finds the parts of a line, leftmost first and longest of these.
    parts: AhoCorasick,
}

impl Grep {
    /// For these patterns; a newline within one separates two, and equal ones count once.
    ///
    /// # Errors
    /// [`GrepError`] for no pattern, more than 8, an empty one or one of more than 32 bytes.
    ///
    /// # Panics
    /// Never: 8 patterns of 32 bytes are far from the limits of the automata.
    pub fn new(patterns: &[Vec<u8>], settings: ReadSettings) -> Result<Self, GrepError> {
        let mut unlike: Vec<&[u8]> = Vec::new();
        for pattern in patterns.iter().flat_map(|pattern| pattern.split(|&byte| byte == b'\n')) {
            if !unlike.contains(&pattern) {
                unlike.push(pattern);
            }
        }
        let set = PatternSet::new(&unlike)?;
        let searcher = Searcher::new(&set, settings)?;
        let parts = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(&unlike);
        let parts = parts.unwrap_or_else(|error| unreachable!("{LONGEST_PATTERN}-byte patterns: {error}"));
        Ok(Self { searcher, parts })
    }

    /// What it searches by.
    pub const fn searcher(&self) -> &Searcher {
        &self.searcher
    }

    /// Searches a file; `name` is what is printed for it.
    pub fn search(&self, file: &StoredFile, name: &[u8], style: Style) -> FileGrep {
        let search = self.searcher.search(file);
        let mut lines = Lines::new(file, &search, self.searcher.reader());
        let mut printer = Printer { name, style, output: Vec::new() };
        let count = match style.wanted {
            Wanted::Lines | Wanted::Parts => self.print(&mut lines, &mut printer),
            Wanted::Count | Wanted::Name | Wanted::Nothing => lines.count(),
        };
        printer.finish(count);
        let (output, context) = (printer.output, lines.into_context());
        FileGrep { output, lines: count, search, context }
    }

    fn print(&self, lines: &mut Lines<'_>, printer: &mut Printer<'_>) -> u64 {
        let mut count = 0;
        while let Some(line) = lines.next_line() {
            count += 1;
            let (number, Some(text)) = (line.number, line.text) else { continue };
            if printer.style.wanted == Wanted::Lines {
                printer.line(number, &text);
            } else {
                self.parts.find_iter(&text).for_each(|part| printer.line(number, &text[part.range()]));
            }
        }
        count
    }
}

struct Printer<'a> {
    name: &'a [u8],
    style: Style,
    output: Vec<u8>,
}

impl Printer<'_> {
    fn line(&mut self, number: u64, text: &[u8]) {
        self.prefix();
        if self.style.with_number {
            self.output.extend_from_slice(format!("{number}:").as_bytes());
        }
        self.output.extend_from_slice(text);
        self.output.push(b'\n');
    }

    fn finish(&mut self, count: u64) {
        match self.style.wanted {
            Wanted::Count => {
                self.prefix();
                self.output.extend_from_slice(format!("{count}\n").as_bytes());
            }
            Wanted::Name if count > 0 => {
                self.output.extend_from_slice(self.name);
                self.output.push(b'\n');
            }
            _ => (),
        }
    }

    fn prefix(&mut self) {
        if self.style.with_name {
            self.output.extend_from_slice(self.name);
            self.output.push(b':');
        }
    }
}
