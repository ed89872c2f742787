//! Causes of waits for chips, and of waits for space in the data cache.

use std::collections::BTreeMap;

use venice_drive::device::Device;
use venice_drive::observe::{CAUSES, CauseSums, CausedWait, HOST_CAUSES, OpSums, WaitCause};
use venice_fabric::Fabric;
use venice_kernel::SimSpan;
use venice_nand::latency::Stage;

use super::Report;
use super::quantiles::OPERATIONS;

/// Name in reports of the cache's memory access time, which is a part of the latency stage `cache`.
const MEMORY: &str = "memory";

/// Mean times in microseconds, by operation of the request and by cause of the wait.
pub(super) type CauseMeans = BTreeMap<&'static str, BTreeMap<&'static str, f64>>;

impl Report {
    /// Adds the mean waiting times by cause.
    pub fn add_causes(&mut self, device: &Device<dyn Fabric>) {
        let sums = device.recorder().sums();
        let counts = device.recorder().counts();
        let means = |of: &dyn Fn(&OpSums, f64) -> BTreeMap<&'static str, f64>| -> CauseMeans {
            let each = OPERATIONS.into_iter().zip(sums.iter().zip(counts));
            let had_any = each.filter(|(_, (_, count))| *count > 0);
            had_any.map(|(name, (sums, count))| (name, of(sums, 1.0 / count as f64 / 1e6))).collect()
        };
        self.chip_wait_causes_us = Some(means(&|sums, scale| named(&sums.causes.chip_wait, scale)));
        self.cache_causes_us =
            device.meters().cache_counters().map(|_| means(&|sums, scale| cache(sums, scale)));
        self.chip_wait_behind_us = Some(means(&|sums, scale| own_work(&sums.causes, scale)));
    }
}

fn named(sums: &[u128], scale: f64) -> BTreeMap<&'static str, f64> {
    let is_listed = |(cause, sum): &(&(WaitCause, _), &u128)| **sum > 0 || !cause.0.is_rare();
    let listed = CAUSES.iter().zip(sums).filter(is_listed);
    listed.map(|(&(_, name), sum)| (name, *sum as f64 * scale)).collect()
}

/// Returns the time in the latency stage `cache` by cause, multiplied by `scale`: the wait for space by each
/// of its causes, and the rest as access time of the cache's memory.
fn cache(sums: &OpSums, scale: f64) -> BTreeMap<&'static str, f64> {
    let waits = &sums.causes.cache;
    let memory = sums.stage(Stage::Cache) - waits.iter().sum::<u128>();
    named(waits, scale).into_iter().chain([(MEMORY, memory as f64 * scale)]).collect()
}

fn own_work(sums: &CauseSums, scale: f64) -> BTreeMap<&'static str, f64> {
    let both = sums.chip_wait.iter().zip(&sums.cache).map(|(one, other)| one + other);
    let each = CAUSES.iter().zip(both).skip(HOST_CAUSES);
    let each = each.filter(|(cause, sum)| *sum > 0 || !cause.0.is_rare());
    each.map(|(&(_, name), sum)| (name, sum as f64 * scale)).collect()
}

/// Returns the wait of one request for a chip or for cache space by cause, in microseconds.
pub(super) fn of_request(behind: &CausedWait) -> BTreeMap<&'static str, f64> {
    listed_spans(behind).map(|(name, span)| (name, span.as_us())).collect()
}

/// Returns the part of one request's wait that internal operations of the drive caused, by cause, in
/// microseconds.
pub(super) fn own_work_of_request(behind: &CausedWait) -> BTreeMap<&'static str, f64> {
    listed_spans(behind).skip(HOST_CAUSES).map(|(name, span)| (name, span.as_us())).collect()
}

/// Iterates over the causes of a request's wait that reports list.
fn listed_spans(behind: &CausedWait) -> impl Iterator<Item = (&'static str, SimSpan)> {
    let is_listed = |(cause, span): &(&(WaitCause, _), SimSpan)| !span.is_zero() || !cause.0.is_rare();
    CAUSES.iter().zip(behind.spans).filter(is_listed).map(|(&(_, name), span)| (name, span))
}
