//! Prints the characteristics of a real trace for a synthetic stand-in.
//!
//! `fit_workload FILE [MEAN_SIZE_BYTES] [FORMAT]`
//!
//! With a mean size, also prints the trace's size distribution, tilted to that mean, in the format of a
//! workload file.

#![expect(clippy::print_stdout, reason = "that is what it is for")]

use std::error::Error;
use std::path::Path;

use venice_requests::traces::{TraceOptions, open_trace};
use venice_requests::workloads::Fit;

/// Number of sizes in a workload file.
const SIZES: usize = 10;
/// Sum of the weights of the sizes.
const WEIGHTS: f64 = 100_000.0;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let file = arguments.first().ok_or("usage: fit_workload FILE [MEAN_SIZE_BYTES] [FORMAT]")?;
    let options = TraceOptions { format: arguments.get(2).cloned(), ..TraceOptions::default() };
    let fit = Fit::of(&mut *open_trace(Path::new(file), &options)?)?;
    show(&fit);
    if let Some(bytes) = arguments.get(1) {
        show_sizes(&fit, bytes.parse()?);
    }
    Ok(())
}

fn show(fit: &Fit) {
    println!("requests            {}", fit.requests);
    println!("read_pct            {:.2}", fit.read_ratio * 100.0);
    println!(
        "mean gap            {:.3} us, coefficient of variation {:.2}",
        fit.mean_gap_us, fit.gap_variation
    );
    if let Some(gaps) = fit.gaps {
        println!(
            "hyperexponential    long_pct = {:.2}, short_mean_pct = {:.3}",
            gaps.long_ratio * 100.0,
            gaps.short_mean * 100.0
        );
    }
    println!("run_requests        {:.2}", fit.run_requests);
    println!("align_offset_bytes  {} ({:.1} % of starts)", fit.offset.0 * 512, fit.offset.1 * 100.0);
    println!("zipf theta          {:.2} over {} places", fit.theta, fit.places);
}

fn show_sizes(fit: &Fit, mean_bytes: f64) {
    for (sectors, share) in fit.sizes_with_mean(mean_bytes / 512.0, SIZES) {
        let weight = (share * WEIGHTS).round() as u32;
        if weight > 0 {
            println!("    {{ bytes = {}, weight = {weight} }},", sectors * 512);
        }
    }
}
