//! The part of a file that is at hand: its text, what the controller knows of its pages, and where lines and the regions that a
//! page was sent for begin and end in it.
//!
//! All offsets are of the file. The text at hand begins with a page. What was selected or printed is not known here.

use std::collections::VecDeque;

use super::text::Text;
use crate::store::PAGE_BYTES;

/// What the controller knows of a page whose text is at hand.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts about one page")]
pub(super) struct Known {
    pub(super) is_readable: bool,
    pub(super) is_found: bool,
    pub(super) hit_in_first_line: bool,
    pub(super) hit_in_last_line: bool,
    pub(super) ends_with_newline: bool,
    pub(super) lines_before: u64,
}

/// See the module comment.
#[derive(Debug, Default)]
pub(super) struct AtHand {
    pub(super) text: Text,
    /// Offset of the text at hand: a page's.
    pub(super) base: usize,
    /// Up to where pages were searched.
    pub(super) searched: usize,
    /// The pages that were searched.
    pub(super) known: VecDeque<Known>,
    /// Whether nobody could read some page of the file.
    pub(super) any_unreadable: bool,
}

impl AtHand {
    /// The text from one offset to another.
    pub(super) fn slice(&self, from: usize, to: usize) -> &[u8] {
        &self.text[from - self.base..to - self.base]
    }

    /// What is known of a page, by its number in the file.
    pub(super) fn known(&self, page: usize) -> &Known {
        &self.known[page - self.base / PAGE_BYTES]
    }

    /// Where the lines begin that a page was sent for; the first one of them only if it holds something that was searched for.
    pub(super) fn region_start(&self, page: usize) -> usize {
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

    /// Where they end, at most at `end`; the last one, likewise.
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

    /// Where the line begins that goes on at `at`, at least at `from`.
    pub(super) fn line_start(&self, at: usize, from: usize) -> usize {
        memchr::memrchr(b'\n', self.slice(from, at)).map_or(from, |newline| from + newline + 1)
    }

    /// Where it ends, with its newline, at most at `to`.
    pub(super) fn line_end(&self, at: usize, to: usize) -> usize {
        memchr::memchr(b'\n', self.slice(at, to)).map_or(to, |newline| at + newline + 1)
    }

    /// Where `count` lines before one begin, none of them before `least`.
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

    /// The number of the line that begins here.
    pub(super) fn line_number(&self, start: usize) -> u64 {
        let page = start / PAGE_BYTES;
        let before = memchr::memchr_iter(b'\n', self.slice(page * PAGE_BYTES, start)).count() as u64;
        self.known(page).lines_before + before + 1
    }

    /// Whether a part of a line is unreadable.
    pub(super) fn is_damaged(&self, (from, to): (usize, usize)) -> bool {
        self.any_unreadable
            && (from / PAGE_BYTES..to.div_ceil(PAGE_BYTES)).any(|page| !self.known(page).is_readable)
    }

    /// Lets go whole pages before an offset.
    pub(super) fn let_go(&mut self, before: usize) {
        let drop = before.saturating_sub(1) / PAGE_BYTES * PAGE_BYTES;
        if drop > self.base {
            self.text.let_go(drop - self.base);
            self.known.drain(..(drop - self.base) / PAGE_BYTES);
            self.base = drop;
        }
    }
}
