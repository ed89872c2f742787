//! Tests of error messages for invalid traces.

#![expect(clippy::unwrap_used, reason = "a test may fail by a panic, in its own functions too")]

use std::fs;
use std::io::Write;
use std::path::Path;

use flate2::write::GzEncoder;
use tempfile::TempDir;
use venice_requests::request::RequestSource;
use venice_requests::traces::{
    BlockLayerEvent, FormatInfo, TraceOptions, open_reader, trace_formats, trace_info,
};

/// Returns the error message for a file with this content, without the folder.
#[track_caller]
fn message(content: &[u8], format: Option<&str>) -> String {
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("trace");
    fs::write(&path, content).unwrap();
    message_for(&path, format, dir.path())
}

#[track_caller]
fn message_for(path: &Path, format: Option<&str>, dir: &Path) -> String {
    let options = TraceOptions { format: format.map(str::to_owned), ..TraceOptions::default() };
    message_with(path, &options, dir)
}

#[track_caller]
fn message_with(path: &Path, options: &TraceOptions, dir: &Path) -> String {
    let error = trace_info(path, options).expect_err("the trace is bad");
    error.to_string().replace(&format!("{}/", dir.display()), "")
}

/// Several chunks of text with low compressibility.
fn long_text() -> String {
    let line = |number: u64| format!("{number} 0 {} 8 1\n", number.wrapping_mul(0x9e37_79b9) % 1_000_003);
    (0..100_000).map(line).collect::<Vec<_>>().concat()
}

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

/// List of formats as in messages; `conformance/golden/messages` has a complete message.
fn formats() -> String {
    let names: Vec<&str> = trace_formats().iter().map(|format| format.name).collect();
    let width = names.iter().map(|name| name.len()).max().unwrap();
    let line = |format: &FormatInfo| format!("\n     {:<width$}  {}", format.name, format.columns);
    trace_formats().iter().map(line).collect()
}

fn xz(text: &[u8]) -> Vec<u8> {
    let mut encoder = liblzma::write::XzEncoder::new(Vec::new(), 1);
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

fn bzip2(text: &[u8]) -> Vec<u8> {
    let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn a_missing_file_is_called_missing() {
    let dir = TempDir::new().unwrap();
    let text = message_for(&dir.path().join("nothing"), None, dir.path());
    assert_eq!(text, "trace file not found\n  --> nothing\n   = expected: an existing file; check the path");
}

#[test]
fn a_folder_cannot_be_read() {
    let dir = TempDir::new().unwrap();
    let inner = dir.path().join("inner");
    fs::create_dir(&inner).unwrap();
    let text = message_for(&inner, None, dir.path());
    assert!(text.starts_with("cannot read the trace: ") && text.ends_with("\n  --> inner"), "{text}");
}

#[test]
fn a_trace_without_requests_is_empty_with_and_without_a_format() {
    let expected = "the trace has no requests\n  --> trace\n   = expected: at least one request; check that the file is complete";
    for content in ["", "\n \n", "# only a comment\n"] {
        assert_eq!(message(content.as_bytes(), None), expected, "{content:?}");
        assert_eq!(message(content.as_bytes(), Some("mqsim-ascii")), expected, "{content:?}");
    }
    assert_eq!(message(b"Timestamp,Hostname\n", None), expected);
}

#[test]
fn an_empty_trace_is_an_error_to_a_run_too() {
    let mut trace =
        open_reader(&b"# nothing\n"[..], Path::new("trace"), &TraceOptions::format("replay-ms")).unwrap();
    let mut requests = Vec::new();
    assert!(trace.source.fill(&mut requests, 10).is_err());
    assert_eq!(trace.source.fill(&mut requests, 10).unwrap(), 0, "a source is spent after its error");
}

#[test]
fn an_unknown_format_shows_the_first_line_and_the_formats_known() {
    let expected = format!(
        "unknown trace format\n  --> trace\n   = first line: `<html><head>`\n   = expected: a description of the columns, \
         for example --columns 'time:us,op,offset,size' for a line such as `1250,R,8192,4096`\n   = or one of these \
         formats, selected with --format:{}",
        formats()
    );
    assert_eq!(message(b"# saved\n<html><head>\n<title>404</title>\n", None), expected);
}

#[test]
fn a_format_that_reads_some_lines_is_named_where_none_reads_most() {
    let said = message(b"0 0 8 8 1\n5 0 x 8 1\n", None);
    let expected = "first line: `0 0 8 8 1`\n   = nearest format: mqsim-ascii reads 1 of the first 2 lines; --format mqsim-ascii reports the others\n";
    assert!(said.contains(expected), "{said}");
}

#[test]
fn an_unknown_format_name_lists_the_names() {
    assert_eq!(
        message(b"0 0 8 8 1\n", Some("msr")),
        format!("unknown trace format `msr`\n   = expected: one of{}", formats())
    );
}

#[test]
fn a_bad_line_is_shown_with_its_number_and_what_was_expected() {
    assert_eq!(
        message(b"0 0 8 8 1\n5 0 16 8 1\n\n9 0 24 eight 1\n12 0 8 8 0\n", None),
        "invalid `size`\n  --> trace:4\n   = expected: a whole number of sectors\n   = line: `9 0 24 eight 1`\n   = format: \
         mqsim-ascii\n   = correct or remove the line, select another format with --format, or skip up to N invalid \
         lines with --skip-bad N"
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
        "the time stamp is more than 213 days from an earlier one, beyond the range of the simulator's clock\n  --> \
         trace:3\n   = line: `18446744073709551615 0 8 8 1`\n   = correct or remove the line, skip up to N invalid lines \
         with --skip-bad N, or select a format with another unit of time with --format"
    );
}

#[test]
fn a_line_that_never_ends_is_refused() {
    let content = [b"0 0 8 8 1\n".as_slice(), &vec![b'1'; 600_000]].concat();
    assert_eq!(
        message(&content, None),
        "the line is longer than 262144 bytes\n  --> trace:2\n   = expected: a text file"
    );
}

#[test]
fn truncated_and_damaged_files_are_distinguished() {
    let text = long_text();
    for (name, packed) in [
        ("gzip", gzip(text.as_bytes())),
        ("Zstandard", zstd::encode_all(text.as_bytes(), 3).unwrap()),
        ("xz", xz(text.as_bytes())),
        ("bzip2", bzip2(text.as_bytes())),
    ] {
        let cut = message(&packed[..packed.len() / 2], None);
        assert!(cut.starts_with(&format!("the {name} file is truncated after line ")), "{cut}");
        assert!(cut.ends_with("; copy or download it again"), "{cut}");

        let mut damaged = packed.clone();
        let middle = damaged.len() / 2;
        damaged[middle..middle + 2_000].fill(0xff);
        let damaged = message(&damaged, None);
        assert!(damaged.starts_with(&format!("the {name} file is damaged after line ")), "{damaged}");
        assert!(damaged.ends_with("; copy or download it again"), "{damaged}");
    }
}

#[test]
fn the_break_of_a_truncated_file_is_placed_where_it_is() {
    // One complete member of 100,000 lines, then the first bytes of another.
    let packed = gzip(long_text().as_bytes());
    let text = message(&[&packed, &packed[..8]].concat(), None);
    assert_eq!(
        text,
        "the gzip file is truncated after line 100000\n  --> trace\n   = expected: a complete file; copy or download it again"
    );
}

#[test]
fn a_header_alone_is_an_empty_trace_in_every_format_that_has_one() {
    for header in [
        "Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime",
        "Timestamp,Response,IOType,LUN,Offset,Size\r\n",
        "\u{feff}version,time,op,size,lbn",
        "device_id,opcode,offset,length,timestamp\n",
        "fio version 3 iolog\n",
        "fio version 2 iolog\n/dev/sda add\n",
    ] {
        let text = message(header.as_bytes(), None);
        assert!(text.starts_with("the trace has no requests"), "{header}: {text}");
    }
}

#[test]
fn a_trace_without_the_requested_event_suggests_the_other() {
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("trace");
    fs::write(&path, "8,0 0 1 0.5 9 Q R 8 + 8 [a]\n8,0 0 2 0.6 9 Q R 8 + 8 [a]\n").unwrap();
    assert_eq!(
        message_for(&path, None, dir.path()),
        "the trace has no D events\n  --> trace\n   = found: 2 Q events; read them with --event Q"
    );
    let queued = TraceOptions { event: BlockLayerEvent::Queued, ..TraceOptions::default() };
    assert_eq!(trace_info(&path, &queued).unwrap().requests, 2);
    assert!("C".parse::<BlockLayerEvent>().unwrap_err().contains("expected: D (dispatched) or Q (queued)"));
}

#[test]
fn a_binary_record_is_shown_as_its_bytes() {
    let mut bytes = [&[7, b't', b'a', b'e'][..], &[0; 44]].concat();
    bytes.extend([0x11; 48]);
    bytes.extend([7, b't', b'a', b'e', 0]);
    let text = message(&bytes, None);
    let shown = "11".repeat(48);
    assert!(
        text.starts_with(&format!(
            "invalid `magic`\n  --> trace, record 2\n   = expected: 0x65617407 in either byte order\n   = record: `{shown}`"
        )),
        "{text}"
    );
    bytes.drain(48..96);
    assert!(
        message(&bytes, None).starts_with("invalid `record`\n  --> trace, record 2\n   = expected: 48 bytes")
    );
}

#[test]
fn an_invalid_column_description_is_refused_with_the_expected_form() {
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("trace");
    fs::write(&path, "1,R,0,512\n").unwrap();
    for (columns, problem) in [
        ("time:us,op,offset", "the column `size` is missing"),
        ("time:us,op,offset,size,size", "the column `size` occurs twice"),
        (
            "time,op,offset,size",
            "the unit of time is missing; expected: a unit after the column, such as time:us",
        ),
        ("time:h,op,offset,size", "unknown unit of time `h`; expected: s, ms, us, ns, 100ns or iso"),
        (
            "time:us,op,offset:page,size",
            "unknown unit of addresses `page`; expected: byte, sector, or the number",
        ),
        ("time:us,op,offset:0,size", "unknown unit of addresses `0`"),
        ("time:us,op:R,offset,size", "invalid `op:R`; expected: op:READ:WRITE or op:READ:WRITE:OTHER"),
        (
            "time:us,kind,offset,size",
            "unknown column `kind`; expected: time, op, offset, size, device, set, or -",
        ),
        ("time:us,op,offset,size,device:8", "the column `device` has no unit"),
        ("/(?<time>.*) time:us", "the regular expression is not terminated"),
        ("/(?<time>.*/ time:us", "unclosed group"),
        ("/(?<time>.*)/ time:us", "the column `op` is missing"),
    ] {
        let options = TraceOptions { columns: Some(columns.to_owned()), ..TraceOptions::default() };
        let text = message_with(&path, &options, dir.path());
        assert!(text.starts_with("--columns ") && text.contains(problem), "{text}");
    }
    let options = TraceOptions { columns: Some("time:us".to_owned()), ..TraceOptions::format("spc") };
    let text = message_with(&path, &options, dir.path());
    assert_eq!(text, "`--format` cannot be combined with `--columns`; expected: one of them");
}

#[test]
fn a_line_that_is_not_as_described_is_shown_with_its_column() {
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("trace");
    for (columns, line, expected) in [
        (
            "time:us,op,offset,size",
            "1,R,0,512,9",
            "`line`\n  --> trace:2\n   = expected: the number of columns in the description",
        ),
        (
            "time:us,op,offset,size",
            "1.x,R,0,512",
            "`time`\n  --> trace:2\n   = expected: a number in the described unit",
        ),
        (
            "time:us,op,offset,size",
            "1,1,0,512",
            "`op`\n  --> trace:2\n   = expected: R, W, Read, Write, write_fua, write_zeroes, trim or flush; op:READ:WRITE describes",
        ),
        (
            "time:us,op:1:0,offset,size",
            "1,R,0,512",
            "`op`\n  --> trace:2\n   = expected: one of the described operation names",
        ),
        (
            "time:us,op,offset:sector,size",
            "1,R,18446744073709551615,512",
            "`offset`\n  --> trace:2\n   = expected: a whole number",
        ),
        ("time:us,op,offset,size", "1,R,0x,512", "`offset`\n  --> trace:2\n   = expected: a whole number"),
        ("time:us,op,offset,size", "1,R,0,-512", "`size`\n  --> trace:2\n   = expected: a whole number"),
        (
            "/(?<time>\\d+) (?<op>R) (?<offset>\\d+) (?<size>\\d+)/ time:us",
            "1,R,0,512",
            "a match of the regular expression",
        ),
    ] {
        fs::write(&path, format!("# the next line is bad\n{line}\n")).unwrap();
        let options = TraceOptions { columns: Some(columns.to_owned()), ..TraceOptions::default() };
        let text = message_with(&path, &options, dir.path());
        assert!(text.starts_with("invalid ") && text.contains(expected), "{text}");
    }
}

#[test]
fn columns_that_are_described_may_have_headers_hexadecimals_and_other_operations() {
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("trace");
    fs::write(&path, "time|op|offset|size\n1|RS|0x10|1\n2|discard|0|8\n3|WS|0|0\n4|W|8|1\n").unwrap();
    let columns = "time:us | op:R+RS:W+WS:* | offset:4096 | size:4096";
    let options = TraceOptions { columns: Some(columns.to_owned()), ..TraceOptions::default() };
    let info = trace_info(&path, &options).unwrap();
    assert_eq!((info.requests, info.read.trims, info.read.other_ops, info.read.zero_size), (2, 1, 0, 1));
    assert_eq!((info.read_pct, info.mean_size_kib, info.duration_us), (50.0, 4.0, 3.0));
}
