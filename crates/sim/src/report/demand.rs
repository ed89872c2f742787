//! Load of the measured phase, and detection of overload.
//!
//! # How
//! Offered and completed rates are computed for the arrival period, from the first to the last issue. An open
//! loop is saturated if two conditions are met. First, the requests outstanding at the last issue are a
//! notable share of all requests. Second, either more requests were outstanding in the second half of the
//! arrival period than in the first, or serving the remaining requests took longer than the arrival period.

use schemars::JsonSchema;
use serde::Serialize;
use venice_drive::observe::{Interval, LoadRecord};

use super::quantiles::ratio;
use super::scheduler::{GROWTH, LONG_DRAIN_PCT};

/// Minimum number of requests for a verdict on saturation. Fewer requests that arrive faster than they are
/// served are a burst.
const FEWEST_REQUESTS: u64 = 100;
/// Arrivals and completions of the measured phase.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[schemars(extend("unit" = "requests"))]
pub struct DemandReport {
    /// Requests issued per second, from the first to the last issue; absent in a closed loop, where the drive
    /// determines the issue times.
    pub offered_iops: Option<f64>,
    /// Requests completed per second, from the first to the last issue.
    pub completed_iops: Option<f64>,
    /// Number of requests outstanding after the last issue, including the last one.
    pub backlog: u64,
    /// True if requests arrived faster than the drive served them (overload). Latencies then depend on the
    /// length of the run.
    pub saturated: bool,
    /// Length of an interval of the three lists, in microseconds. The first interval begins with the first
    /// issue.
    pub interval_us: f64,
    /// Number of requests issued in each interval.
    pub issued: Vec<u64>,
    /// Number of requests completed in each interval.
    pub completed: Vec<u64>,
    /// Mean latency of the requests issued in each interval; absent for intervals without any.
    pub mean_latency_us: Vec<Option<f64>>,
}

/// Creates the report of the load. `is_open` is true if all flows are open loops.
pub(super) fn demand_report(load: &LoadRecord, is_open: bool) -> DemandReport {
    let intervals = load.intervals();
    let backlog = load.outstanding_at_last_issue();
    let done = load.requests() - backlog;
    let window_us = load.window().as_us();
    let per_second = |requests: u64| (window_us > 0.0).then(|| requests as f64 / window_us * 1e6);
    DemandReport {
        // The last request ends the arrival period; the gap after it is unknown.
        offered_iops: per_second(load.requests().saturating_sub(1)).filter(|_| is_open),
        completed_iops: per_second(done),
        backlog,
        saturated: is_open && is_saturated(load),
        interval_us: load.length().as_us(),
        issued: intervals.iter().map(|interval| interval.issued).collect(),
        completed: intervals.iter().map(|interval| interval.completed).collect(),
        mean_latency_us: intervals.iter().map(mean_latency_us).collect(),
    }
}

fn is_saturated(load: &LoadRecord) -> bool {
    let share_pct = ratio(load.outstanding_at_last_issue(), load.requests()).unwrap_or(0.0) * 100.0;
    if share_pct <= LONG_DRAIN_PCT || load.requests() < FEWEST_REQUESTS {
        return false;
    }
    // If so, the intervals are too long to compare the two halves.
    load.drain() > load.window() || outstanding_grows(load)
}

/// Returns true if the mean number of outstanding requests was at least 50 % larger in the second half of the
/// arrival period than in the first.
fn outstanding_grows(load: &LoadRecord) -> bool {
    let mut outstanding = 0.0;
    let intervals = load.intervals();
    let ends = intervals[..load.whole_intervals()].iter().map(|interval| {
        outstanding += interval.issued as f64 - interval.completed as f64;
        outstanding
    });
    let ends: Vec<f64> = ends.collect();
    let (first, second) = ends.split_at(ends.len() / 2);
    let mean = |part: &[f64]| part.iter().sum::<f64>() / part.len().max(1) as f64;
    !first.is_empty() && mean(second) > GROWTH * mean(first)
}

fn mean_latency_us(interval: &Interval) -> Option<f64> {
    (interval.issued > 0).then(|| interval.latency_ps as f64 / interval.issued as f64 / 1e6)
}

#[cfg(test)]
mod tests {
    use venice_drive::observe::Probe;
    use venice_kernel::{SimSpan, SimTime};

    use super::*;

    /// Simulates a server that takes `service_us` per request. Requests arrive every `gap_us` and wait for
    /// another `wait_us`.
    fn served(requests: u64, gap_us: u64, service_us: u64, wait_us: impl Fn(u64) -> u64) -> LoadRecord {
        let at = |us: u64| SimTime::ZERO + SimSpan::from_us(us);
        let mut free = 0;
        let mut happenings = Vec::new();
        for n in 0..requests {
            free = free.max(n * gap_us) + service_us;
            happenings.extend([(n * gap_us, true, n), (free + wait_us(n), false, n)]);
        }
        happenings.sort_unstable();
        let mut load = LoadRecord::default();
        for (us, is_issue, n) in happenings {
            if is_issue { load.on_issue(at(us)) } else { load.completed(at(n * gap_us), at(us)) }
        }
        load
    }

    #[test]
    fn a_server_a_tenth_too_slow_is_past_saturation_and_one_a_tenth_too_fast_is_not() {
        let slow = demand_report(&served(10_000, 10, 11, |_| 0), true);
        assert!(slow.saturated);
        assert!((slow.offered_iops.unwrap() - 100_000.0).abs() < 1e-6, "{:?}", slow.offered_iops);
        assert!((slow.completed_iops.unwrap() - 90_909.0).abs() < 20.0, "{:?}", slow.completed_iops);
        assert_eq!(slow.backlog, 10_000 - 9_999 * 10 / 11);
        let fast = demand_report(&served(10_000, 10, 9, |_| 0), true);
        assert!(!fast.saturated);
        assert_eq!(fast.backlog, 1);
    }

    #[test]
    fn what_comes_at_once_is_a_load_from_a_hundred_requests_on() {
        for (requests, saturated) in [(99, false), (100, true), (10_000, true)] {
            assert_eq!(
                demand_report(&served(requests, 1, 100, |_| 0), true).saturated,
                saturated,
                "{requests}"
            );
        }
    }

    #[test]
    fn a_closed_loop_has_no_offered_rate_and_is_never_saturated() {
        let report = demand_report(&served(10_000, 10, 11, |_| 0), false);
        assert_eq!(report.offered_iops, None);
        assert!(!report.saturated);
    }

    #[test]
    fn few_requests_are_not_judged() {
        assert!(!demand_report(&served(4, 1, 1, |_| 0), true).saturated);
        let none = demand_report(&LoadRecord::default(), true);
        assert_eq!((none.offered_iops, none.backlog), (None, 0));
    }
}
