//! Writes a cycle-by-cycle log of the simulator's cycle-level mode, as a reference for another implementation
//! of the router: `venice_rtl traffic|recorded|figure8|decisions OPTION=VALUE...`.
//!
//! Format and options are described in `docs/models/venice-rtl.md`.

#![expect(clippy::print_stderr, reason = "that is what it is for")]

mod decisions;
mod jobs;
mod lockstep;
mod options;

use std::error::Error;
use std::io::{BufWriter, Write, stdout};
use std::process::ExitCode;

use options::Options;
use venice_nand::geometry::Array;

fn main() -> ExitCode {
    match write(&mut BufWriter::new(stdout().lock())) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

fn write(out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let what = arguments.next().unwrap_or_default();
    let mut options = Options::of(arguments)?;
    if what == "figure8" {
        options.array = Array { rows: 4, cols: 5 };
    }
    match what.as_str() {
        "traffic" => lockstep::run(&options, jobs::random(&options), out)?,
        "recorded" => lockstep::run(&options, jobs::recorded(&options)?, out)?,
        "figure8" => lockstep::figure_8(&options, out)?,
        "decisions" => decisions::write(out)?,
        _ => return Err("usage: venice_rtl traffic|recorded|figure8|decisions OPTION=VALUE...".into()),
    }
    Ok(out.flush()?)
}
