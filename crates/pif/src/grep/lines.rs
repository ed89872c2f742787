//! From matches to lines.

use std::collections::BTreeMap;
use std::iter::Peekable;

use crate::store::{FileSearch, PAGE_BYTES, PageReader, StoredFile};

/// The lines of a file that hold a match, in order.
pub struct Lines<'a> {
    file: &'a StoredFile,
    search: &'a FileSearch,
    matches: Peekable<std::vec::IntoIter<usize>>,
    reader: PageReader,
    /// Pages that were read for their lines; none where the page is unreadable.
    context: BTreeMap<usize, Option<Vec<u8>>>,
}

/// A line that holds a match.
pub struct Line {
    /// Its number, from 1.
    pub number: u64,
    /// Its text without the newline; none if a part of it is unreadable.
    pub text: Option<Vec<u8>>,
}

impl<'a> Lines<'a> {
    /// The lines of what a search found.
    pub fn new(file: &'a StoredFile, search: &'a FileSearch, reader: PageReader) -> Self {
        let starts: Vec<usize> = search.matches().map(|(start, _)| start).collect();
        let matches = starts.into_iter().peekable();
        Self { file, search, matches, reader, context: BTreeMap::new() }
    }

    /// How many lines there are; no further page is read for it.
    pub fn count(&mut self) -> u64 {
        let mut count = 0;
        let mut last = None;
        while let Some(start) = self.matches.next() {
            let number = Some(self.number(start));
            count += u64::from(number != last);
            last = number;
        }
        count
    }

    /// The next line.
    pub fn next_line(&mut self) -> Option<Line> {
        let start = self.matches.next()?;
        let number = self.number(start);
        let from = self.back_to_newline(start);
        let to = self.on_to_newline(start);
        let end = to.unwrap_or_else(|unreadable| unreadable);
        while self.matches.next_if(|&next| next < end).is_some() {}
        let text = from.zip(to.ok()).and_then(|(from, to)| self.text(from, to));
        Some(Line { number, text })
    }

    /// The pages that were read for their lines.
    pub fn into_context(self) -> Vec<usize> {
        self.context.into_keys().collect()
    }

    /// Of a page that was not sent, only a match across its end is known, and there is no newline in a match.
    fn number(&self, start: usize) -> u64 {
        let page = start / PAGE_BYTES;
        let Some(data) = &self.search.pages[page].data else {
            return self.file.lines_before(page + 1) + 1;
        };
        let before = memchr::memchr_iter(b'\n', &data[..start % PAGE_BYTES]).count();
        self.file.lines_before(page) + before as u64 + 1
    }

    /// The data of a page, without its filling.
    fn page(&mut self, page: usize) -> Option<&[u8]> {
        let bytes = self.file.bytes_of_page(page);
        if let Some(data) = &self.search.pages[page].data {
            return Some(&data[..bytes]);
        }
        let (file, reader) = (self.file, &mut self.reader);
        let data = self.context.entry(page).or_insert_with(|| {
            let (fate, data) = reader.read(file, page);
            fate.is_readable().then(|| data.into_owned())
        });
        data.as_ref().map(|data| &data[..bytes])
    }

    /// Where the line begins that holds this offset.
    fn back_to_newline(&mut self, at: usize) -> Option<usize> {
        let (mut page, mut until) = (at / PAGE_BYTES, at % PAGE_BYTES);
        loop {
            if let Some(newline) = memchr::memrchr(b'\n', &self.page(page)?[..until]) {
                return Some(page * PAGE_BYTES + newline + 1);
            }
            if page == 0 {
                return Some(0);
            }
            (page, until) = (page - 1, PAGE_BYTES);
        }
    }

    /// Where the line ends that holds this offset, or the offset of an unreadable page before that.
    fn on_to_newline(&mut self, at: usize) -> Result<usize, usize> {
        let (mut page, mut from) = (at / PAGE_BYTES, at % PAGE_BYTES);
        while page < self.file.pages() {
            let data = self.page(page).ok_or(page * PAGE_BYTES)?;
            if let Some(newline) = memchr::memchr(b'\n', &data[from..]) {
                return Ok(page * PAGE_BYTES + from + newline);
            }
            (page, from) = (page + 1, 0);
        }
        Ok(self.file.bytes())
    }

    fn text(&mut self, from: usize, to: usize) -> Option<Vec<u8>> {
        let mut text = Vec::with_capacity(to - from);
        while from + text.len() < to {
            let at = from + text.len();
            let page = at / PAGE_BYTES;
            let until = (to - page * PAGE_BYTES).min(PAGE_BYTES);
            text.extend_from_slice(&self.page(page)?[at % PAGE_BYTES..until]);
        }
        Some(text)
    }
}
