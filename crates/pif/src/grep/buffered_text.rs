//! Buffered part of a file during a search: its text, the search result of each page, and the starts and ends
//! of lines.
//!
//! All offsets are offsets in the file. The buffer starts at a page boundary. The module [`super::stream`]
//! selects and prints lines.

use std::collections::VecDeque;

use super::text::ByteQueue;
use crate::store::PAGE_BYTES;

/// Search result of a buffered page.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts about one page")]
pub(super) struct KnownPage {
    pub(super) is_readable: bool,
    pub(super) is_found: bool,
    pub(super) hit_in_first_line: bool,
    pub(super) hit_in_last_line: bool,
    pub(super) ends_with_newline: bool,
    pub(super) lines_before: u64,
}

/// Buffered part of a file.
#[derive(Debug, Default)]
pub(super) struct BufferedText {
    pub(super) text: ByteQueue,
    /// Offset of the buffered text, at a page boundary.
    pub(super) base: usize,
    /// Offset in the file up to which pages have been searched.
    pub(super) searched: usize,
    /// Search results of the buffered pages that have been searched.
    pub(super) known: VecDeque<KnownPage>,
    /// True if a page of the file was unreadable so far.
    pub(super) any_unreadable: bool,
}

impl BufferedText {
    /// Returns the text between two offsets.
    pub(super) fn slice(&self, from: usize, to: usize) -> &[u8] {
        &self.text[from - self.base..to - self.base]
    }

    /// Returns the search result of the page with number `page` in the file.
    pub(super) fn known(&self, page: usize) -> &KnownPage {
        &self.known[page - self.base / PAGE_BYTES]
    }

    /// Returns the start of the text to examine for a page that was sent to the host. The text consists of
    /// whole lines. If the first line of the page starts in an earlier page, it is included only if its part
    /// in this page has a hit.
    pub(super) fn region_start(&self, page: usize) -> usize {
        let (known, start) = (self.known(page), page * PAGE_BYTES);
        if start == self.base || self.known(page - 1).ends_with_newline {
            return start;
        }
        let stop = (start + PAGE_BYTES).min(self.searched);
        // If the page has no newline, its first line is also its last line.
        match memchr::memchr(b'\n', self.slice(start, stop)) {
            Some(newline) if !known.hit_in_first_line => start + newline + 1,
            _ => self.line_start(start, self.base),
        }
    }

    /// Returns the end of the text to examine for a page that was sent to the host, at most `end`. The text
    /// consists of whole lines. If the last line of the page continues in the next page, it is included only
    /// if its part in this page has a hit.
    pub(super) fn region_end(&self, page: usize, end: usize) -> usize {
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

    /// Returns the start of the line that contains offset `at`, or `from` if the line starts before `from`.
    pub(super) fn line_start(&self, at: usize, from: usize) -> usize {
        memchr::memrchr(b'\n', self.slice(from, at)).map_or(from, |newline| from + newline + 1)
    }

    /// Returns the end of the line that contains offset `at`, including its newline, or `to` if the line ends
    /// after `to`.
    pub(super) fn line_end(&self, at: usize, to: usize) -> usize {
        memchr::memchr(b'\n', self.slice(at, to)).map_or(to, |newline| at + newline + 1)
    }

    /// Returns the start of the line that is `count` lines before the line at `line`, or `least` if that
    /// start would be before `least`.
    pub(super) fn start_before(&self, line: usize, count: u64, least: usize) -> usize {
        let mut start = line;
        for _ in 0..count {
            if start <= least.max(self.base) {
                break;
            }
            let newline = memchr::memrchr(b'\n', self.slice(self.base, start - 1));
            start = newline.map_or(self.base, |newline| self.base + newline + 1).max(least);
        }
        start
    }

    /// Returns the number of the line that starts at `start`, from 1.
    pub(super) fn line_number(&self, start: usize) -> u64 {
        let page = start / PAGE_BYTES;
        let before = memchr::memchr_iter(b'\n', self.slice(page * PAGE_BYTES, start)).count() as u64;
        self.known(page).lines_before + before + 1
    }

    /// Returns true if a part of the line from offset `from` to `to` is unreadable.
    pub(super) fn is_damaged(&self, (from, to): (usize, usize)) -> bool {
        self.any_unreadable
            && (from / PAGE_BYTES..to.div_ceil(PAGE_BYTES)).any(|page| !self.known(page).is_readable)
    }

    /// Discards the pages that end at or before the offset `before`.
    pub(super) fn let_go(&mut self, before: usize) {
        let drop = before.saturating_sub(1) / PAGE_BYTES * PAGE_BYTES;
        if drop > self.base {
            self.text.let_go(drop - self.base);
            self.known.drain(..(drop - self.base) / PAGE_BYTES);
            self.base = drop;
        }
    }
}
