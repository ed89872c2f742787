//! Which format a file is in, by its first lines.

use super::OpenTrace;
use super::blktrace;
use super::columns;
use super::error::{TraceError, shortened};
use super::lines::Lines;
use super::options::TraceOptions;
use super::registry::{BINARY, Entry, TEXT, by_name, known};
use crate::request::FormatChoice;

/// How many lines detection looks at.
const SAMPLE_LINES: usize = 256;

/// Opens lines as the options say.
pub(super) fn opened(lines: Lines, options: &TraceOptions) -> Result<OpenTrace, TraceError> {
    let (entry, note) = match (&options.format, &options.columns) {
        (Some(_), Some(_)) => return Err(TraceError::FormatAndColumns),
        (None, Some(columns)) => return columns::opened(lines, columns, options),
        (Some(name), None) => (by_name(name)?, None),
        (None, None) => detect(&lines)?,
    };
    let (format, compression) = (entry.info.name, lines.compression());
    let format_choice = FormatChoice { format: Some(format), format_note: note };
    Ok(OpenTrace { format, compression, source: (entry.source)(lines, options, format_choice) })
}

/// The format of a file, and the rule that chose it where others read its lines as well.
fn detect(lines: &Lines) -> Result<(&'static Entry, Option<&'static str>), TraceError> {
    if blktrace::begins(lines.head()) {
        return Ok((&BINARY, None));
    }
    let sample: Vec<&[u8]> = lines.buffered().take(SAMPLE_LINES).collect();
    let Some(first) = sample.first() else {
        return Err(TraceError::Empty { path: lines.path().to_owned() });
    };
    let found = best(TEXT, &sample).ok_or_else(|| TraceError::UnknownFormat {
        path: lines.path().to_owned(),
        first_line: shortened(first),
        nearest: nearest(TEXT, &sample),
        known: known(),
    })?;
    let read = |entry: &Entry| (entry.reads)(&sample).len();
    let is_contested = TEXT.iter().filter(|entry| read(entry) == read(found)).count() > 1;
    Ok((found, found.rule.filter(|_| is_contested)))
}

/// Of the formats that claim the lines they read, the one that reads most, if it reads more than half of all.
/// Among equals the first is taken.
fn best<'a>(entries: &'a [Entry], sample: &[&[u8]]) -> Option<&'a Entry> {
    let claimed = |entry: &'a Entry| {
        let lines = (entry.reads)(sample);
        (entry.claims)(&lines).then_some((lines.len(), entry))
    };
    let (lines, best) = entries.iter().rev().filter_map(claimed).max_by_key(|&(lines, _)| lines)?;
    Some(best).filter(|_| lines * 2 > sample.len())
}

/// What is said of the format that reads most lines, though too few.
fn nearest(entries: &[Entry], sample: &[&[u8]]) -> String {
    let read = entries.iter().rev().map(|entry| ((entry.reads)(sample).len(), entry.info.name));
    let Some((count, name)) = read.max_by_key(|&(count, _)| count).filter(|&(count, _)| count > 0) else {
        return String::new();
    };
    let of = sample.len();
    format!(
        "; {name} reads {count} of its first {of} lines: --format {name} says what is wrong with the others"
    )
}

#[cfg(test)]
mod tests {
    use super::super::format_info::FormatInfo;
    use super::super::registry::Reads;
    use super::*;

    fn entry(name: &'static str, reads: Reads) -> Entry {
        let info = FormatInfo { name, columns: "" };
        Entry {
            info,
            rule: None,
            reads,
            claims: |lines| !lines.contains(&&b"none"[..]),
            source: BINARY.source,
        }
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
