//! What a user reads when a trace is not what it should be.

#![expect(clippy::unwrap_used, reason = "a test may fail by a panic, in its own functions too")]

use std::fs;
use std::io::Write;
use std::path::Path;

use flate2::write::GzEncoder;
use tempfile::TempDir;
use venice_ssd::host::request::RequestSource;
use venice_ssd::host::traces::{open_reader, trace_info};

/// The message for a file of this content, its folder left out.
#[track_caller]
fn message(content: &[u8], format: Option<&str>) -> String {
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("trace");
    fs::write(&path, content).unwrap();
    message_for(&path, format, dir.path())
}

#[track_caller]
fn message_for(path: &Path, format: Option<&str>, dir: &Path) -> String {
    let error = trace_info(path, format).expect_err("the trace is bad");
    error.to_string().replace(&format!("{}/", dir.display()), "")
}

/// Several chunks of text that compresses badly.
fn long_text() -> String {
    let line = |number: u64| format!("{number} 0 {} 8 1\n", number.wrapping_mul(0x9e37_79b9) % 1_000_003);
    (0..100_000).map(line).collect::<Vec<_>>().concat()
}

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

const FORMATS: &str = "formats known:
  msr-csv      FILETIME,host,disk,Read|Write,offset,size[,response] (100-ns ticks, bytes)
  mqsim-ascii  time device lba size op (ns, 512-byte sectors, 1 = read)
  replay-ms    time device offset size op (ms with decimals, bytes, 1 = read)";

#[test]
fn a_missing_file_is_called_missing() {
    let dir = TempDir::new().unwrap();
    let text = message_for(&dir.path().join("nothing"), None, dir.path());
    assert_eq!(text, "nothing: there is no such trace file; check the path");
}

#[test]
fn a_folder_cannot_be_read() {
    let dir = TempDir::new().unwrap();
    let inner = dir.path().join("inner");
    fs::create_dir(&inner).unwrap();
    let text = message_for(&inner, None, dir.path());
    assert!(text.starts_with("inner: the trace cannot be read: "), "{text}");
}

#[test]
fn a_trace_without_requests_is_empty_with_and_without_a_format() {
    let expected = "trace: the trace holds no request; check that it was written or downloaded whole";
    for content in ["", "\n \n", "# only a comment\n"] {
        assert_eq!(message(content.as_bytes(), None), expected, "{content:?}");
        assert_eq!(message(content.as_bytes(), Some("mqsim-ascii")), expected, "{content:?}");
    }
    assert_eq!(message(b"Timestamp,Hostname\n", None), expected);
}

#[test]
fn an_empty_trace_is_an_error_to_a_run_too() {
    let mut trace = open_reader(&b"# nothing\n"[..], Path::new("trace"), Some("replay-ms")).unwrap();
    let mut requests = Vec::new();
    assert!(trace.source.fill(&mut requests, 10).is_err());
    assert_eq!(trace.source.fill(&mut requests, 10).unwrap(), 0, "a source is spent after its error");
}

#[test]
fn an_unknown_format_shows_the_first_line_and_the_formats_known() {
    let expected = format!(
        "trace: the format is not recognised; its first line is `<html><head>`\n{FORMATS}\n\
         name one with --format if the file is in it all the same"
    );
    assert_eq!(message(b"# saved\n<html><head>\n<title>404</title>\n", None), expected);
}

#[test]
fn an_unknown_format_name_lists_the_names() {
    assert_eq!(message(b"0 0 8 8 1\n", Some("spc")), format!("`spc` is not a trace format\n{FORMATS}"));
}

#[test]
fn a_bad_line_is_shown_with_its_number_and_what_was_expected() {
    assert_eq!(
        message(b"0 0 8 8 1\n5 0 16 8 1\n\n9 0 24 eight 1\n12 0 8 8 0\n", None),
        "trace, line 4: `size` should be a whole number of sectors, at least 1, but the line is `9 0 24 eight 1`\n\
         the file is read as mqsim-ascii; correct or remove the line, or name another format with --format"
    );
}

#[test]
fn a_long_bad_line_is_shortened() {
    let text = message(&[b"0 0 8 8 1\n1 0 8 8 1\n".as_slice(), &[b'z'; 5_000], b"\n"].concat(), None);
    assert!(text.contains(&format!("`{}…`", "z".repeat(80))), "{text}");
}

#[test]
fn a_garbled_time_is_beyond_the_clock() {
    assert_eq!(
        message(b"0 0 8 8 1\n1 0 8 8 1\n18446744073709551615 0 8 8 1\n", None),
        "trace, line 3: the time stamp is more than 213 days after the first, which is beyond the simulator's \
         clock; the line is `18446744073709551615 0 8 8 1`\n\
         correct or remove the line, or name another format with --format if the unit of time is another"
    );
}

#[test]
fn a_line_that_never_ends_is_refused() {
    let content = [b"0 0 8 8 1\n".as_slice(), &vec![b'1'; 600_000]].concat();
    assert_eq!(
        message(&content, None),
        "trace, line 2: the line is longer than 262144 bytes; is this a text file?"
    );
}

#[test]
fn a_truncated_file_is_told_from_a_damaged_one() {
    let text = long_text();
    for (name, packed) in
        [("gzip", gzip(text.as_bytes())), ("Zstandard", zstd::encode_all(text.as_bytes(), 3).unwrap())]
    {
        let cut = message(&packed[..packed.len() / 2], None);
        assert!(cut.starts_with(&format!("trace: the {name} file ends in the middle, after line ")), "{cut}");
        assert!(cut.ends_with("; copy or download it again"), "{cut}");

        let mut damaged = packed.clone();
        let middle = damaged.len() / 2;
        damaged[middle..middle + 2_000].fill(0xff);
        let damaged = message(&damaged, None);
        assert!(damaged.starts_with(&format!("trace: the {name} file is damaged after line ")), "{damaged}");
        assert!(damaged.ends_with("; copy or download it again"), "{damaged}");
    }
}

#[test]
fn the_break_of_a_truncated_file_is_placed_where_it_is() {
    // One whole member of 100,000 lines, then the first bytes of another.
    let packed = gzip(long_text().as_bytes());
    let text = message(&[&packed, &packed[..8]].concat(), None);
    assert_eq!(text, "trace: the gzip file ends in the middle, after line 100000; copy or download it again");
}
