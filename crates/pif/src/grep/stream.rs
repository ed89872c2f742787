//! A file that comes piece by piece: its pages are searched, its lines completed, and what is behind both is let go.
//!
//! All offsets are of the file. [`AtHand`] is the part of it that may be needed still.

use std::borrow::Cow;
use std::io::{self, Read};

use super::at_hand::{AtHand, Known};
use super::printer::{AROUND, Printer, SELECTED};
use super::{Grep, Options, Wanted};
use crate::matcher::LONGEST_PATTERN;
use crate::store::{Fate, PAGE_BYTES, PageEnd, PageSearch};

/// Bytes that are gathered before they are searched, unless the file ends: enough for two threads.
const SEARCHED_AT_ONCE: usize = 1024 * PAGE_BYTES;

/// What was done with a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageRecord {
    /// What its errors came to.
    pub fate: Fate,
    /// The pass in which it was found.
    pub found_in: Option<u16>,
    /// Whether the controller asked for the head of the next page.
    pub asks_for_next_head: bool,
    /// Whether it was also read for lines around matches elsewhere.
    pub is_context: bool,
}

/// See the module comment.
#[derive(Debug)]
pub struct Stream {
    first_page: u64,
    at_hand: AtHand,
    records: Vec<PageRecord>,
    end_before: Option<PageEnd>,
    /// Up to where lines were looked at.
    looked_at: usize,
    newlines: u64,
    selected: u64,
    /// Lines that may still be printed after the last selected one.
    after: u64,
    /// Where the last printed line ended, with its newline.
    printed: usize,
    is_decided: bool,
    printer: Printer,
}

impl Stream {
    /// A file of this name whose first page is the drive's page number `first_page`.
    pub fn new(grep: &Grep, name: Vec<u8>, first_page: u64) -> Self {
        Self {
            first_page,
            at_hand: AtHand::default(),
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

    /// Takes the file's next bytes; `is_last` ends it. `has_printed` is whether any file's lines were printed before.
    pub fn feed(&mut self, grep: &Grep, bytes: &[u8], is_last: bool, has_printed: &mut bool) {
        self.at_hand.text.push(bytes);
        self.go_on(grep, is_last, has_printed);
    }

    /// Takes what one read of the file gives, and says whether that was its end.
    ///
    /// # Errors
    /// Those of the file, [`io::ErrorKind::Interrupted`] among them: what came before is kept, and it may be tried again.
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

    /// Bytes that are gathered still before they are searched.
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

    /// Takes what is to be printed by now.
    pub fn take_output(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.printer.output)
    }

    /// Selected lines so far.
    pub const fn selected(&self) -> u64 {
        self.selected
    }

    /// Whether nothing more can come of the file.
    pub const fn is_decided(&self) -> bool {
        self.is_decided
    }

    /// The pages so far.
    pub fn pages(&self) -> &[PageRecord] {
        &self.records
    }

    /// Offsets of pages that nobody could read.
    pub fn unreadable(&self) -> impl Iterator<Item = usize> {
        let pages = self.records.iter().enumerate().filter(|(_, page)| !page.fate.is_readable());
        pages.map(|(page, _)| page * PAGE_BYTES)
    }

    /// Searches the pages that are whole.
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

    /// Notes a page, and says what is to stand for it in the text if that is not what was stored.
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
        self.at_hand.known.push_back(Known {
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
        // Of what nobody could read the index has the newline at the end, and no other.
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

    /// Where the last line ends that is complete.
    fn lines_end(&self, is_last: bool) -> usize {
        if is_last {
            return self.at_hand.searched;
        }
        let text = self.at_hand.slice(self.looked_at, self.at_hand.searched);
        memchr::memrchr(b'\n', text).map_or(self.looked_at, |newline| self.looked_at + newline + 1)
    }

    /// Looks at the lines up to this offset.
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
            // Of what follows the last line nothing is looked at.
            self.print_after(grep, at, end);
            self.is_decided = self.after == 0;
        }
    }

    /// Selects the lines of a range without a match as far as they are wanted, and says how far that was.
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

    /// Prints a line, or the parts of it that match: of lines without a match there are none.
    fn print(&mut self, grep: &Grep, line: (usize, usize), mark: u8) {
        let options = grep.options();
        // It is not needed where numbers are not printed.
        let number = if options.with_number { self.at_hand.line_number(line.0) } else { 0 };
        let text =
            without_newline(&self.at_hand.text[line.0 - self.at_hand.base..line.1 - self.at_hand.base]);
        if options.wanted == Wanted::Lines {
            self.printer.line(options, mark, number, line.0, text);
        } else if (mark == SELECTED) != options.inverted {
            let printer = &mut self.printer;
            grep.exact.parts(text, |part| {
                printer.line(options, mark, number, line.0 + part.start, &text[part]);
            });
        }
        self.mark(line.0, line.1);
    }

    /// Prints as many lines of a range without a selected one as are due after the last one.
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

    /// Prints the lines of a range as lines around others; damaged ones are left out.
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

    /// The next line with a match from the beginning of a line on: its beginning, and its end with the newline.
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

    /// The next lines that may match: those of a page that was sent, the outer ones only if they hold something that was searched for.
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

    /// Notes that pages are read for their lines, unless they were sent.
    fn mark(&mut self, from: usize, to: usize) {
        for record in &mut self.records[from / PAGE_BYTES..to.div_ceil(PAGE_BYTES)] {
            record.is_context |= record.found_in.is_none() && record.fate.in_chip();
        }
    }

    /// Lets go what no line will need: whole pages, but for lines that may be printed before the next.
    fn let_go(&mut self, options: &Options) {
        let before = options.around.map_or(0, |(before, _)| before);
        let keep = self.at_hand.start_before(self.looked_at, before, self.printed).min(self.looked_at);
        self.at_hand.let_go(keep);
    }

    fn finish(&mut self, options: &Options) {
        match options.wanted {
            Wanted::Count => self.printer.count(options, self.selected),
            Wanted::Name if self.selected > 0 => self.printer.name_alone(),
            Wanted::NameWithout if self.selected == 0 && !self.at_hand.any_unreadable => {
                self.printer.name_alone();
            }
            _ => (),
        }
    }
}

fn without_newline(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\n").unwrap_or(line)
}
