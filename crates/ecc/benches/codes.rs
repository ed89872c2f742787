//! Benchmarks of encoding and decoding, in bytes of data per second of one thread.

#![allow(missing_docs, reason = "a benchmark has no interface")]

mod cpu;

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use venice_ecc::channel::{ExtraReads, SoftChannel, flip_exactly};
use venice_ecc::code::{CODEWORD_BITS, Codeword, DATA_BYTES, encode};
use venice_ecc::decoder::{HardDecoder, HardDecoderKind, MinSum};
use venice_kernel::RandomStream;

/// Number of words per round, large enough to average over error patterns.
const WORDS: usize = 256;

fn data(random: &mut RandomStream) -> Vec<[u8; DATA_BYTES]> {
    let mut one = || {
        let mut data = [0; DATA_BYTES];
        data.fill_with(|| random.next_u64() as u8);
        data
    };
    (0..WORDS).map(|_| one()).collect()
}

fn corrupted(errors: u32) -> Vec<(Codeword, Codeword)> {
    let mut random = RandomStream::new(u64::from(errors), "bench");
    let stored: Vec<Codeword> = data(&mut random).iter().map(encode).collect();
    let corrupt = |stored: Codeword| {
        let mut read = stored;
        flip_exactly(&mut read, errors, &mut random);
        (stored, read)
    };
    stored.into_iter().map(corrupt).collect()
}

fn encoding(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("encode");
    group.throughput(Throughput::Bytes((WORDS * DATA_BYTES) as u64));
    let data = data(&mut RandomStream::new(1, "bench"));
    group.bench_function("encode", |bencher| {
        cpu::iterate(bencher, || {
            data.iter().map(|data| encode(black_box(data)).columns()[71]).fold(0, |a, b| a ^ b)
        });
    });
    group.finish();
}

fn decoding(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("decode");
    group.throughput(Throughput::Bytes((WORDS * DATA_BYTES) as u64));
    for (kind, errors) in [
        (HardDecoderKind::TwoBit, &[0, 20, 40, 60, 72][..]),
        (HardDecoderKind::Gdbf, &[40]),
        (HardDecoderKind::Pgdbf, &[40]),
        (HardDecoderKind::MinSum, &[40, 72]),
    ] {
        let mut decoder = kind.build(kind.usual_iterations());
        for &errors in errors {
            let words = corrupted(errors);
            group.bench_with_input(BenchmarkId::new(kind.name(), errors), &words, |bencher, words| {
                cpu::iterate(bencher, || {
                    words.iter().filter(|(_, read)| decoder.decode(&mut read.clone()).is_ok()).count()
                });
            });
        }
    }
    group.finish();
}

fn soft(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("decode_soft");
    group.throughput(Throughput::Bytes((WORDS * DATA_BYTES) as u64)).sample_size(20);
    let mut random = RandomStream::new(2, "bench");
    for (reads, errors) in [(ExtraReads::Two, 120), (ExtraReads::Six, 140)] {
        let channel = SoftChannel::new(f64::from(errors) / CODEWORD_BITS as f64, reads);
        let words: Vec<_> =
            corrupted(errors).iter().map(|(stored, read)| channel.read(stored, read, &mut random)).collect();
        let mut decoder = MinSum::new(MinSum::USUAL_ITERATIONS);
        group.bench_with_input(BenchmarkId::new(format!("{reads:?}"), errors), &words, |bencher, words| {
            cpu::iterate(bencher, || words.iter().filter(|read| decoder.decode_soft(read).is_ok()).count());
        });
    }
    group.finish();
}

criterion_group!(benches, encoding, decoding, soft);
criterion_main!(benches);
