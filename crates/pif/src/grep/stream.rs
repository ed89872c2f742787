//! Streaming search of one file. Each step searches pages, examines the lines that are complete, and discards
//! text that is no longer needed.
//!
//! All offsets are offsets in the file. [`BufferedText`] holds the part of the file that may still be needed.

use std::borrow::Cow;
use std::io::{self, Read};

use super::buffered_text::{BufferedText, KnownPage};
use super::printer::{AROUND, Printer, SELECTED};
use super::{Grep, Options, OutputMode};
use crate::matcher::LONGEST_PATTERN;
use crate::store::{CorrectionResult, PAGE_BYTES, PageEndState, PageSearch};

/// Number of bytes that are collected before they are searched together, except at the end of the file. The
/// number is large enough for two threads.
const SEARCHED_AT_ONCE: usize = 1024 * PAGE_BYTES;

/// Statistics of a searched page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageRecord {
    /// Result of the page's error correction.
    pub fate: CorrectionResult,
    /// First pass of the search in which the page had a hit, if any.
    pub found_in: Option<u16>,
    /// True if the controller requested the first bytes ("head") of the next page, to find matches across the
    /// boundary.
    pub asks_for_next_head: bool,
    /// True if the page was also read for context: it contains text around matches in other pages.
    pub is_context: bool,
}

/// Search of one file, which is read in parts.
#[derive(Debug)]
pub struct FileSearch {
    first_page: u64,
    at_hand: BufferedText,
    records: Vec<PageRecord>,
    end_before: Option<PageEndState>,
    /// Offset up to which lines have been examined.
    looked_at: usize,
    newlines: u64,
    selected: u64,
    /// Number of context lines that must still be printed after the last selected line.
    after: u64,
    /// End of the last printed line, including its newline.
    printed: usize,
    is_decided: bool,
    printer: Printer,
}

impl FileSearch {
    /// Returns a search of the file `name`, whose first page has the number `first_page` in the drive.
    pub fn new(grep: &Grep, name: Vec<u8>, first_page: u64) -> Self {
        Self {
            first_page,
            at_hand: BufferedText::default(),
            records: Vec::new(),
            end_before: None,
            looked_at: 0,
            newlines: 0,
            selected: 0,
            after: 0,
            printed: 0,
            is_decided: grep.options.is_decided(0),
            printer: Printer { name, output: Vec::new() },
        }
    }

    /// Appends the next bytes of the file; `is_last` is true for its last bytes. `has_printed` must be true
    /// if lines of any file were printed before, and is updated.
    pub fn feed(&mut self, grep: &Grep, bytes: &[u8], is_last: bool, has_printed: &mut bool) {
        self.at_hand.text.push(bytes);
        self.go_on(grep, is_last, has_printed);
    }

    /// Appends the bytes of one `read` call. Returns true at the end of the file.
    ///
    /// # Errors
    /// Errors of `source`, including [`io::ErrorKind::Interrupted`]. Bytes of earlier calls are kept, and the
    /// call may be repeated.
    pub fn feed_from(
        &mut self,
        grep: &Grep,
        source: &mut impl Read,
        has_printed: &mut bool,
    ) -> io::Result<bool> {
        let is_last = self.at_hand.text.read(source, self.missing().max(PAGE_BYTES))? == 0;
        self.go_on(grep, is_last, has_printed);
        Ok(is_last)
    }

    /// Returns the number of bytes that are needed before the next search.
    fn missing(&self) -> usize {
        (self.at_hand.searched + SEARCHED_AT_ONCE).saturating_sub(self.at_hand.base + self.at_hand.text.len())
    }

    fn go_on(&mut self, grep: &Grep, is_last: bool, has_printed: &mut bool) {
        if !is_last && self.missing() > 0 {
            return;
        }
        self.search(grep, is_last);
        let end = self.lines_end(is_last);
        if !self.is_decided && end > self.looked_at {
            self.look_at(grep, end, has_printed);
        }
        self.looked_at = end;
        self.let_go(grep.options());
        if is_last {
            self.finish(grep.options());
        }
    }

    /// Returns and clears the output so far.
    pub fn take_output(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.printer.output)
    }

    /// Returns the number of selected lines so far.
    pub const fn selected(&self) -> u64 {
        self.selected
    }

    /// Returns true if further bytes cannot change the output.
    pub const fn is_decided(&self) -> bool {
        self.is_decided
    }

    /// Returns the records of the pages so far.
    pub fn pages(&self) -> &[PageRecord] {
        &self.records
    }

    /// Returns the offsets of unreadable pages.
    pub fn unreadable(&self) -> impl Iterator<Item = usize> {
        let pages = self.records.iter().enumerate().filter(|(_, page)| !page.fate.is_readable());
        pages.map(|(page, _)| page * PAGE_BYTES)
    }

    /// Searches the complete pages and, at the end of the file, the incomplete last page.
    fn search(&mut self, grep: &Grep, is_last: bool) {
        let end = self.at_hand.base + self.at_hand.text.len();
        let until = if is_last { end } else { end / PAGE_BYTES * PAGE_BYTES };
        if until <= self.at_hand.searched {
            return;
        }
        let (from, to) = (self.at_hand.searched - self.at_hand.base, until - self.at_hand.base);
        let mut text = std::mem::take(&mut self.at_hand.text);
        let first = self.first_page + (self.at_hand.searched / PAGE_BYTES) as u64;
        let mut changes = Vec::new();
        for (index, page) in grep.searcher().search(first, &text[from..to]).into_iter().enumerate() {
            let at = from + index * PAGE_BYTES;
            let stored = &text[at..(at + PAGE_BYTES).min(to)];
            if let Some(change) = self.note(grep, &page, stored) {
                changes.push((at, change));
            }
        }
        for (at, change) in changes {
            text[at..at + change.len()].copy_from_slice(&change);
        }
        self.at_hand.text = text;
        self.at_hand.searched = until;
    }

    /// Records the result of a page. Returns the page's text after error correction if it differs from the
    /// stored bytes.
    fn note(&mut self, grep: &Grep, page: &PageSearch<'_>, stored: &[u8]) -> Option<Vec<u8>> {
        let is_readable = page.fate.is_readable();
        let ends_with_newline = stored.last() == Some(&b'\n');
        let crosses = self.cross_border(grep, is_readable, &page.data);
        self.end_before = Some(grep.searcher().end_of(page));
        self.records.push(PageRecord {
            fate: page.fate,
            found_in: page.found_in,
            asks_for_next_head: false,
            is_context: false,
        });
        self.at_hand.known.push_back(KnownPage {
            is_readable,
            is_found: page.found_in.is_some() || crosses,
            hit_in_first_line: page.is_in_first_line || crosses,
            hit_in_last_line: page.is_in_last_line,
            ends_with_newline,
            lines_before: self.newlines,
        });
        if grep.options().with_number {
            self.newlines += memchr::memchr_iter(b'\n', stored).count() as u64;
        }
        if is_readable {
            return match &page.data {
                Cow::Owned(data) if data != stored => Some(data.clone()),
                _ => None,
            };
        }
        // The index of an unreadable page records only whether a newline is at its end.
        self.at_hand.any_unreadable = true;
        let mut blank = vec![0; stored.len()];
        blank[stored.len() - 1] = if ends_with_newline { b'\n' } else { 0 };
        Some(blank)
    }

    fn cross_border(&mut self, grep: &Grep, is_readable: bool, data: &[u8]) -> bool {
        let Some(before) = &self.end_before else { return false };
        let head = &data[..data.len().min(LONGEST_PATTERN - 1)];
        let border = grep.searcher().border(before, is_readable, head);
        if let Some(record) = self.records.last_mut() {
            record.asks_for_next_head = border.asks_for_head;
        }
        if border.is_crossed
            && let Some(known) = self.at_hand.known.back_mut()
        {
            known.is_found = true;
            known.hit_in_last_line = true;
        }
        border.is_crossed
    }

    /// Returns the end of the last complete line.
    fn lines_end(&self, is_last: bool) -> usize {
        if is_last {
            return self.at_hand.searched;
        }
        let text = self.at_hand.slice(self.looked_at, self.at_hand.searched);
        memchr::memrchr(b'\n', text).map_or(self.looked_at, |newline| self.looked_at + newline + 1)
    }

    /// Examines the lines up to `end`.
    fn look_at(&mut self, grep: &Grep, end: usize, has_printed: &mut bool) {
        let options = grep.options();
        let mut at = self.looked_at;
        while at < end && !options.is_decided(self.selected) {
            let found = self.next_match(grep, at, end);
            let from = found.map_or(end, |line| line.0);
            if options.inverted {
                at = self.select_all(grep, at, from, has_printed);
                if at < from {
                    break;
                }
            } else {
                self.print_after(grep, at, from);
            }
            let Some(line) = found else { return };
            if options.inverted {
                self.print_after(grep, line.0, line.1);
            } else {
                self.select(grep, line, has_printed);
            }
            at = line.1;
        }
        if options.is_decided(self.selected) {
            // Lines after the last selected line are printed only as context.
            self.print_after(grep, at, end);
            self.is_decided = self.after == 0;
        }
    }

    /// Selects all lines of a range without matches, for inverted selection. Stops at the maximum number of
    /// selected lines. Returns the end of the last selected line.
    fn select_all(&mut self, grep: &Grep, from: usize, to: usize, has_printed: &mut bool) -> usize {
        let mut at = from;
        while at < to && !grep.options().is_decided(self.selected) {
            let line = (at, self.at_hand.line_end(at, to));
            at = line.1;
            if !self.at_hand.is_damaged(line) {
                self.select(grep, line, has_printed);
            }
        }
        at
    }

    fn select(&mut self, grep: &Grep, line: (usize, usize), has_printed: &mut bool) {
        let options = grep.options();
        self.selected += 1;
        if !options.prints_lines() {
            return;
        }
        let before = options.around.map_or(0, |(before, _)| before);
        let before = self.at_hand.start_before(line.0, before, self.printed);
        if options.around.is_some() {
            if *has_printed && (self.printed == 0 || before != self.printed) {
                self.printer.group();
            }
            self.print_lines(grep, before, line.0);
        }
        *has_printed = true;
        self.print(grep, line, SELECTED);
        self.printed = line.1;
        self.after = options.around.map_or(0, |(_, after)| after);
    }

    /// Prints a line, or only its matching parts. With inverted selection, a selected line has no matching
    /// parts.
    fn print(&mut self, grep: &Grep, line: (usize, usize), mark: u8) {
        let options = grep.options();
        // The line number is computed only for `-n`.
        let number = if options.with_number { self.at_hand.line_number(line.0) } else { 0 };
        let text =
            without_newline(&self.at_hand.text[line.0 - self.at_hand.base..line.1 - self.at_hand.base]);
        if options.wanted == OutputMode::Lines {
            self.printer.line(options, mark, number, line.0, text);
        } else if (mark == SELECTED) != options.inverted {
            let printer = &mut self.printer;
            grep.exact.parts(text, |part| {
                printer.line(options, mark, number, line.0 + part.start, &text[part]);
            });
        }
        self.mark(line.0, line.1);
    }

    /// Prints the context lines that follow the last selected line. The range `from` to `to` has no selected
    /// lines.
    fn print_after(&mut self, grep: &Grep, from: usize, to: usize) {
        let mut at = from;
        while self.after > 0 && at < to {
            let end = self.at_hand.line_end(at, to);
            self.print_lines(grep, at, end);
            self.printed = end;
            self.after -= 1;
            at = end;
        }
    }

    /// Prints the readable lines of a range as context lines.
    fn print_lines(&mut self, grep: &Grep, from: usize, to: usize) {
        let mut at = from;
        while at < to {
            let line = (at, self.at_hand.line_end(at, to));
            at = line.1;
            if !self.at_hand.is_damaged(line) {
                self.print(grep, line, AROUND);
            }
        }
    }

    /// Returns start and end of the next line with a match, at or after the line that starts at `from`.
    fn next_match(&mut self, grep: &Grep, from: usize, end: usize) -> Option<(usize, usize)> {
        let mut at = from;
        while let Some((start, stop)) = self.next_region(grep, at, end) {
            let Some(found) = grep.exact.first(self.at_hand.slice(start, stop)) else {
                at = stop;
                continue;
            };
            let line =
                (self.at_hand.line_start(start + found, start), self.at_hand.line_end(start + found, stop));
            if !self.at_hand.is_damaged(line) {
                return Some(line);
            }
            at = line.1;
        }
        None
    }

    /// Returns the next range of lines to examine, which belong to a page with a hit. The first or last line
    /// of the page may extend into a neighbouring page. Such a line is included only if its part in the page
    /// has a hit.
    fn next_region(&mut self, grep: &Grep, from: usize, end: usize) -> Option<(usize, usize)> {
        if grep.searcher().passes() == 0 {
            return (from < end).then_some((from, end));
        }
        for page in from / PAGE_BYTES..end.div_ceil(PAGE_BYTES) {
            let known = self.at_hand.known(page);
            if !(known.is_found && known.is_readable) {
                continue;
            }
            let (start, stop) = (self.at_hand.region_start(page), self.at_hand.region_end(page, end));
            if stop.min(end) > start.max(from) {
                if grep.options().prints_lines() || !grep.hits_are_lines {
                    self.mark(start, stop);
                }
                return Some((start.max(from), stop.min(end)));
            }
        }
        None
    }

    /// Marks the pages of a range as context pages, unless they were sent because of a hit.
    fn mark(&mut self, from: usize, to: usize) {
        for record in &mut self.records[from / PAGE_BYTES..to.div_ceil(PAGE_BYTES)] {
            record.is_context |= record.found_in.is_none() && record.fate.in_chip();
        }
    }

    /// Discards whole pages that are needed neither for the search nor as context lines.
    fn let_go(&mut self, options: &Options) {
        let before = options.around.map_or(0, |(before, _)| before);
        let keep = self.at_hand.start_before(self.looked_at, before, self.printed).min(self.looked_at);
        self.at_hand.let_go(keep);
    }

    fn finish(&mut self, options: &Options) {
        match options.wanted {
            OutputMode::Count => self.printer.count(options, self.selected),
            OutputMode::Name if self.selected > 0 => self.printer.name_alone(),
            OutputMode::NameWithout if self.selected == 0 && !self.at_hand.any_unreadable => {
                self.printer.name_alone();
            }
            _ => (),
        }
    }
}

fn without_newline(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\n").unwrap_or(line)
}
