//! Reader of lines with a buffer of fixed size.

use std::fs::File;
use std::io::{self, Read};
use std::ops::Range;
use std::path::{Path, PathBuf};

use super::compression::{Compression, decoded};
use super::error::TraceError;
use super::fields::separated_field;

/// Size of the buffer, and therefore the maximum length of a line.
const CHUNK_BYTES: usize = 256 * 1024;

/// UTF-8 byte-order mark, which some editors write.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Reader of lines. It skips blank lines and comments, and removes blanks at both ends of a line.
pub(super) struct Lines {
    path: PathBuf,
    compression: Compression,
    text: Box<dyn Read + Send>,
    buffer: Box<[u8]>,
    /// Part of the buffer that has been read from the file but not yet returned.
    held: Range<usize>,
    /// Position of the current line in the buffer.
    line: Range<usize>,
    at_end: bool,
    number: u64,
    /// Separator after an index column, which is removed from each line.
    index_separator: Option<u8>,
}

impl Lines {
    /// Opens a file and reads its first chunk.
    pub(super) fn open(path: &Path) -> Result<Self, TraceError> {
        let file = File::open(path).map_err(|source| cannot_open(path, source))?;
        Self::decode(file, path)
    }

    /// Creates a reader of plain or compressed bytes from any source. Messages show `path` as its name.
    pub(super) fn decode(bytes: impl Read + Send + 'static, path: &Path) -> Result<Self, TraceError> {
        let (text, compression) = decoded(bytes).map_err(|source| cannot_open(path, source))?;
        Self::over(text, path, compression)
    }

    fn over(text: Box<dyn Read + Send>, path: &Path, compression: Compression) -> Result<Self, TraceError> {
        let buffer = vec![0; CHUNK_BYTES].into_boxed_slice();
        let path = path.to_owned();
        let mut lines = Self {
            path,
            compression,
            text,
            buffer,
            held: 0..0,
            line: 0..0,
            at_end: false,
            number: 0,
            index_separator: None,
        };
        lines.refill()?;
        if lines.buffer[lines.held.clone()].starts_with(BYTE_ORDER_MARK) {
            lines.held.start += BYTE_ORDER_MARK.len();
        }
        Ok(lines)
    }

    /// Returns the path of the file.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the compression of the file.
    pub(super) fn compression(&self) -> Compression {
        self.compression
    }

    /// Returns the number of the current line, from 1.
    pub(super) fn number(&self) -> u64 {
        self.number
    }

    /// Returns the complete lines in the buffer without consuming them. If there are none, returns the
    /// incomplete line.
    pub(super) fn buffered(&self) -> impl Iterator<Item = &[u8]> {
        let text = &self.buffer[self.held.clone()];
        let last_newline = memchr::memrchr(b'\n', text).filter(|_| !self.at_end);
        let lines = text[..last_newline.unwrap_or(text.len())].split(|&byte| byte == b'\n');
        lines
            .map(<[u8]>::trim_ascii)
            .filter(|line| carries_something(line))
            .map(|line| self.without_index(line))
    }

    /// Advances to the next line that is neither blank nor a comment. Returns false at the end of the file.
    #[inline]
    pub(super) fn advance(&mut self) -> Result<bool, TraceError> {
        while let Some(line) = self.take_raw()? {
            self.line = line;
            if carries_something(self.current_bytes().trim_ascii()) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns the line found by the last [`Lines::advance`].
    #[inline]
    pub(super) fn current(&self) -> &[u8] {
        self.without_index(self.buffer[self.line.clone()].trim_ascii())
    }

    /// Removes the first column, which ends at `separator`, from all further lines.
    pub(super) fn drop_first_column(&mut self, separator: u8) {
        self.index_separator = Some(separator);
    }

    #[inline]
    fn without_index<'a>(&self, line: &'a [u8]) -> &'a [u8] {
        match self.index_separator {
            None => line,
            Some(separator) => {
                let mut rest = line;
                let _index = separated_field(&mut rest, separator);
                rest.trim_ascii()
            }
        }
    }

    /// Returns the current line or record without changes.
    pub(super) fn current_bytes(&self) -> &[u8] {
        &self.buffer[self.line.clone()]
    }

    /// Reads `length` bytes, or fewer at the end of the file. The bytes count as one line.
    pub(super) fn take_bytes(&mut self, length: usize) -> Result<&[u8], TraceError> {
        let start = self.hold(length)?;
        self.line = start..start + length.min(self.held.len());
        self.held.start = self.line.end;
        self.number += u64::from(!self.line.is_empty());
        Ok(&self.buffer[self.line.clone()])
    }

    /// Skips `length` bytes. Returns false if the file has fewer.
    pub(super) fn skip_bytes(&mut self, length: usize) -> Result<bool, TraceError> {
        self.hold(length)?;
        let whole = length <= self.held.len();
        self.held.start += length.min(self.held.len());
        Ok(whole)
    }

    /// Reads until the buffer holds at least `length` bytes or the file ends. Returns the position of the
    /// first byte in the buffer.
    fn hold(&mut self, length: usize) -> Result<usize, TraceError> {
        while self.held.len() < length && !self.at_end {
            self.refill()?;
        }
        Ok(self.held.start)
    }

    /// Returns the content of the buffer without consuming it.
    pub(super) fn head(&self) -> &[u8] {
        &self.buffer[self.held.clone()]
    }

    /// Consumes the next line, without its newline, and returns its position in the buffer; `None` at the end
    /// of the file.
    #[inline]
    fn take_raw(&mut self) -> Result<Option<Range<usize>>, TraceError> {
        loop {
            let Range { start, end } = self.held;
            if let Some(length) = memchr::memchr(b'\n', &self.buffer[start..end]) {
                self.held.start = start + length + 1;
                self.number += 1;
                return Ok(Some(start..start + length));
            }
            if self.at_end {
                return Ok(self.take_last());
            }
            self.refill()?;
        }
    }

    /// Consumes the text after the last newline of the file and returns its position in the buffer.
    fn take_last(&mut self) -> Option<Range<usize>> {
        let rest = self.held.clone();
        self.held.start = rest.end;
        self.number += u64::from(!rest.is_empty());
        Some(rest).filter(|rest| !rest.is_empty())
    }

    /// Moves the incomplete line to the front of the buffer, and fills the rest of the buffer from the file.
    fn refill(&mut self) -> Result<(), TraceError> {
        self.buffer.copy_within(self.held.clone(), 0);
        self.held = 0..self.held.len();
        if self.held.end == self.buffer.len() {
            let (path, line) = (self.path.clone(), self.number + 1);
            return Err(TraceError::LineTooLong { path, line, limit_bytes: CHUNK_BYTES });
        }
        while self.held.end < self.buffer.len() && !self.at_end {
            match self.text.read(&mut self.buffer[self.held.end..]) {
                Ok(0) => self.at_end = true,
                Ok(bytes) => self.held.end += bytes,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(self.cannot_read(error)),
            }
        }
        Ok(())
    }

    /// Returns the error of a failed read: damaged or truncated data, or an error of the operating system.
    fn cannot_read(&self, source: io::Error) -> TraceError {
        let (path, compression, line) = (self.path.clone(), self.compression, self.lines_held());
        if compression == Compression::None || source.raw_os_error().is_some() {
            TraceError::Unreadable { path, source }
        } else if source.kind() == io::ErrorKind::UnexpectedEof {
            TraceError::Truncated { path, compression, line }
        } else {
            TraceError::Corrupt { path, compression, line, source }
        }
    }

    /// Returns the number of complete lines read so far, including those in the buffer.
    fn lines_held(&self) -> u64 {
        self.number + memchr::memchr_iter(b'\n', &self.buffer[self.held.clone()]).count() as u64
    }
}

/// Returns true unless the line is blank or a comment.
#[inline]
fn carries_something(line: &[u8]) -> bool {
    line.first().is_some_and(|&byte| byte != b'#')
}

fn cannot_open(path: &Path, source: io::Error) -> TraceError {
    let path = path.to_owned();
    match source.kind() {
        io::ErrorKind::NotFound => TraceError::NotFound { path },
        _ => TraceError::Unreadable { path, source },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines_of(text: &'static str) -> Vec<(u64, String)> {
        let mut lines = Lines::over(Box::new(text.as_bytes()), Path::new("t"), Compression::None)
            .expect("text is readable");
        let mut all = Vec::new();
        while lines.advance().unwrap() {
            let line = String::from_utf8(lines.current().to_vec()).unwrap();
            all.push((lines.number(), line));
        }
        all
    }

    #[test]
    fn blanks_comments_and_line_ends_are_tolerated_and_counted() {
        let expected = vec![(2, "a b".to_owned()), (5, "c".to_owned())];
        assert_eq!(lines_of("\u{feff}# head\r\n  a b \r\n\r\n \t\nc"), expected);
        assert_eq!(lines_of("# head\n a b\n\n\nc\n"), expected);
        assert_eq!(lines_of(""), vec![]);
    }

    #[test]
    fn lines_survive_the_border_of_a_chunk() {
        // The length of a line, 13 bytes, does not divide the chunk size, so a line crosses every chunk
        // border.
        let text = (0..100_000).map(|number| format!("{number:012}\n")).collect::<Vec<_>>().concat();
        let mut lines =
            Lines::over(Box::new(io::Cursor::new(text)), Path::new("t"), Compression::None).unwrap();
        for number in 0..100_000 {
            assert!(lines.advance().unwrap());
            assert_eq!(lines.current(), format!("{number:012}").as_bytes());
        }
        assert!(!lines.advance().unwrap());
    }

    #[test]
    fn a_line_without_end_is_refused() {
        let endless = io::Cursor::new(b"x\n".to_vec()).chain(io::repeat(b'x'));
        let mut lines = Lines::over(Box::new(endless), Path::new("t"), Compression::None).unwrap();
        assert!(lines.advance().unwrap());
        let error = lines.advance().unwrap_err();
        assert_eq!(
            error.to_string(),
            "the line is longer than 262144 bytes\n  --> t:2\n   = expected: a text file"
        );
    }
}
