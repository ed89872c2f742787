//! Mixes: several concurrent workloads, each with its own queue and its own part of the drive.
//!
//! # What it models
//!
//! Several applications share a drive, as in Table 3 of the Venice paper.
//!
//! # How
//!
//! Each flow has a queue and an equal part of the drive. With `mean_gap_us`, the rates of all flows are
//! scaled by a common factor to the given mean gap. This preserves the ratios between the rates, and
//! therefore the read share and the mean size of the mix. Requests are divided in proportion to the rates, so
//! that the flows end at about the same time.
//!
//! # What is left out
//!
//! Flows have no priorities and share no addresses.
//!
//! # Source
//!
//! Nadig et al., "Venice", ISCA 2023, Table 3, for the mixes among the presets. The paper does not describe
//! their construction.
//!
//! # Parameters
//!
//! `flows`, `mean_gap_us`, `requests`.

use venice_kernel::SimSpan;

use super::checks::{self, ALWAYS_SYNTHETIC};
use super::definition::MixDefinition;
use super::error::WorkloadError;
use super::fault::ValueFault;
use super::layers::LayeredDefinition;
use super::ranges::{FLOWS, REQUESTS, SPAN_US};
use super::spec::{Bursts, OpenLoop, Pacing, WorkloadSpec};
use super::workload::{DrivePart, FlowSpec, Workload, apportioned};

/// Period to which request rates refer, in picoseconds.
const RATE_SPAN_PS: f64 = 1e18;

/// Validates a mix and its flows, and converts them to a workload.
pub(super) fn checked(definition: &LayeredDefinition) -> Result<Workload, WorkloadError> {
    let raw: MixDefinition = definition.parse()?;
    let label = definition.label.as_str();
    let faults = faults(&raw);
    if !faults.is_empty() {
        return Err(definition.out_of_range(faults));
    }
    let flows = (1..).zip(&raw.flows).map(|(number, flow)| checks::checked(&definition.flow(flow, number)?));
    let mut specs = flows.collect::<Result<Vec<_>, _>>()?;
    if let Some(mean_gap_us) = raw.mean_gap_us {
        specs = paced(specs, mean_gap_us).map_err(|fault| definition.out_of_range(vec![fault]))?;
    }
    Ok(Workload::of_flows(label, &raw.description, &raw.source, numbered(label, specs, raw.requests)))
}

/// Returns the values of a mix that are out of range.
fn faults(raw: &MixDefinition) -> Vec<ValueFault> {
    let gap = raw.mean_gap_us;
    let checks = [
        ("synthetic", raw.synthetic, raw.synthetic.to_string(), ALWAYS_SYNTHETIC),
        (
            "flows",
            FLOWS.contains(&raw.flows.len()),
            format!("a list of {}", raw.flows.len()),
            "a list of 2 to 64 workloads",
        ),
        ("requests", REQUESTS.contains(&raw.requests), raw.requests.to_string(), "from 1 to 10^12"),
        (
            "mean_gap_us",
            gap.is_none_or(|us| SPAN_US.contains(&us)),
            gap.unwrap_or_default().to_string(),
            "from 0.001 to 1000000000 (1000 s)",
        ),
    ];
    let wrong = checks.into_iter().filter(|(_, holds, ..)| !holds);
    wrong.map(|(key, _, found, expected)| ValueFault { key, found, expected }).collect()
}

/// Returns the flows with their rates scaled, so that all flows together have the given mean gap.
fn paced(specs: Vec<WorkloadSpec>, mean_gap_us: f64) -> Result<Vec<WorkloadSpec>, ValueFault> {
    let rates: Option<Vec<f64>> = specs.iter().map(rate).collect();
    let Some(rates) = rates else {
        let expected = "absent, since one of the flows is a closed loop, which has no gaps";
        return Err(ValueFault { key: "mean_gap_us", found: mean_gap_us.to_string(), expected });
    };
    let stretch = mean_gap_us * 1e6 * rates.iter().sum::<f64>() / RATE_SPAN_PS;
    Ok(specs.into_iter().map(|spec| stretched(spec, stretch)).collect())
}

/// Returns the flows of a mix with their queues. Each has its share of the requests and its part of the
/// drive.
fn numbered(label: &str, specs: Vec<WorkloadSpec>, requests: u64) -> Vec<FlowSpec> {
    let of = specs.len() as u32;
    let rates: Vec<u64> = specs.iter().map(|spec| rate(spec).map_or(1, |rate| rate as u64)).collect();
    let shares = apportioned(requests, &rates, rates.iter().sum());
    let numbered = specs.into_iter().zip(shares).zip(0..);
    numbered
        .map(|((spec, share), number)| {
            let label = format!("{label}/{}", spec.label);
            let spec = WorkloadSpec { label, ..spec.with_requests(share) };
            FlowSpec { spec, space: DrivePart::Part { number, of }, queue: number as u16 }
        })
        .collect()
}

/// Returns the number of requests per [`RATE_SPAN_PS`]; `None` for a closed loop.
fn rate(spec: &WorkloadSpec) -> Option<f64> {
    match spec.pacing {
        Pacing::OpenLoop(open_loop) => Some(RATE_SPAN_PS / open_loop.mean_gap.as_ps() as f64),
        Pacing::ClosedLoop { .. } => None,
    }
}

/// Returns a copy of an open-loop workload whose durations are multiplied by `factor`.
fn stretched(spec: WorkloadSpec, factor: f64) -> WorkloadSpec {
    let Pacing::OpenLoop(open_loop) = spec.pacing else { return spec };
    let span = |span: SimSpan| SimSpan::from_ps((span.as_ps() as f64 * factor).round().max(1.0) as u64);
    let bursts =
        open_loop.bursts.map(|bursts| Bursts { on: span(bursts.on), off: span(bursts.off), ..bursts });
    let open_loop = OpenLoop { mean_gap: span(open_loop.mean_gap), bursts, ..open_loop };
    WorkloadSpec { pacing: Pacing::OpenLoop(open_loop), ..spec }
}
