//! Benchmark of trace reading: lines per second, from memory, plain text, one thread.

use std::hint::black_box;
use std::io::Cursor;
use std::path::Path;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use venice_requests::request::RequestSource;
use venice_requests::traces::{OpenTrace, TraceOptions, open_reader};

/// Lines per trace; large enough that the cost of opening is negligible.
const LINES: u64 = 500_000;

/// Requests per call, as in a run.
const BATCH: usize = 1024;

/// Returns a trace with realistic values: rising times, addresses spread over 16 GiB.
fn trace(line: impl Fn(u64, u64) -> String) -> Vec<u8> {
    let address = |number: u64| number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 39;
    (0..LINES).map(|number| line(number, address(number))).collect::<Vec<_>>().concat().into_bytes()
}

fn msr_csv() -> Vec<u8> {
    trace(|number, sector| {
        format!(
            "{},hm,0,Write,{},4096,{}\n",
            128_166_386_783_630_075 + number * 977,
            sector * 512,
            number % 9_999
        )
    })
}

fn mqsim_ascii() -> Vec<u8> {
    trace(|number, sector| format!("{} 0 {sector} 16 {}\n", number * 97_700, number % 2))
}

fn replay_ms() -> Vec<u8> {
    trace(|number, sector| format!("{}.{:03} 0 {} 4096 1\n", number / 10, number % 1_000, sector * 512))
}

fn ssdsim_us() -> Vec<u8> {
    trace(|number, sector| format!("{} 0 {sector} 16 {}\n", number * 977, number % 2))
}

fn blkparse() -> Vec<u8> {
    trace(|number, sector| {
        let (s, ns) = (number / 10_000, number % 10_000 * 99_991);
        format!("  8,16   3 {number:8} {s:5}.{ns:09}  3645  D   R {sector} + 256 [java]\n")
    })
}

fn drain(mut trace: OpenTrace) -> u64 {
    let (mut batch, mut requests) = (Vec::with_capacity(BATCH), 0);
    while trace.source.fill(&mut batch, BATCH).expect("the trace is sound") > 0 {
        requests += batch.len() as u64;
        black_box(&batch);
        batch.clear();
    }
    requests
}

fn reading(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("trace_reading");
    group.throughput(Throughput::Elements(LINES)).sample_size(20);
    for (format, text) in [
        ("msr-csv", msr_csv()),
        ("mqsim-ascii", mqsim_ascii()),
        ("ssdsim-us", ssdsim_us()),
        ("replay-ms", replay_ms()),
        ("blkparse", blkparse()),
    ] {
        group.bench_with_input(BenchmarkId::from_parameter(format), &text, |bencher, text| {
            bencher.iter_batched(
                || {
                    open_reader(Cursor::new(text.clone()), Path::new(format), &TraceOptions::format(format))
                        .expect("it opens")
                },
                |trace| assert_eq!(drain(trace), LINES),
                criterion::BatchSize::PerIteration,
            );
        });
    }
    group.finish();
}

criterion_group!(benches, reading);
criterion_main!(benches);
