//! Detection of a trace's format from its first lines.

use std::borrow::Cow;

use super::OpenTrace;
use super::columns::{self, Header, HeaderDescription};
use super::error::{TraceError, UnknownLines, shortened};
use super::lines::Lines;
use super::options::TraceOptions;
use super::registry::{BINARY, FormatEntry, TEXT, binary_names, by_name, known};
use super::rounding;
use crate::request::FormatChoice;

/// Number of lines that detection examines.
const SAMPLE_LINES: usize = 256;

/// Number of bytes that are examined to distinguish text from binary files.
const BYTES_TO_KNOW_TEXT: usize = 4_096;

/// Opens a trace of text lines, in the format that the options select.
pub(super) fn opened(lines: Lines, options: &TraceOptions) -> Result<OpenTrace, TraceError> {
    match (&options.format, &options.columns) {
        (Some(_), Some(_)) => Err(TraceError::FormatAndColumns),
        (None, Some(columns)) => columns::opened(lines, columns, None, options),
        (Some(name), None) => Ok(by_name(name, options)?.opened(lines, options, None)),
        (None, None) => recognised(lines, options),
    }
}

impl FormatEntry {
    /// Opens a trace of text lines in this format. If several formats were possible, `rule` states the reason
    /// for the choice.
    fn opened(&self, mut lines: Lines, options: &TraceOptions, rule: Option<&'static str>) -> OpenTrace {
        if let Some(separator) = index_separator(&lines) {
            lines.drop_first_column(separator);
        }
        let (format, compression) = (self.info.name, lines.compression());
        let sample = sample(&lines);
        let remarks =
            [rule.map(str::to_owned), (self.remark)(&sample).map(str::to_owned), rounding::remark(&sample)];
        let format_choice = FormatChoice { format: Some(format), format_note: joined(remarks) };
        OpenTrace { format, compression, source: (self.source)(lines, options, format_choice) }
    }
}

fn joined(remarks: [Option<String>; 3]) -> Option<Cow<'static, str>> {
    let remarks: Vec<String> = remarks.into_iter().flatten().collect();
    Some(remarks.join("; ").into()).filter(|_| !remarks.is_empty())
}

fn sample(lines: &Lines) -> Vec<&[u8]> {
    lines.buffered().take(SAMPLE_LINES).collect()
}

/// Returns the separator after an index column as written by data frames, if there is one.
fn index_separator(lines: &Lines) -> Option<u8> {
    Header::of(lines.buffered().next()?)?.index_separator()
}

/// Opens a trace of text lines, whose format is detected.
fn recognised(mut lines: Lines, options: &TraceOptions) -> Result<OpenTrace, TraceError> {
    if !is_text(lines.head()) {
        let binary = BINARY.iter().find(|entry| (entry.begins)(lines.head()));
        let (path, known) = (lines.path().to_owned(), binary_names(options));
        let entry = binary.ok_or(TraceError::UnknownBinary { path, known })?;
        return Ok(entry.opened(lines, options, None));
    }
    let index_separator = index_separator(&lines);
    if let Some(separator) = index_separator {
        lines.drop_first_column(separator);
    }
    match detect(&lines, options)? {
        DetectedFormat::Format(entry, rule) => Ok(entry.opened(lines, options, rule)),
        DetectedFormat::Header(HeaderDescription { description, note }) => {
            columns::opened(lines, &description, Some(note), options)
        }
    }
}

/// Result of detection.
enum DetectedFormat {
    /// Known format and, if several formats can read the lines, the rule that selected it.
    Format(&'static FormatEntry, Option<&'static str>),
    /// Column description derived from a header.
    Header(HeaderDescription),
}

/// Detects the format of text lines. A header takes precedence over the best format, unless the header
/// belongs to that format.
fn detect(lines: &Lines, options: &TraceOptions) -> Result<DetectedFormat, TraceError> {
    let sample = sample(lines);
    let path = || lines.path().to_owned();
    let Some((first, rest)) = sample.split_first() else { return Err(TraceError::Empty { path: path() }) };
    let best = best(TEXT, &sample);
    let is_own = best.is_some_and(|entry| !(entry.reads)(&[first]).is_empty());
    let header = Header::of(first).filter(|_| !is_own);
    match header.and_then(|header| header.described(rest)) {
        Some(_) if rest.is_empty() => return Err(TraceError::Empty { path: path() }),
        Some(Ok(named)) => return Ok(DetectedFormat::Header(named)),
        Some(Err(open)) => return Err(TraceError::OpenHeader { path: path(), open }),
        None => {}
    }
    let found = best.ok_or_else(|| unknown(lines, &sample, options))?;
    let read = |entry: &FormatEntry| (entry.reads)(&sample).len();
    let is_contested = TEXT.iter().filter(|entry| read(entry) == read(found)).count() > 1;
    Ok(DetectedFormat::Format(found, found.rule.filter(|_| is_contested)))
}

fn unknown(lines: &Lines, sample: &[&[u8]], options: &TraceOptions) -> TraceError {
    TraceError::UnknownFormat {
        path: lines.path().to_owned(),
        seen: Box::new(UnknownLines {
            example: columns::suggested(sample),
            first_line: shortened(sample[0]),
            nearest: nearest(TEXT, sample),
        }),
        known: known(options),
    }
}

/// Returns true if the first bytes of a file contain no binary control characters.
fn is_text(head: &[u8]) -> bool {
    let is_control = |byte: &u8| byte.is_ascii_control() && !byte.is_ascii_whitespace();
    !head.iter().take(BYTES_TO_KNOW_TEXT).any(is_control)
}

/// Returns the format that can read the most lines, provided that it reads more than half of them; the first
/// one on a tie. Only formats that accept the lines are considered.
fn best<'a>(entries: &'a [FormatEntry], sample: &[&[u8]]) -> Option<&'a FormatEntry> {
    let claimed = |entry: &'a FormatEntry| {
        let lines = (entry.reads)(sample);
        (entry.claims)(&lines).then_some((lines.len(), entry))
    };
    let (lines, best) = entries.iter().rev().filter_map(claimed).max_by_key(|&(lines, _)| lines)?;
    Some(best).filter(|_| lines * 2 > sample.len())
}

/// Returns a hint for a file of unknown format, which names the format that can read the most lines.
fn nearest(entries: &[FormatEntry], sample: &[&[u8]]) -> String {
    let read = entries.iter().rev().map(|entry| ((entry.reads)(sample).len(), entry.info.name));
    let Some((count, name)) = read.max_by_key(|&(count, _)| count).filter(|&(count, _)| count > 0) else {
        return String::new();
    };
    let of = sample.len();
    format!(
        "\n   = nearest format: {name} reads {count} of the first {of} lines; --format {name} reports the others"
    )
}

#[cfg(test)]
mod tests {
    use super::super::format_info::FormatInfo;
    use super::super::registry::LineSelector;
    use super::*;

    fn entry(name: &'static str, reads: LineSelector) -> FormatEntry {
        let info = FormatInfo { name, columns: "" };
        FormatEntry { info, reads, claims: |lines| !lines.contains(&&b"none"[..]), ..TEXT[0] }
    }

    fn short<'a>(lines: &[&'a [u8]]) -> Vec<&'a [u8]> {
        lines.iter().copied().filter(|line| line.len() == 1).collect()
    }

    fn digits<'a>(lines: &[&'a [u8]]) -> Vec<&'a [u8]> {
        lines.iter().copied().filter(|line| line.iter().all(u8::is_ascii_digit)).collect()
    }

    fn even<'a>(lines: &[&'a [u8]]) -> Vec<&'a [u8]> {
        lines.iter().copied().filter(|line| line.len() % 2 == 0).collect()
    }

    #[test]
    fn most_lines_win_and_the_first_among_equals() {
        let entries = [entry("short", short), entry("digits", digits), entry("even", even)];
        let name = |sample: &[&[u8]]| best(&entries, sample).map(|entry| entry.info.name);
        assert_eq!(name(&[b"1", b"2"]), Some("short"), "two recognise both");
        assert_eq!(name(&[b"ab", b"abcd"]), Some("even"));
        assert_eq!(name(&[b"123", b"345", b"xxx"]), Some("digits"));
        assert_eq!(name(&[b"123", b"xxx"]), None, "half is not enough");
        assert_eq!(name(&[b"none", b"ab", b"cd"]), None, "nobody claims them");
    }
}
