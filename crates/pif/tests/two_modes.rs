//! Tests that compare the functional and the statistical error model.

use venice_ecc::channel::{ExtraReads, SoftChannel, flip_at_rate};
use venice_ecc::code::{CODEWORD_BITS, DATA_BYTES, encode};
use venice_ecc::curve::{CurveDecoder, FailureCurve};
use venice_ecc::decoder::{HardDecoder, HardDecoderKind, MinSum};
use venice_kernel::RandomStream;
use venice_pif::page::StoredPage;

/// Asserts that the share `failed` / `tries` is within four standard errors of `p`.
#[track_caller]
fn assert_near(failed: u32, tries: u32, p: f64) {
    let share = f64::from(failed) / f64::from(tries);
    let slack = 4.0 * (p * (1.0 - p) / f64::from(tries)).sqrt();
    assert!((share - p).abs() <= slack, "{share} of {tries}, expected {p} ± {slack}");
}

#[test]
fn pages_fail_in_the_chip_as_often_as_the_curve_says() {
    let curve = FailureCurve::measured(CurveDecoder::TwoBit);
    let mut decoder = HardDecoderKind::TwoBit.build(300);
    let mut random = RandomStream::new(1, "modes");
    let stored = StoredPage::encode(&[0x42; 16 * 1024]).unwrap();
    // Mean errors at 2,000 cycles and 6 months, and a mean at which about half of the codewords fail.
    for (mean, pages) in [(62.6, 150), (80.0, 40)] {
        let rate = mean / CODEWORD_BITS as f64;
        let (mut failed_pages, mut failed_words) = (0, 0);
        for _ in 0..pages {
            let mut read = stored.clone();
            read.corrupt(rate, &mut random);
            let outcome = read.decode(&mut decoder);
            failed_pages += u32::from(!outcome.is_corrected());
            failed_words += outcome.failed.count_ones();
        }
        assert_near(failed_pages, pages, curve.page_failure(rate, 16));
        assert_near(failed_words, 16 * pages, curve.codeword_failure(rate));
    }
}

#[test]
fn soft_reads_fail_as_often_as_the_curve_says() {
    let mut decoder = MinSum::new(MinSum::USUAL_ITERATIONS);
    let mut random = RandomStream::new(2, "modes");
    let stored = encode(&[0x24; DATA_BYTES]);
    for (reads, mean) in [(ExtraReads::Two, 155.0), (ExtraReads::Six, 170.0)] {
        let rate = mean / CODEWORD_BITS as f64;
        let channel = SoftChannel::new(rate, reads);
        let mut failed = 0;
        for _ in 0..200 {
            let mut read = stored;
            flip_at_rate(&mut read, rate, &mut random);
            failed += u32::from(decoder.decode_soft(&channel.read(&stored, &read, &mut random)).is_err());
        }
        assert_near(
            failed,
            200,
            FailureCurve::measured(CurveDecoder::SoftMinSum(reads)).codeword_failure(rate),
        );
    }
}
