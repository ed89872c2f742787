//! A file that comes piece by piece: its pages are searched, its lines completed, and what is behind both is let go.
//!
//! All offsets are of the file. The text at hand begins with a page; [`Stream::slice`] finds an offset's place in it.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::io::{self, Read};

use super::printer::{AROUND, Printer, SELECTED};
use super::text::Text;
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

/// What the controller knows of a page whose text is at hand.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts about one page")]
struct Known {
    is_readable: bool,
    is_found: bool,
    hit_in_first_line: bool,
    hit_in_last_line: bool,
    ends_with_newline: bool,
    lines_before: u64,
}

/// See the module comment.
#[derive(Debug)]
pub struct Stream {
    first_page: u64,
    text: Text,
    /// Offset of the text at hand: a page's.
    base: usize,
    known: VecDeque<Known>,
    records: Vec<PageRecord>,
    end_before: Option<PageEnd>,
    /// Up to which pages were searched, and lines looked at.
    searched: usize,
    looked_at: usize,
    newlines: u64,
    any_unreadable: bool,
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
            text: Text::default(),
            base: 0,
            known: VecDeque::new(),
            records: Vec::new(),
            end_before: None,
            searched: 0,
            looked_at: 0,
            newlines: 0,
            any_unreadable: false,
            selected: 0,
            after: 0,
            printed: 0,
            is_decided: grep.options.is_decided(0),
            printer: Printer { name, output: Vec::new() },
        }
    }

    /// Takes the file's next bytes; `is_last` ends it. `has_printed` is whether any file's lines were printed before.
    pub fn feed(&mut self, grep: &Grep, bytes: &[u8], is_last: bool, has_printed: &mut bool) {
        self.text.push(bytes);
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
        let is_last = self.text.read(source, self.missing().max(PAGE_BYTES))? == 0;
        self.go_on(grep, is_last, has_printed);
        Ok(is_last)
    }

    /// Bytes that are gathered still before they are searched.
    fn missing(&self) -> usize {
        (self.searched + SEARCHED_AT_ONCE).saturating_sub(self.base + self.text.len())
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
        let end = self.base + self.text.len();
        let until = if is_last { end } else { end / PAGE_BYTES * PAGE_BYTES };
        if until <= self.searched {
            return;
        }
        let (from, to) = (self.searched - self.base, until - self.base);
        let mut text = std::mem::take(&mut self.text);
        let first = self.first_page + (self.searched / PAGE_BYTES) as u64;
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
        self.text = text;
        self.searched = until;
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
        self.known.push_back(Known {
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
        self.any_unreadable = true;
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
            && let Some(known) = self.known.back_mut()
        {
            known.is_found = true;
            known.hit_in_last_line = true;
        }
        border.is_crossed
    }

    /// Where the last line ends that is complete.
    fn lines_end(&self, is_last: bool) -> usize {
        if is_last {
            return self.searched;
        }
        let text = self.slice(self.looked_at, self.searched);
        memchr::memrchr(b'\n', text).map_or(self.looked_at, |newline| self.looked_at + newline + 1)
    }

    fn slice(&self, from: usize, to: usize) -> &[u8] {
        &self.text[from - self.base..to - self.base]
    }

    fn known(&self, page: usize) -> &Known {
        &self.known[page - self.base / PAGE_BYTES]
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
            let line = (at, self.line_end(at, to));
            at = line.1;
            if !self.is_damaged(line) {
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
        let before = self.start_before(options, line.0);
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
        let number = self.number(options, line.0);
        let text = without_newline(&self.text[line.0 - self.base..line.1 - self.base]);
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

    /// Where the lines begin that are printed before one.
    fn start_before(&self, options: &Options, line: usize) -> usize {
        let mut start = line;
        for _ in 0..options.around.map_or(0, |(before, _)| before) {
            if start <= self.printed.max(self.base) {
                break;
            }
            let newline = memchr::memrchr(b'\n', self.slice(self.base, start - 1));
            start = newline.map_or(self.base, |newline| self.base + newline + 1).max(self.printed);
        }
        start
    }

    /// Prints as many lines of a range without a selected one as are due after the last one.
    fn print_after(&mut self, grep: &Grep, from: usize, to: usize) {
        let mut at = from;
        while self.after > 0 && at < to {
            let end = self.line_end(at, to);
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
            let line = (at, self.line_end(at, to));
            at = line.1;
            if !self.is_damaged(line) {
                self.print(grep, line, AROUND);
            }
        }
    }

    /// The number of the line that begins here. It is not needed where numbers are not printed.
    fn number(&self, options: &Options, start: usize) -> u64 {
        if !options.with_number {
            return 0;
        }
        let page = start / PAGE_BYTES;
        let before = memchr::memchr_iter(b'\n', self.slice(page * PAGE_BYTES, start)).count() as u64;
        self.known(page).lines_before + before + 1
    }

    /// The next line with a match from the beginning of a line on: its beginning, and its end with the newline.
    fn next_match(&mut self, grep: &Grep, from: usize, end: usize) -> Option<(usize, usize)> {
        let mut at = from;
        while let Some((start, stop)) = self.next_region(grep, at, end) {
            let Some(found) = grep.exact.first(self.slice(start, stop)) else {
                at = stop;
                continue;
            };
            let line = (self.line_start(start + found, start), self.line_end(start + found, stop));
            if !self.is_damaged(line) {
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
            let known = self.known(page);
            if !(known.is_found && known.is_readable) {
                continue;
            }
            let (start, stop) = (self.region_start(page), self.region_end(page, end));
            if stop.min(end) > start.max(from) {
                if grep.options().prints_lines() || !grep.hits_are_lines {
                    self.mark(start, stop);
                }
                return Some((start.max(from), stop.min(end)));
            }
        }
        None
    }

    fn region_start(&self, page: usize) -> usize {
        let (known, start) = (self.known(page), page * PAGE_BYTES);
        if start == self.base || self.known(page - 1).ends_with_newline {
            return start;
        }
        let stop = (start + PAGE_BYTES).min(self.searched);
        // Of a page without a newline the first line is the last one too.
        match memchr::memchr(b'\n', self.slice(start, stop)) {
            Some(newline) if !known.hit_in_first_line => start + newline + 1,
            _ => self.line_start(start, self.base),
        }
    }

    fn region_end(&self, page: usize, end: usize) -> usize {
        let (known, start) = (self.known(page), page * PAGE_BYTES);
        let stop = (start + PAGE_BYTES).min(end);
        if known.ends_with_newline || stop == end {
            return stop;
        }
        match memchr::memrchr(b'\n', self.slice(start, stop)) {
            Some(newline) if !known.hit_in_last_line => start + newline + 1,
            _ => self.line_end(stop, end),
        }
    }

    fn line_start(&self, at: usize, from: usize) -> usize {
        memchr::memrchr(b'\n', self.slice(from, at)).map_or(from, |newline| from + newline + 1)
    }

    fn line_end(&self, at: usize, to: usize) -> usize {
        memchr::memchr(b'\n', self.slice(at, to)).map_or(to, |newline| at + newline + 1)
    }

    /// Whether a part of a line is unreadable.
    fn is_damaged(&self, (from, to): (usize, usize)) -> bool {
        self.any_unreadable
            && (from / PAGE_BYTES..to.div_ceil(PAGE_BYTES)).any(|page| !self.known(page).is_readable)
    }

    /// Notes that pages are read for their lines, unless they were sent.
    fn mark(&mut self, from: usize, to: usize) {
        for record in &mut self.records[from / PAGE_BYTES..to.div_ceil(PAGE_BYTES)] {
            record.is_context |= record.found_in.is_none() && record.fate.in_chip();
        }
    }

    /// Lets go what no line will need: whole pages, but for lines that may be printed before the next.
    fn let_go(&mut self, options: &Options) {
        let keep = self.start_before(options, self.looked_at).min(self.looked_at);
        let drop = keep.saturating_sub(1) / PAGE_BYTES * PAGE_BYTES;
        if drop > self.base {
            self.text.let_go(drop - self.base);
            self.known.drain(..(drop - self.base) / PAGE_BYTES);
            self.base = drop;
        }
    }

    fn finish(&mut self, options: &Options) {
        match options.wanted {
            Wanted::Count => self.printer.count(options, self.selected),
            Wanted::Name if self.selected > 0 => self.printer.name_alone(),
            Wanted::NameWithout if self.selected == 0 && !self.any_unreadable => self.printer.name_alone(),
            _ => (),
        }
    }
}

fn without_newline(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\n").unwrap_or(line)
}
