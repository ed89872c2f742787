//! Frame failure rate of each decoder against raw bit errors, as Markdown tables.
//!
//! `cargo run --release -p venice-ecc --example ecc_curves -- [FRAMES [DECODER [ERRORS]]]`
//!
//! Each frame is a codeword of random data with exactly the stated number of uniformly distributed bit
//! errors.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "that is what it is for")]

use std::process::ExitCode;

use venice_ecc::channel::{ExtraReads, SoftChannel, flip_exactly};
use venice_ecc::code::{CODEWORD_BITS, Codeword, DATA_BYTES, encode};
use venice_ecc::decoder::{DecodeResult, HardDecoder, HardDecoderKind, MinSum};
use venice_kernel::RandomStream;

/// Measured combination of decoder and reads.
struct Curve {
    name: &'static str,
    extra: Option<ExtraReads>,
    kind: HardDecoderKind,
    errors: &'static [u32],
}

const CURVES: &[Curve] = &[
    Curve {
        name: "gdbf",
        extra: None,
        kind: HardDecoderKind::Gdbf,
        errors: &[20, 30, 40, 44, 48, 50, 52, 54, 56, 60],
    },
    Curve {
        name: "pgdbf",
        extra: None,
        kind: HardDecoderKind::Pgdbf,
        errors: &[40, 44, 48, 50, 52, 54, 56, 58, 60, 64],
    },
    Curve {
        name: "two_bit",
        extra: None,
        kind: HardDecoderKind::TwoBit,
        errors: &[10, 20, 30, 40, 50, 60, 64, 66, 68, 70, 72, 74, 76, 78, 80, 84, 88, 92],
    },
    Curve {
        name: "min_sum",
        extra: None,
        kind: HardDecoderKind::MinSum,
        errors: &[10, 20, 40, 60, 66, 68, 70, 72, 74, 76, 78, 80, 84, 88, 92, 96],
    },
    Curve {
        name: "min_sum+2",
        extra: Some(ExtraReads::Two),
        kind: HardDecoderKind::MinSum,
        errors: &[20, 72, 100, 120, 126, 130, 134, 138, 142, 146, 150, 156, 162, 168, 174, 180],
    },
    Curve {
        name: "min_sum+6",
        extra: Some(ExtraReads::Six),
        kind: HardDecoderKind::MinSum,
        errors: &[20, 72, 100, 130, 140, 146, 150, 154, 158, 162, 166, 170, 176, 182, 188, 194, 202],
    },
];

/// Numbers of iterations after which the uncorrected frames are counted.
const AFTER: [u32; 5] = [10, 20, 40, 80, 160];

#[derive(Default)]
struct Tally {
    not_after: [u64; AFTER.len()],
    failed: u64,
    undetected: u64,
    iterations: u64,
}

fn random_codeword(random: &mut RandomStream) -> Codeword {
    let mut data = [0; DATA_BYTES];
    for bytes in data.as_chunks_mut::<8>().0 {
        *bytes = random.next_u64().to_le_bytes();
    }
    encode(&data)
}

fn measure(curve: &Curve, errors: u32, frames: u64) -> Tally {
    let mut random = RandomStream::new(u64::from(errors), curve.name);
    let mut hard = curve.kind.build(curve.kind.usual_iterations());
    let mut soft = MinSum::new(MinSum::USUAL_ITERATIONS);
    let channel = curve.extra.map(|extra| SoftChannel::new(f64::from(errors) / CODEWORD_BITS as f64, extra));
    let mut tally = Tally::default();
    for _ in 0..frames {
        let stored = random_codeword(&mut random);
        let mut word = stored;
        flip_exactly(&mut word, errors, &mut random);
        let outcome: DecodeResult = match &channel {
            None => hard.decode(&mut word),
            Some(channel) => {
                soft.decode_soft(&channel.read(&stored, &word, &mut random)).map(|(decoded, outcome)| {
                    word = decoded;
                    outcome
                })
            }
        };
        let corrected_in = outcome.map_or(u32::MAX, |corrected| corrected.iterations);
        for (count, after) in tally.not_after.iter_mut().zip(AFTER) {
            *count += u64::from(corrected_in > after);
        }
        match outcome {
            Ok(corrected) => {
                tally.iterations += u64::from(corrected.iterations);
                tally.undetected += u64::from(word != stored);
            }
            Err(uncorrectable) => {
                tally.iterations += u64::from(uncorrectable.iterations);
                tally.failed += 1;
            }
        }
    }
    tally
}

/// Parses the command line: frames per point, and optionally a single decoder and a single number of errors.
fn arguments() -> Result<(u64, Option<String>, Option<u32>), String> {
    let mut arguments = std::env::args().skip(1);
    let number = |name: &str, text: String| {
        text.parse().map_err(|_| format!("{name} must be a whole number above zero, not `{text}`"))
    };
    let frames = arguments.next().map_or(Ok(2000), |text| number("FRAMES", text))?;
    let decoder = arguments.next();
    let errors = arguments.next().map(|text| number("ERRORS", text)).transpose()?;
    let known = |name: &String| CURVES.iter().any(|curve| curve.name == *name);
    match decoder {
        Some(name) if !known(&name) => {
            let names: Vec<&str> = CURVES.iter().map(|curve| curve.name).collect();
            Err(format!("there is no decoder `{name}`: use one of {}", names.join(", ")))
        }
        decoder => Ok((frames.max(1).into(), decoder, errors)),
    }
}

fn main() -> ExitCode {
    let (frames, only, errors) = match arguments() {
        Ok(arguments) => arguments,
        Err(message) => {
            eprintln!("error: {message}");
            return ExitCode::from(2);
        }
    };
    println!(
        "| decoder | raw errors | frames | failed | rate | undetected | mean iterations | not corrected after 10, 20, 40, 80, 160 |"
    );
    println!("| --- | ---: | ---: | ---: | ---: | ---: | ---: | --- |");
    for curve in CURVES.iter().filter(|curve| only.as_deref().is_none_or(|name| name == curve.name)) {
        let points = errors.as_ref().map_or(curve.errors, std::slice::from_ref);
        for &errors in points {
            let tally = measure(curve, errors, frames);
            let rate = tally.failed as f64 / frames as f64;
            let mean = tally.iterations as f64 / frames as f64;
            println!(
                "| {} | {errors} | {frames} | {} | {rate:.1e} | {} | {mean:.1} | {:?} |",
                curve.name, tally.failed, tally.undetected, tally.not_after
            );
        }
    }
    ExitCode::SUCCESS
}
