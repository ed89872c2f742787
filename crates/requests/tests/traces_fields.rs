//! Tests of columns in the notation of data frames, spreadsheets and kernels.

#![expect(clippy::unwrap_used, reason = "a test may fail by a panic, in its own functions too")]

use std::path::Path;

use venice_requests::request::{HostRequest, Op, RequestSource};
use venice_requests::traces::{OpenTrace, TraceOptions, open_reader};

fn by_columns(columns: &str) -> TraceOptions {
    TraceOptions { columns: Some(columns.to_owned()), ..TraceOptions::default() }
}

#[track_caller]
fn opened(text: &str, options: &TraceOptions) -> OpenTrace {
    let opened = open_reader(std::io::Cursor::new(text.as_bytes().to_vec()), Path::new("trace"), options);
    opened.unwrap_or_else(|error| panic!("{error}\n{text}"))
}

#[track_caller]
fn read(text: &str, options: &TraceOptions) -> (OpenTrace, Vec<HostRequest>) {
    let (mut trace, mut all) = (opened(text, options), Vec::new());
    while trace.source.fill(&mut all, 100).unwrap() > 0 {}
    (trace, all)
}

fn refusal(text: &str) -> String {
    let bytes = std::io::Cursor::new(text.as_bytes().to_vec());
    match open_reader(bytes, Path::new("trace"), &TraceOptions::default()) {
        Ok(trace) => panic!("read as {}: {text}", trace.format),
        Err(error) => error.to_string(),
    }
}

/// Returns true for a read of 4 KiB at 0, followed after half a second by a write of 8 KiB at 8,192 bytes.
fn is_the_pair(requests: &[HostRequest]) -> bool {
    let seen: Vec<_> =
        requests.iter().map(|r| (r.arrival.as_ps(), r.op, r.start_sector, r.sectors)).collect();
    seen == [(0, Op::Read, 0, 8), (500_000_000_000, Op::Write, 16, 16)]
}

#[track_caller]
fn reads_the_pair(text: &str, options: &TraceOptions, format: &str) {
    let (trace, requests) = read(text, options);
    assert_eq!(trace.format, format, "{text}");
    assert!(is_the_pair(&requests), "{text}\n{requests:?}");
}

#[test]
fn published_formats_are_read_as_data_frames_write_them_again() {
    for (text, format) in [
        (
            "\"128166372003061629\",\"prx,1\",\"0\",\"Read\",\"0\",\"4096\",\"100\"\n\
          \"128166372008061629\",\"a \"\"b\"\"\",\"0\",\"Write\",\"8192\",\"8192\",\"100\"\n",
            "msr-csv",
        ),
        (
            ",Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime\n\
          0,128166372003061629,prx,0,Read,0,4096,100\n1,128166372008061629,prx,0,Write,8192,8192,100\n",
            "msr-csv",
        ),
        (
            "Unnamed: 0,device_id,opcode,offset,length,timestamp\n\
          0,0,R,0,4096,1577808144360767\n1,0,W,8192,8192,1577808144860767\n",
            "alibaba-csv",
        ),
        ("0,R,0.0,4096.0,1.577808144360767e15\n0.0,W,8192.0,8.192e3,1.577808144860767e15\n", "alibaba-csv"),
        ("0,0,4096.0,\"r\",0.5\n0,16,8192,w,1.0e0\n", "spc"),
        ("\"128166372003061629\" Read 0 4096\n\"128166372008061629\" Write 8192 8192\n", "msr-rounded"),
        ("0 0 0 8.0 1\n500000000 0 16.0 1.6e1 0\n", "mqsim-ascii"),
    ] {
        reads_the_pair(text, &TraceOptions::default(), format);
    }
}

#[test]
fn described_columns_are_read_in_the_same_notations() {
    for (text, columns) in [
        ("5e10,R,0.0,4096.0\n5.05e10,W,8.192e3,8192.0\n", "time:ns,op,offset,size"),
        ("2024-06-01 12:00:00.25,R,0,4096\n2024-06-01 12:00:00.75,W,8192,8192\n", "time:iso,op,offset,size"),
        (
            "t|a|b|c\n2024-06-01T12:00:00.25Z|R|0|4096\n2024-06-01T14:00:00.75+02:00|W|8192|8192\n",
            "time:iso|op|offset|size",
        ),
        (
            "\"1.577808144360767e9\",\"R\",\"0\",\"4096\"\n\"1577808144.860767\",\"W\",\"8192\",\"8192\"\n",
            "time:s,op,offset,size",
        ),
        (",when,what,where,much\n0,1.0,R,0,4096\n1,1.5,W,8192,8192\n", "time:s,op,offset,size"),
        (",when,what,where,much\n0,1.0,R,0,4096\n1,1.5,W,8192,8192\n", "-,time:s,op,offset,size"),
        (",when,what,where,much,more\n0,1.0,R,0,4096,\n1,1.5,W,8192,8192,x\n", "time:s,op,offset,size,..."),
    ] {
        reads_the_pair(text, &by_columns(columns), "columns");
    }
}

#[test]
fn a_header_that_names_the_columns_is_a_description() {
    for (text, note) in [
        (
            "timestamp,op,offset,size\n2024-06-01 12:00:00,R,0,4096\n2024-06-01 12:00:00.5,W,8192,8192\n",
            "--columns 'time:iso,op,offset,size'",
        ),
        (
            "\"\",\"size\",\"rw\",\"lba\",\"Time (ms)\",\"volume\"\n\"1\",4096,\"r\",0,7,\"a\"\n\"2\",8192,\"w\",16,507.0,\"b\"\n",
            "--columns 'size,op,offset:sector,time:ms,device'",
        ),
        (
            "ts;type;nbytes;address\n1717243200;READ;4096;0\n1717243200.5;WRITE;8192;8192\n",
            "`ts` is in seconds since 1970",
        ),
    ] {
        let (trace, requests) = read(text, &TraceOptions::default());
        assert!(is_the_pair(&requests), "{text}\n{requests:?}");
        let note = trace.source.format_choice().format_note.filter(|found| found.contains(note));
        assert!(note.is_some(), "{text}: {:?}", trace.source.format_choice());
    }
}

#[test]
fn a_header_takes_precedence_over_similar_columns() {
    // Five columns that tencent-cbs could read, but with other units and operations.
    let text = "timestamp_ms,offset_bytes,nbytes,is_read,disk\n0,0,4096,1,0\n500,8192,8192,0,0\n";
    reads_the_pair(text, &TraceOptions::default(), "columns");
}

#[test]
fn a_header_without_known_names_is_skipped_in_every_format() {
    reads_the_pair(
        "when,who,which,what,where,much\n128166372003061629,prx,0,Read,0,4096\n128166372008061629,prx,0,Write,8192,8192\n",
        &TraceOptions::default(),
        "msr-csv",
    );
}

#[test]
fn a_header_that_leaves_a_unit_open_is_refused_with_a_description_that_works() {
    for (text, columns) in [
        ("time,op,offset,size\n0,R,0,4096\n500000,W,8192,8192\n", "time:us,op,offset,size"),
        ("time_s,op,offset,size\n0,1,0,4096\n0.5,0,8192,8192\n", "time:s,op:1:0,offset,size"),
        ("time_s,op,lba,size\n0,R,0,8\n0.5,W,16,16\n", "time:s,op,offset:sector,size:sector"),
    ] {
        let message = refusal(text);
        assert!(message.contains(&format!("--columns '{columns}'")), "{message}");
        reads_the_pair(text, &by_columns(columns), "columns");
    }
}

#[test]
fn the_example_of_an_unknown_format_reads_the_file_that_it_is_for() {
    for text in [
        "0,x,R,0,4096\n500000,x,W,8192,8192\n",
        "2024-06-01 12:00:00;4096;0;read\n2024-06-01 12:00:00.5;8192;8192;write\n",
    ] {
        let message = refusal(text);
        let (_, example) = message.split_once("--columns '").unwrap();
        reads_the_pair(text, &by_columns(example.split('\'').next().unwrap()), "columns");
    }
}

#[test]
fn numbers_that_a_spreadsheet_rounded_are_read_with_a_remark() {
    let text = "1.28166E+17,prx,1,Write,383496192,32768,400\n1.28166E+17,prx,1,Read,383561728,32768,401\n";
    let note = opened(text, &TraceOptions::default()).source.format_choice().format_note.unwrap();
    assert!(note.contains("`1.28166E+17` were rounded"), "{note}");
}

#[test]
fn a_flush_has_no_address_in_any_format() {
    let end = u64::MAX;
    let blkparse = format!(
        "8,0 0 1 0.1 9 D R 0 + 8 [a]\n8,0 0 2 0.2 9 D FWS {end} + 0 [a]\n8,0 0 3 0.3 9 D WS {end} + 0 [a]\n\
         8,0 0 4 0.4 9 D FF {end} + 8 [a]\n8,0 0 5 0.6 9 D W 16 + 16 [a]\n"
    );
    let without_flushes = |requests: Vec<HostRequest>| -> Vec<HostRequest> {
        requests.into_iter().filter(|request| request.op != Op::Flush).collect()
    };
    let (trace, requests) = read(&blkparse, &TraceOptions::default());
    let requests = without_flushes(requests);
    assert!(is_the_pair(&requests), "{requests:?}");
    let read_counters = trace.source.counters().read;
    assert_eq!((read_counters.flushes, read_counters.zero_size, read_counters.skipped_bad), (2, 1, 0));

    let columns = format!("0.1 R 0 8\n0.2 FF {end} 0\n0.3 W {end} 0\n0.4 X {end} 8\n0.6 W 16 16\n");
    for (options, others) in [
        ("time:s op:R:W:* offset:sector size:sector", 2),
        ("time:s op:R:W:FF+X offset:sector size:sector", 2),
    ] {
        let (trace, requests) = read(&columns, &by_columns(options));
        let requests = without_flushes(requests);
        assert!(is_the_pair(&requests), "{requests:?}");
        let counters = trace.source.counters().read;
        assert_eq!((counters.other_ops + counters.flushes, counters.zero_size), (others, 1));
    }

    for text in [
        format!("5,h,0,Read,0,4096,1\n5000001,h,0,Write,{end},0,1\n5000005,h,0,Write,8192,8192,1\n"),
        format!("0,0,4096,r,0.5\n0,{end},0,w,0.75\n0,16,8192,w,1.0\n"),
        format!("0 0 0 8 1\n100 0 {end} 0 0\n500000000 0 16 16 0\n"),
        format!("1,0,28,4096,0\n1,5,35,0,{end}\n1,7,2a,0,{end}\n1,500000,2a,8192,16\n"),
    ] {
        assert!(is_the_pair(&without_flushes(read(&text, &TraceOptions::default()).1)), "{text}");
    }
}

#[test]
fn waits_of_fio_are_read_as_times_with_a_remark() {
    let text = "fio version 2 iolog\na add\na open\na wait 4000 0\na read 0 4096\na wait 4500 0\na write 8192 8192\n";
    for options in [TraceOptions::default(), TraceOptions::format("fio-iolog")] {
        reads_the_pair(text, &options, "fio-iolog");
        let note = opened(text, &options).source.format_choice().format_note.unwrap();
        assert!(note.contains("in milliseconds from the start"), "{note}");
    }
    let version_3 = opened("fio version 3 iolog\n5 a add\n5 a read 0 4096\n", &TraceOptions::default());
    assert_eq!(version_3.source.format_choice().format_note, None);
}

#[test]
fn a_binary_file_of_no_known_format_is_called_one() {
    let bytes = std::io::Cursor::new([b"\x7fELF\x02\x01\x01\0".repeat(9), b"0,R,0,512\n".to_vec()].concat());
    let error = open_reader(bytes, Path::new("trace"), &TraceOptions::default()).err().unwrap().to_string();
    let expected = "unknown binary trace format\n  --> trace\n   = expected: one of blktrace, vscsi-1, vscsi-2, oracle-general\n";
    assert!(error.starts_with(expected), "{error}");
}
