//! Comparison of the tables of failure probabilities with the functional decoders.

use venice_ecc::channel::{ExtraReads, SoftChannel, flip_at_rate};
use venice_ecc::code::{CODEWORD_BITS, Codeword, DATA_BYTES, encode};
use venice_ecc::curve::{CurveDecoder, FailureCurve};
use venice_ecc::decoder::{HardDecoder, MinSum};
use venice_ecc::failure_table::FailureTable;
use venice_kernel::RandomStream;

/// Number of codewords that are decoded for each rate.
const FRAMES: u32 = 2_000;

/// Returns the share of failed codewords, the probability of the table, and three standard errors of the share.
fn compare(decoder: CurveDecoder, mean_errors: f64, mut fails: impl FnMut(f64) -> bool) -> (f64, f64, f64) {
    let rate = mean_errors / CODEWORD_BITS as f64;
    let failed = (0..FRAMES).filter(|_| fails(rate)).count() as f64 / f64::from(FRAMES);
    let p = FailureTable::new(FailureCurve::measured(decoder)).codeword_failure(rate);
    (failed, p, 3.0 * (p * (1.0 - p) / f64::from(FRAMES)).sqrt())
}

/// Returns a codeword as read at a raw bit error rate, and the codeword itself.
fn read(rate: f64, random: &mut RandomStream) -> (Codeword, Codeword) {
    let stored = encode(&[0x24; DATA_BYTES]);
    let mut read = stored;
    flip_at_rate(&mut read, rate, random);
    (read, stored)
}

#[test]
fn hard_decoding_fails_as_often_as_the_table_says() {
    let (mut decoder, mut random) = (MinSum::new(MinSum::USUAL_ITERATIONS), RandomStream::new(3, "frames"));
    for mean_errors in [66.0, 75.0, 84.0] {
        let (failed, p, slack) = compare(CurveDecoder::MinSum, mean_errors, |rate| {
            decoder.decode(&mut read(rate, &mut random).0).is_err()
        });
        assert!((failed - p).abs() <= slack, "{mean_errors} errors: {failed}, expected {p} ± {slack}");
    }
}

/// The curve was measured with words whose noise corresponds to their number of errors. At a given noise,
/// words with more errors than the mean have less noise than the curve assumes, and fail more rarely.
#[test]
fn table_of_soft_decoding_is_pessimistic_by_at_most_five_percentage_points() {
    let (mut decoder, mut random) = (MinSum::new(MinSum::USUAL_ITERATIONS), RandomStream::new(4, "frames"));
    for (reads, mean_errors) in [(ExtraReads::Two, 152.0), (ExtraReads::Six, 172.0)] {
        let (failed, p, slack) = compare(CurveDecoder::SoftMinSum(reads), mean_errors, |rate| {
            let channel = SoftChannel::new(rate, reads);
            let (read, stored) = read(rate, &mut random);
            decoder.decode_soft(&channel.read(&stored, &read, &mut random)).is_err()
        });
        let is_near = failed <= p + slack && failed >= p - 0.05 - slack;
        assert!(is_near, "{reads:?}, {mean_errors} errors: {failed}, table {p} ± {slack}");
    }
}
