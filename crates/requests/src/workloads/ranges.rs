//! What numbers a definition may have: `checks` refuses others, and the schema says the same.

use std::ops::RangeInclusive;

/// Requests of a workload.
pub(super) const REQUESTS: RangeInclusive<u64> = 1..=1_000_000_000_000;
/// Shares, in per cent.
pub(super) const PCT: RangeInclusive<f64> = 0.0..=100.0;
/// Bytes of a request, and of an alignment.
pub(super) const REQUEST_BYTES: RangeInclusive<u64> = 512..=67_108_864;
/// Weights of lengths.
pub(super) const WEIGHT: RangeInclusive<u32> = 1..=1_000_000;
/// Strata of draws.
pub(super) const STRATA: RangeInclusive<u32> = 2..=1_000_000;
/// Writes that reads go back to.
pub(super) const WITHIN_WRITES: RangeInclusive<u32> = 1..=65_536;
/// Requests outstanding.
pub(super) const OUTSTANDING: RangeInclusive<u32> = 1..=65_536;
/// When a flow begins and ends, in µs.
pub(super) const ENDS_US: RangeInclusive<f64> = 0.0..=1e12;
/// Thinking, in µs.
pub(super) const THINK_US: RangeInclusive<f64> = 0.0..=1e9;
/// Gaps, bursts and pauses, in µs.
pub(super) const SPAN_US: RangeInclusive<f64> = 1e-3..=1e9;
/// Requests in a sequential run.
pub(super) const RUN_REQUESTS: RangeInclusive<f64> = 1.0..=1e6;
/// Zipf's exponent.
pub(super) const THETA: RangeInclusive<f64> = 0.01..=5.0;
/// The share of the self-similar law.
pub(super) const PARETO_H: RangeInclusive<f64> = 0.001..=0.999;
/// Pareto's exponent; above 1, that there be a mean.
pub(super) const PARETO_SHAPE: RangeInclusive<f64> = 1.01..=100.0;
/// Flows of a mix.
pub(super) const FLOWS: RangeInclusive<usize> = 2..=64;
