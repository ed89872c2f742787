//! Checks that every trace file must pass, regardless of its content.

use std::io::Cursor;
use std::path::Path;

use venice_kernel::SimTime;

use crate::request::{HostRequest, Op, RequestSource, SourceError};
use crate::traces::{BlockLayerEvent, TraceOptions, open_reader, trace_formats};

/// End of the permitted address range, in sectors.
const END_SECTOR: u64 = 1 << 51;

/// Returns reading options that are derived from two arbitrary bytes. `way` selects a format, detection or a
/// column description; `details` selects the event and `skip_bad`.
pub fn options_of(way: u8, details: u8) -> TraceOptions {
    const COLUMNS: [&str; 4] = [
        "time:us,device,op,offset:sector,size:byte,...",
        "time:iso,device,op,offset,size,...",
        "time:100ns op:1:0:* offset:4096 size",
        r"/(?<time>[\d.]+) +(?<op>[RW]) (?<offset>\d+)\+(?<size>\w+)(?<device>.*)/ time:s ...",
    ];
    let format = trace_formats().get(usize::from(way)).map(|format| format.name.to_owned());
    let beyond = usize::from(way).checked_sub(trace_formats().len());
    let columns = beyond.and_then(|number| COLUMNS.get(number)).map(|&columns| columns.to_owned());
    let event = if details & 1 == 0 { BlockLayerEvent::Dispatched } else { BlockLayerEvent::Queued };
    TraceOptions { format, columns, event, skip_bad: u64::from(details >> 1), ..TraceOptions::default() }
}

/// Reads bytes as a trace and checks the contract of request sources. Returns the number of requests.
///
/// # Panics
/// Panics if the contract is violated.
pub fn check_trace(bytes: Vec<u8>, options: &TraceOptions, batch: usize) -> u64 {
    let path = Path::new("trace");
    let mut trace = match open_reader(Cursor::new(bytes), path, options) {
        Ok(trace) => trace,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return 0;
        }
    };
    let (mut all, mut given, mut latest) = (Vec::new(), 0, None);
    loop {
        let end = trace.source.fill(&mut all, batch.max(1));
        assert!(all.len() <= batch.max(1), "more requests than asked for");
        given += all.len() as u64;
        all.drain(..).for_each(|request| check_request(&request, &mut latest));
        match end {
            Ok(0) => break,
            Ok(_) => {}
            Err(error) => {
                check_error(&error);
                break;
            }
        }
    }
    assert_eq!(trace.source.fill(&mut all, batch).ok(), Some(0), "a source that has ended goes on");
    assert!(trace.source.counters().read.skipped_bad <= options.skip_bad);
    given
}

fn check_request(request: &HostRequest, latest: &mut Option<SimTime>) {
    assert!(latest.map_or(request.arrival == SimTime::ZERO, |latest| latest <= request.arrival));
    assert_eq!(request.sectors == 0, request.op == Op::Flush, "{request:?}");
    assert!(request.end_sector() <= END_SECTOR, "{request:?}");
    *latest = Some(request.arrival);
}

/// Asserts that an error message names the file and is short.
fn check_error(error: &SourceError) {
    let text = error.to_string();
    assert!(text.contains("trace"), "the file is not named: {text}");
    assert!(text.lines().count() <= 8 && text.chars().count() < 1_000, "{text}");
}
