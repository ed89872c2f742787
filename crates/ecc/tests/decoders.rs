//! Contract of the decoders, and their frame failure rates with few frames.
//!
//! `examples/ecc_curves.rs` measures the complete curves.

use venice_ecc::channel::{ExtraReads, SoftChannel, flip_exactly};
use venice_ecc::code::{BLOCK_ROWS, CODEWORD_BITS, Codeword, DATA_BYTES, encode, syndrome};
use venice_ecc::decoder::{
    CorrectionStats, DecodeFailure, DecodeResult, HardDecoder, HardDecoderKind, MinSum, TwoBit,
};
use venice_kernel::RandomStream;

fn random_codeword(random: &mut RandomStream) -> Codeword {
    let mut data = [0; DATA_BYTES];
    data.fill_with(|| random.next_u64() as u8);
    encode(&data)
}

/// Returns how many of `frames` frames with `errors` errors each `decode` fails to correct. Asserts that none
/// is miscorrected.
fn failures(
    frames: u32,
    errors: u32,
    mut decode: impl FnMut(&Codeword, &mut Codeword, &mut RandomStream) -> DecodeResult,
) -> u32 {
    let mut random = RandomStream::new(u64::from(errors), "decoders");
    let mut failed = 0;
    for _ in 0..frames {
        let stored = random_codeword(&mut random);
        let mut read = stored;
        flip_exactly(&mut read, errors, &mut random);
        let before = read;
        if let Ok(corrected) = decode(&stored, &mut read, &mut random) {
            assert_eq!(read, stored, "miscorrected");
            assert_eq!(corrected.flips, errors);
        } else {
            assert_eq!(read, before, "a word that is not corrected stays as it was read");
            failed += 1;
        }
    }
    failed
}

fn hard_failures(kind: HardDecoderKind, frames: u32, errors: u32) -> u32 {
    let mut decoder = kind.build(kind.usual_iterations());
    failures(frames, errors, |_, word, _| decoder.decode(word))
}

fn soft_failures(reads: ExtraReads, frames: u32, errors: u32) -> u32 {
    let mut decoder = MinSum::new(MinSum::USUAL_ITERATIONS);
    let channel = SoftChannel::new(f64::from(errors) / CODEWORD_BITS as f64, reads);
    failures(frames, errors, |stored, word, random| {
        let (decoded, corrected) = decoder.decode_soft(&channel.read(stored, word, random))?;
        *word = decoded;
        Ok(corrected)
    })
}

#[test]
fn a_codeword_takes_no_iteration_and_every_few_errors_are_corrected_by_every_decoder() {
    for &kind in HardDecoderKind::ALL {
        let mut word = encode(&[0x11; DATA_BYTES]);
        let outcome = kind.build(0).decode(&mut word);
        assert_eq!(outcome, Ok(CorrectionStats { flips: 0, iterations: 0 }), "{kind:?}");
        for errors in [1, 2, 3, 5, 8] {
            assert_eq!(hard_failures(kind, 100, errors), 0, "{kind:?} at {errors}");
        }
    }
}

#[test]
fn a_decoder_stops_at_its_limit_and_leaves_the_word_as_it_was_read() {
    for &kind in HardDecoderKind::ALL {
        for limit in [0, 1, 7] {
            let mut word = encode(&[0xee; DATA_BYTES]);
            flip_exactly(&mut word, 200, &mut RandomStream::new(9, "test"));
            let read = word;
            assert_eq!(
                kind.build(limit).decode(&mut word),
                Err(DecodeFailure { iterations: limit }),
                "{kind:?}"
            );
            assert_eq!(word, read, "{kind:?}");
        }
    }
}

#[test]
fn the_outcome_depends_on_the_word_alone() {
    let mut random = RandomStream::new(11, "test");
    for &kind in HardDecoderKind::ALL {
        let mut worn = kind.build(kind.usual_iterations());
        for _ in 0..20 {
            let mut word = random_codeword(&mut random);
            flip_exactly(&mut word, 58, &mut random);
            let mut again = word;
            let outcome = worn.decode(&mut word);
            assert_eq!(kind.build(kind.usual_iterations()).decode(&mut again), outcome);
            assert_eq!(again, word);
        }
    }
}

#[test]
fn what_is_corrected_satisfies_every_check() {
    let mut random = RandomStream::new(12, "test");
    for &kind in HardDecoderKind::ALL {
        let mut decoder = kind.build(kind.usual_iterations());
        for errors in [30, 50, 70, 90, 300] {
            let mut word = random_codeword(&mut random);
            flip_exactly(&mut word, errors, &mut random);
            if decoder.decode(&mut word).is_ok() {
                assert_eq!(syndrome(&word), [0; BLOCK_ROWS]);
            }
        }
    }
}

#[test]
fn the_decoder_of_the_chip_reaches_72_errors() {
    // The measured failure rates are below 1e-5, 8e-4 and 3e-3. With 2,000 frames, the bounds are exceeded
    // with probability 0.001.
    for (errors, most) in [(60, 0), (70, 7), (72, 16)] {
        let failed = hard_failures(HardDecoderKind::TwoBit, 2000, errors);
        assert!(failed <= most, "{failed} of 2000 at {errors} errors");
    }
    assert!(hard_failures(HardDecoderKind::TwoBit, 200, 84) > 100, "84 errors are too many");
}

#[test]
fn the_cited_decoders_do_not_reach_72_errors() {
    for kind in [HardDecoderKind::Gdbf, HardDecoderKind::Pgdbf] {
        let failed = hard_failures(kind, 100, 72);
        assert!(failed > 50, "{kind:?}: {failed} of 100");
    }
    assert!(hard_failures(HardDecoderKind::Pgdbf, 500, 50) <= 5);
}

#[test]
fn the_decoder_of_the_controller_reaches_72_errors_in_a_hard_read() {
    let failed = hard_failures(HardDecoderKind::MinSum, 1000, 72);
    assert!(failed <= 5, "{failed} of 1000");
}

#[test]
fn soft_reads_reach_130_and_150_errors() {
    for (reads, errors) in [(ExtraReads::Two, 130), (ExtraReads::Six, 150)] {
        let failed = soft_failures(reads, 500, errors);
        assert!(failed <= 5, "{failed} of 500 at {errors} errors after {} extra reads", reads.count());
    }
    assert!(soft_failures(ExtraReads::Two, 60, 190) > 50, "190 errors are too many for two extra reads");
}

#[test]
fn few_errors_take_few_iterations() {
    let mut decoder = TwoBit::new(TwoBit::USUAL_ITERATIONS);
    let mut sum = 0;
    failures(500, 40, |_, word, _| {
        let outcome = decoder.decode(word);
        sum += outcome.map_or(0, |corrected| corrected.iterations);
        outcome
    });
    // The measured mean is 3.7 iterations.
    assert!((3.4..4.0).contains(&(f64::from(sum) / 500.0)), "{sum} in 500 frames");
}
