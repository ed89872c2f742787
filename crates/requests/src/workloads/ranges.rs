//! Accepted ranges of the numbers in a definition, for the validation and for the schema.

use std::ops::RangeInclusive;

use crate::request::{MOST_PATTERN_SETS, MOST_RANGES};

/// Accepted numbers of requests of a workload.
pub(super) const REQUESTS: RangeInclusive<u64> = 1..=1_000_000_000_000;
/// Accepted shares, in %.
pub(super) const PCT: RangeInclusive<f64> = 0.0..=100.0;
/// Accepted sizes of a request or of an alignment, in bytes.
pub(super) const REQUEST_BYTES: RangeInclusive<u64> = 512..=67_108_864;
/// Accepted weights of lengths.
pub(super) const WEIGHT: RangeInclusive<u32> = 1..=1_000_000;
/// Accepted numbers of strata.
pub(super) const STRATA: RangeInclusive<u32> = 2..=1_000_000;
/// Accepted numbers of latest writes, among which reads repeat one.
pub(super) const WITHIN_WRITES: RangeInclusive<u32> = 1..=65_536;
/// Accepted numbers of writes between flushes.
pub(super) const FLUSH_EVERY: RangeInclusive<u32> = 0..=1_000_000_000;
/// Accepted numbers of ranges of a trim.
pub(super) const TRIM_RANGES: RangeInclusive<u32> = 1..=MOST_RANGES;
/// Accepted numbers of pattern sets.
pub(super) const PATTERN_SET: RangeInclusive<u32> = 0..=MOST_PATTERN_SETS - 1;
/// Accepted numbers of outstanding requests.
pub(super) const OUTSTANDING: RangeInclusive<u32> = 1..=65_536;
/// Accepted start and stop times of a flow, in µs.
pub(super) const ENDS_US: RangeInclusive<f64> = 0.0..=1e12;
/// Accepted think times, in µs.
pub(super) const THINK_US: RangeInclusive<f64> = 0.0..=1e9;
/// Accepted lengths of gaps, bursts and pauses, in µs.
pub(super) const SPAN_US: RangeInclusive<f64> = 1e-3..=1e9;
/// Accepted mean numbers of requests in a sequential run.
pub(super) const RUN_REQUESTS: RangeInclusive<f64> = 1.0..=1e6;
/// Accepted exponents of the Zipf distribution.
pub(super) const THETA: RangeInclusive<f64> = 0.01..=5.0;
/// Accepted shares h of the self-similar distribution.
pub(super) const PARETO_H: RangeInclusive<f64> = 0.001..=0.999;
/// Accepted exponents of the Pareto distribution; the mean exists only above 1.
pub(super) const PARETO_SHAPE: RangeInclusive<f64> = 1.01..=100.0;
/// Accepted numbers of flows of a mix.
pub(super) const FLOWS: RangeInclusive<usize> = 2..=64;
