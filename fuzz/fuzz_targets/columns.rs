//! Fuzz target for column descriptions: the first line of the input is the description, the rest is the
//! trace.

#![no_main]

use libfuzzer_sys::fuzz_target;
use venice_requests::testkit::check_trace;
use venice_requests::traces::TraceOptions;

fuzz_target!(|data: &[u8]| {
    let mut lines = data.splitn(2, |&byte| byte == b'\n');
    let columns = lines.next().and_then(|line| std::str::from_utf8(line).ok());
    if let (Some(columns), Some(bytes)) = (columns, lines.next()) {
        let options =
            TraceOptions { columns: Some(columns.to_owned()), skip_bad: 3, ..TraceOptions::default() };
        check_trace(bytes.to_vec(), &options, 5);
    }
});
