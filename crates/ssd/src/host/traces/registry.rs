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

/// The format of a file, by its first lines.
pub(super) fn detect(lines: &Lines) -> Result<&'static Entry, TraceError> {
    let sample: Vec<&[u8]> = lines.buffered().take(SAMPLE_LINES).collect();
    let Some(first) = sample.first() else {
        return Err(TraceError::Empty { path: lines.path().to_owned() });
    };
    best(ENTRIES, &sample).ok_or_else(|| TraceError::UnknownFormat {
        path: lines.path().to_owned(),
        first_line: shortened(first),
    })
}

/// The format that recognises most lines, if it recognises more than half of them. Among equals the first
/// is taken.
fn best<'a>(entries: &'a [Entry], sample: &[&[u8]]) -> Option<&'a Entry> {
    let score = |entry: &Entry| sample.iter().filter(|line| (entry.looks_right)(line)).count();
    let best = entries.iter().rev().max_by_key(|entry| score(entry));
    best.filter(|entry| score(entry) * 2 > sample.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(name: &'static str, looks_right: fn(&[u8]) -> bool) -> Entry {
        let source =
            |lines| -> Box<dyn RequestSource + Send> { Box::new(TraceReader::<MsrCsv>::new(lines, "")) };
        Entry { info: FormatInfo { name, columns: "" }, looks_right, source }
    }

    #[test]
    fn most_lines_win_and_the_first_among_equals() {
        let entries = [
            entry("short", |line| line.len() == 1),
            entry("digits", |line| line.iter().all(u8::is_ascii_digit)),
            entry("odd", |line| line.len() % 2 == 1),
        ];
        let name = |sample: &[&[u8]]| best(&entries, sample).map(|entry| entry.info.name);
        assert_eq!(name(&[b"1", b"2"]), Some("short"), "all three recognise both");
        assert_eq!(name(&[b"a", b"abc"]), Some("odd"));
        assert_eq!(name(&[b"12", b"34", b"xx"]), Some("digits"));
        assert_eq!(name(&[b"12", b"xx"]), None, "half is not enough");
    }
}
