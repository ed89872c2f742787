//! Trace reader for `kib;time;op;offset;length` lines.
//!
//! # What it models
//! The first column is the word `kib`, the time is in microseconds, the operation `R` or `W`, offset and
//! length are in KiB. The first request arrives at zero.
//!
//! # What is left out
//! Devices: all requests belong to queue 0. Sorting: lines that are not in order of time are an error.
//!
//! # Source
//! None: this is an example of a minimal [`RequestSource`].

use std::fs::File;
use std::io::{self, BufRead, BufReader, Lines};
use std::path::{Path, PathBuf};

use thiserror::Error;
use venice_kernel::{SimSpan, SimTime};
use venice_requests::{HostRequest, Op, RequestSource, SECTOR_BYTES, SourceError};

const MARK: &str = "kib;";
/// End of the time in which requests can be issued: 160 days.
const LATEST_US: u64 = 160 * 86_400_000_000;
const END_SECTOR: u64 = 1 << 51;
const SECTORS_PER_KIB: u64 = 1024 / SECTOR_BYTES as u64;

/// Reader of a trace; memory does not grow with the file.
pub struct KibLines {
    path: PathBuf,
    label: String,
    lines: Option<Lines<BufReader<File>>>,
    line: u64,
    /// Time stamp of the first request in microseconds.
    first_us: Option<u64>,
    latest: SimTime,
}

/// Error of a trace: an invalid line or an unreadable file.
#[derive(Debug, Error)]
pub enum KibError {
    /// The file cannot be read.
    #[error("cannot read `{}`: {cause}", .path.display())]
    Unreadable {
        /// Path of the file.
        path: PathBuf,
        /// Reason given by the operating system.
        cause: io::Error,
    },
    /// A column of a line is invalid.
    #[error("bad {column}\n  --> {}:{line}\n   = expected: {expected}", .path.display())]
    Column {
        /// Path of the file.
        path: PathBuf,
        /// Line number, from 1.
        line: u64,
        /// Name of the column.
        column: &'static str,
        /// Accepted values.
        expected: &'static str,
    },
}

/// Name of an invalid column and its accepted values.
type Fault = (&'static str, &'static str);

impl KibLines {
    /// Opens a trace.
    ///
    /// # Errors
    /// [`KibError::Unreadable`].
    pub fn open(path: &Path) -> Result<Self, KibError> {
        let file = File::open(path).map_err(|cause| KibError::Unreadable { path: path.to_owned(), cause })?;
        let label = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let lines = Some(BufReader::new(file).lines());
        Ok(Self { path: path.to_owned(), label, lines, line: 0, first_us: None, latest: SimTime::ZERO })
    }

    /// Returns true if a file starts with a line of the format.
    pub fn recognises(path: &Path) -> bool {
        let mut start = String::new();
        let read = File::open(path).and_then(|file| BufReader::new(file).read_line(&mut start));
        read.is_ok() && start.starts_with(MARK)
    }

    /// Reads the next line; `None` at the end and after an error.
    fn next(&mut self) -> Result<Option<HostRequest>, KibError> {
        let Some(line) = self.lines.as_mut().and_then(Iterator::next) else { return Ok(None) };
        self.line += 1;
        let request = line.map_err(|cause| self.unreadable(cause)).and_then(|line| self.request(&line));
        if request.is_err() {
            self.lines = None;
        }
        request.map(Some)
    }

    fn unreadable(&self, cause: io::Error) -> KibError {
        KibError::Unreadable { path: self.path.clone(), cause }
    }

    fn request(&mut self, line: &str) -> Result<HostRequest, KibError> {
        self.parse(line).map_err(|(column, expected)| KibError::Column {
            path: self.path.clone(),
            line: self.line,
            column,
            expected,
        })
    }

    fn parse(&mut self, line: &str) -> Result<HostRequest, Fault> {
        let columns: Vec<&str> = line.split(';').collect();
        let ["kib", time, op, offset, length] = columns[..] else {
            return Err(("line", "`kib;time;op;offset;length`"));
        };
        let arrival = self.arrival(time)?;
        let op = match op {
            "R" => Op::Read,
            "W" => Op::Write,
            _ => return Err(("op", "`R` or `W`")),
        };
        let start_sector = to_sectors(offset).filter(|&sector| sector < END_SECTOR);
        let start_sector = start_sector.ok_or(("offset", "a whole number of KiB below 1 EiB"))?;
        let sectors = to_sectors(length).and_then(|sectors| u32::try_from(sectors).ok());
        let sectors = sectors.filter(|&sectors| sectors > 0).ok_or(("length", "1 to 2147483647 KiB"))?;
        Ok(HostRequest { arrival, start_sector, sectors, queue: 0, op, pattern_set: 0 })
    }

    fn arrival(&mut self, time: &str) -> Result<SimTime, Fault> {
        let us: u64 = time.parse().map_err(|_| ("time", "a whole number of microseconds"))?;
        let since_first = us.checked_sub(*self.first_us.get_or_insert(us));
        let arrival = since_first.filter(|&us| us < LATEST_US).map(|us| SimTime::ZERO + SimSpan::from_us(us));
        let in_order = arrival.filter(|&arrival| arrival >= self.latest);
        self.latest =
            in_order.ok_or(("time", "no earlier than the line before and within 160 days of the first"))?;
        Ok(self.latest)
    }
}

/// Converts KiB to sectors; `None` if the text is not a number or the result is too large.
fn to_sectors(kib: &str) -> Option<u64> {
    kib.parse::<u64>().ok()?.checked_mul(SECTORS_PER_KIB)
}

impl RequestSource for KibLines {
    fn fill(&mut self, into: &mut Vec<HostRequest>, at_most: usize) -> Result<usize, SourceError> {
        for given in 0..at_most {
            match self.next().map_err(|error| SourceError::Trace(Box::new(error)))? {
                Some(request) => into.push(request),
                None => return Ok(given),
            }
        }
        Ok(at_most)
    }

    fn label(&self) -> &str {
        &self.label
    }

    fn is_synthetic(&self) -> bool {
        false
    }
}
