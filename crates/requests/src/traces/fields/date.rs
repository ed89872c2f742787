//! Parsing of dates, with optional times of day, in ISO 8601 and RFC 3339 notation.

use jiff::fmt::temporal::DateTimeParser;
use jiff::tz::Offset;

static PARSER: DateTimeParser = DateTimeParser::new();

/// Length of a date such as `2024-06-01` in bytes. An offset from UTC can only follow a date.
const DATE_BYTES: usize = 10;

/// Parses a date with optional time of day and offset from UTC, and returns the nanoseconds since 1677-09-21.
/// Without an offset, the time is UTC. Returns `None` for dates outside the 584 years that 64 bits can
/// represent.
pub(in super::super) fn iso_ns(field: &[u8]) -> Option<u64> {
    let rest = field.get(DATE_BYTES..)?;
    let has_offset = rest.iter().any(|byte| matches!(byte, b'Z' | b'z' | b'+' | b'-'));
    let time = if has_offset {
        PARSER.parse_timestamp(field).ok()?
    } else {
        Offset::UTC.to_timestamp(PARSER.parse_datetime(field).ok()?).ok()?
    };
    let since_1970_ns = i64::try_from(time.as_nanosecond()).ok()?;
    Some(since_1970_ns.wrapping_sub(i64::MIN) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ns_from(start: &str, end: &str) -> Option<u64> {
        Some(iso_ns(end.as_bytes())? - iso_ns(start.as_bytes())?)
    }

    #[test]
    fn dates_are_read_as_data_frames_write_them() {
        for (text, ns) in [
            ("2024-06-01 12:00:00.25", 250_000_000),
            ("2024-06-01T12:00:00.000000001", 1),
            ("2024-06-01T12:00:01Z", 1_000_000_000),
            ("2024-06-01 12:00:00.5+00:00", 500_000_000),
            ("2024-06-01T14:00:00.000007+02:00", 7_000),
            ("2024-06-01T07:00:00.000007-0500", 7_000),
            ("2024-06-01T12:00", 0),
            ("2024-06-02", 12 * 3_600 * 1_000_000_000),
        ] {
            assert_eq!(ns_from("2024-06-01 12:00:00", text), Some(ns), "{text}");
        }
    }

    #[test]
    fn dates_before_1970_are_in_order() {
        assert_eq!(ns_from("1969-12-31 23:59:59.9", "1970-01-01 00:00:00"), Some(100_000_000));
    }

    #[test]
    fn other_texts_are_no_dates() {
        for text in [
            "",
            "1717243200",
            "06/01/2024 12:00",
            "2024-13-01 00:00",
            "12:00:00",
            "2024-06-01 12:00x",
            "1500-01-01",
        ] {
            assert_eq!(iso_ns(text.as_bytes()), None, "{text}");
        }
    }
}
