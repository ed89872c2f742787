//! Program that runs a drive with policies of the catalogue and with each policy of this crate:
//! `venice-extensions TRACE|WORKLOAD OUT.json [KEY=VALUE…]`. KEYs are parameters of the drive. The output has
//! the format of `venice compare --json`.

#![allow(clippy::print_stdout, reason = "the program prints its results")]

use std::env;
use std::fs;

use venice_config as config;
use venice_extensions::{ExtendedReport, OldestFirst, Outcome, ShortestFirst, TwoBuses, run};
use venice_kernel::SimSpan;
use venice_sim::assembly::ExternalPolicies;

const REQUESTS: u64 = 20_000;

fn main() -> Outcome<()> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [requests, out, sets @ ..] = &arguments[..] else {
        return Err("give a trace or a workload, a file for the reports, and KEY=VALUE of the drive".into());
    };
    let reports = compare(requests, sets)?;
    for ExtendedReport { report, .. } in &reports {
        let scheduler = report.scheduler.as_ref().map_or("none", |scheduler| &scheduler.scheme);
        let mean = report.latency_us.all.mean.unwrap_or_default();
        println!("{:10} {scheduler:20} mean {mean:10.1} µs", report.fabric);
    }
    fs::write(out, serde_json::to_string(&reports)?)?;
    Ok(())
}

/// Runs the drive with policies of the catalogue, with the fabric and the victim policy of this crate, and
/// with its host scheduler at three values of `patience`.
fn compare(requests: &str, sets: &[String]) -> Outcome<Vec<ExtendedReport>> {
    let queued = ["host.scheduler.scheme=noop".to_owned()];
    let sets: Vec<String> = queued.iter().chain(sets).cloned().collect();
    let drive = config::load("venice-performance", None, &sets, None)?;
    let mut reports = vec![
        run(&drive, ExternalPolicies::default(), requests, REQUESTS)?,
        run(&drive, ExternalPolicies::default().fabric("two_buses", TwoBuses::new), requests, REQUESTS)?,
        run(
            &drive,
            ExternalPolicies::default().victim("oldest_first", |_, _| OldestFirst::new(8)),
            requests,
            REQUESTS,
        )?,
    ];
    for patience_us in [100, 1_000, 10_000] {
        let name = format!("shortest_first_{patience_us}");
        let external = ExternalPolicies::default()
            .host_scheduler(&name, move |_| ShortestFirst::new(SimSpan::from_us(patience_us)));
        reports.push(run(&drive, external, requests, REQUESTS)?);
    }
    Ok(reports)
}
