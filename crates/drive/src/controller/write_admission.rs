//! Rate limit of the writes that the drive accepts.
//!
//! # What it models
//! The firmware of real drives slows writes down before the write buffer is full, so that garbage collection
//! keeps up. A token bucket decides when a write enters the data cache or the flash translation layer: it
//! holds at most `controller.write_admission_burst` tokens and gains one token in each
//! `controller.write_admission_unit_ns`. A write takes a token for each mapping unit that it touches, and
//! waits until the bucket has enough of them. Writes are admitted in order.
//!
//! A write that touches more units than the bucket holds waits for the missing tokens as well.
//!
//! # Equations
//! With one token, Poisson arrivals and writes of one unit, the wait is that of an M/D/1 queue with service
//! time D, the time for one token. With B tokens it is max(0, W - (B - 1) D), where W is the wait of the
//! M/D/1 queue.
//!
//! # How
//! The generic cell rate algorithm: the state is the instant at which the bucket will be full.
//!
//! # Source
//! Virtual scheduling algorithm of ITU-T I.371.
//!
//! # Parameters
//! `controller.write_admission_unit_ns`, `controller.write_admission_burst`

use std::ops::Sub;

use venice_kernel::{SimSpan, SimTime};
use venice_params::{declare, number, whole};

/// Maximum number of tokens.
const MOST_TOKENS: u64 = 1 << 30;

declare! {
    /// Parameters of the rate limit of writes.
    pub struct AdmissionParameters in "controller." {
        /// Time after which the drive admits one further mapping unit of a write; 0: no limit.
        ///
        /// Its inverse is the drive's maximum rate of writes. It has an effect only with `cores` above 0.
        write_admission_unit as write_admission_unit_ns: SimSpan = number(0.0, 1e9), unit "ns", default "0",
            source "ours: no limit; 13.07 µs for the Samsung PM9A3, from its 76,500 writes/s (SSD-iq, VLDB 2025)";
        /// Mapping units of writes that the drive admits at once after a pause.
        write_admission_burst: u32 = whole(1, MOST_TOKENS), unit "units", default "1",
            source "assumed";
    }
}

/// Counters of writes that passed the rate limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AdmissionCounters {
    /// Number of writes.
    pub writes: u64,
    /// Number of writes that waited.
    pub delayed: u64,
    /// Sum of the waits, in picoseconds.
    pub wait_ps: u128,
}

impl Sub for AdmissionCounters {
    type Output = Self;

    fn sub(self, earlier: Self) -> Self {
        Self {
            writes: self.writes - earlier.writes,
            delayed: self.delayed - earlier.delayed,
            wait_ps: self.wait_ps - earlier.wait_ps,
        }
    }
}

/// Token bucket of the writes that the drive accepts.
#[derive(Clone, Debug)]
pub struct WriteAdmission {
    /// Time for one token.
    unit: SimSpan,
    /// Time for as many tokens as the bucket holds.
    burst: SimSpan,
    /// Instant at which the bucket will be full unless a further write takes tokens.
    full_at: SimTime,
    counters: AdmissionCounters,
}

impl WriteAdmission {
    /// Creates a full bucket. Returns `None` for a drive without the limit.
    pub fn new(parameters: &AdmissionParameters) -> Option<Self> {
        let unit = parameters.write_admission_unit;
        (!unit.is_zero()).then(|| Self {
            unit,
            burst: unit * u64::from(parameters.write_admission_burst),
            full_at: SimTime::ZERO,
            counters: AdmissionCounters::default(),
        })
    }

    /// Takes the tokens of a write that touches `units` mapping units and arrives at `at`. Returns the instant
    /// of its admission.
    pub fn admit(&mut self, units: u64, at: SimTime) -> SimTime {
        self.full_at = self.full_at.max(at) + self.unit * units;
        let wait = self.full_at.since(at).saturating_sub(self.burst);
        self.counters.writes += 1;
        self.counters.delayed += u64::from(!wait.is_zero());
        self.counters.wait_ps += u128::from(wait.as_ps());
        at + wait
    }

    /// Returns the counters.
    pub fn counters(&self) -> &AdmissionCounters {
        &self.counters
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bucket(unit_ps: u64, burst: u32) -> WriteAdmission {
        let parameters = AdmissionParameters {
            write_admission_unit: SimSpan::from_ps(unit_ps),
            write_admission_burst: burst,
        };
        WriteAdmission::new(&parameters).expect("a drive with the limit")
    }

    fn admits(bucket: &mut WriteAdmission, units: u64, at: u64) -> u64 {
        bucket.admit(units, SimTime::from_ps(at)).as_ps()
    }

    #[test]
    fn writes_beyond_the_burst_are_admitted_at_the_rate_of_tokens() {
        let mut bucket = bucket(10, 3);
        assert_eq!([0; 6].map(|at| admits(&mut bucket, 1, at)), [0, 0, 0, 10, 20, 30]);
        assert_eq!(
            (bucket.counters().writes, bucket.counters().delayed, bucket.counters().wait_ps),
            (6, 3, 60)
        );
    }

    #[test]
    fn pause_refills_the_bucket_up_to_its_size() {
        let mut bucket = bucket(10, 2);
        assert_eq!([0, 0, 0].map(|at| admits(&mut bucket, 1, at)), [0, 0, 10]);
        // At 25 one and a half tokens are there.
        assert_eq!([25, 25].map(|at| admits(&mut bucket, 1, at)), [25, 30]);
        assert_eq!([1000, 1000, 1000].map(|at| admits(&mut bucket, 1, at)), [1000, 1000, 1010]);
    }

    #[test]
    fn long_write_takes_a_token_for_each_unit() {
        let mut bucket = bucket(10, 4);
        assert_eq!(
            [(4, 0), (2, 0), (7, 1000)].map(|(units, at)| admits(&mut bucket, units, at)),
            [0, 20, 1030]
        );
    }

    #[test]
    fn drive_without_the_limit_has_no_bucket() {
        assert!(WriteAdmission::new(&AdmissionParameters::default()).is_none());
    }
}
