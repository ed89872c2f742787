//! Benchmarks of pattern matching, in bytes per second of one thread.

#![allow(missing_docs, reason = "a benchmark has no interface")]

#[path = "../../ecc/benches/cpu.rs"]
mod cpu;

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use venice_kernel::RandomStream;
use venice_pif::matcher::{FastMatcher, Matcher, PatternSet};

const PAGE_BYTES: usize = 16 * 1024;
const PAGES: usize = 64;

/// Returns pages of lower-case letters and blanks, without a match.
fn pages() -> Vec<Vec<u8>> {
    let mut random = RandomStream::new(1, "bench");
    let mut letter = || b"etaoinshrdlucmfwypvbgkq        \n"[random.below(32) as usize];
    (0..PAGES).map(|_| (0..PAGE_BYTES).map(|_| letter()).collect()).collect()
}

fn searching(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("search");
    group.throughput(Throughput::Bytes((PAGES * PAGE_BYTES) as u64)).sample_size(20);
    let pages = pages();
    for patterns in [&["jazzy"][..], &["jazzy", "exact", "zero", "quiz", "extra", "oxen", "ajar", "major"]] {
        let set = PatternSet::new(patterns).expect("patterns of 1 … 32 bytes");
        let (matcher, fast) = (Matcher::new(&set).expect("one case"), FastMatcher::new(&set));
        let parameter = patterns.len();
        group.bench_with_input(BenchmarkId::new("bit_split", parameter), &pages, |bencher, pages| {
            cpu::iterate(bencher, || pages.iter().filter(|page| matcher.contains(black_box(page))).count());
        });
        group.bench_with_input(BenchmarkId::new("fast_contains", parameter), &pages, |bencher, pages| {
            cpu::iterate(bencher, || pages.iter().filter(|page| fast.contains(black_box(page))).count());
        });
        group.bench_with_input(BenchmarkId::new("fast_scan", parameter), &pages, |bencher, pages| {
            cpu::iterate(bencher, || {
                let mut found = 0;
                for page in pages {
                    fast.scan(black_box(page), |_| found += 1);
                }
                found
            });
        });
    }
    group.finish();
}

criterion_group!(benches, searching);
criterion_main!(benches);
