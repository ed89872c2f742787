//! The formats there are, and which of them a file is in.

use super::TraceFormat;
use super::error::{TraceError, shortened};
use super::formats::{mqsim_ascii::MqsimAscii, msr_csv::MsrCsv, replay_ms::ReplayMs};
use super::lines::Lines;
use super::reader::TraceReader;
use crate::host::request::RequestSource;

/// How many lines detection looks at.
const SAMPLE_LINES: usize = 32;

/// What a user needs to know of a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FormatInfo {
    /// The name that `--format` takes.
    pub name: &'static str,
    /// What a line looks like.
    pub columns: &'static str,
}

/// A format with its behaviour.
pub(super) struct Entry {
    pub(super) info: FormatInfo,
    looks_right: fn(&[u8]) -> bool,
    pub(super) source: fn(Lines) -> Box<dyn RequestSource + Send>,
}

macro_rules! trace_formats {
    ($($name:literal => $format:ty, $columns:literal;)*) => {
        const ENTRIES: &[Entry] = &[$(Entry {
            info: FormatInfo { name: $name, columns: $columns },
            looks_right: <$format as TraceFormat>::looks_right,
            source: |lines| Box::new(TraceReader::<$format>::new(lines, $name)),
        }),*];

        /// Every format, in the order in which detection prefers them.
        pub const fn trace_formats() -> &'static [FormatInfo] {
            &[$(FormatInfo { name: $name, columns: $columns }),*]
        }
    };
}

trace_formats! {
    "msr-csv" => MsrCsv, "FILETIME,host,disk,Read|Write,offset,size[,response] (100-ns ticks, bytes)";
    "mqsim-ascii" => MqsimAscii, "time device lba size op (ns, 512-byte sectors, 1 = read)";
    "replay-ms" => ReplayMs, "time device offset size op (ms with decimals, bytes, 1 = read)";
}

/// The format that the user named.
pub(super) fn by_name(name: &str) -> Result<&'static Entry, TraceError> {
    let found = ENTRIES.iter().find(|entry| entry.info.name == name);
    found.ok_or_else(|| TraceError::UnknownFormatName { name: name.to_owned() })
}

/// The format that recognises most of the first lines, if it recognises more than half of them. Among
/// equals the first in the registry is taken.
pub(super) fn detect(lines: &Lines) -> Result<&'static Entry, TraceError> {
    let sample: Vec<&[u8]> = lines.buffered().take(SAMPLE_LINES).collect();
    let Some(first) = sample.first() else {
        return Err(TraceError::Empty { path: lines.path().to_owned() });
    };
    let score = |entry: &Entry| sample.iter().filter(|line| (entry.looks_right)(line)).count();
    let best = ENTRIES.iter().rev().max_by_key(|entry| score(entry));
    best.filter(|entry| score(entry) * 2 > sample.len()).ok_or_else(|| TraceError::UnknownFormat {
        path: lines.path().to_owned(),
        first_line: shortened(first),
    })
}
