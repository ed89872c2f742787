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
//! Some drives stop accepting writes for some milliseconds at regular intervals. After each
//! `controller.write_pause_interval` admitted writes, a pause of `controller.write_pause_us` begins, in which
//! the drive admits `controller.write_pause_buffer` writes. Further writes wait until the pause ends.
//!
//! # Equations
//! Let D be the time for one token. With a bucket of one token, Poisson arrivals and writes of one unit, the
//! waiting time W is that of an M/D/1 queue with service time D. With a bucket of B tokens, the waiting time
//! is max(0, W - (B - 1) D).
//!
//! Let each pause have length T, start after every N writes, and admit M writes. Then the writes of a steady
//! stream with rate λ wait at most L = T - M/λ, and L² λ / 2N on average.
//!
//! # How
//! The generic cell rate algorithm is used. Its state is the instant at which the bucket will be full.
//!
//! # Source
//! Virtual scheduling algorithm of ITU-T I.371.
//!
//! # Parameters
//! `controller.write_admission_unit_ns`, `controller.write_admission_burst`,
//! `controller.write_pause_interval`, `controller.write_pause_us`, `controller.write_pause_buffer`

use std::ops::Sub;

use venice_kernel::{SimSpan, SimTime};
use venice_params::{declare, number, whole};

/// Maximum number of tokens.
const MOST_TOKENS: u64 = 1 << 30;

declare! {
    /// Parameters of the rate limit of writes.
    pub struct AdmissionParameters in "controller." {
        /// Minimum mean time between the admissions of two mapping units of writes by the drive; 0: no limit.
        ///
        /// The inverse of this time is the drive's maximum write rate. Effective only with `cores` above 0.
        write_admission_unit as write_admission_unit_ns: SimSpan = number(0.0, 1e9), unit "ns", default "0",
            source "ours: no limit; 13.07 µs for the Samsung PM9A3, from its 76,500 writes/s (SSD-iq, VLDB 2025)";
        /// Maximum number of mapping units of writes that the drive admits at once, after a time without
        /// writes.
        write_admission_burst: u32 = whole(1, MOST_TOKENS), unit "units", default "1",
            source "assumed";
        /// Number of writes from the start of one write pause to the start of the next; 0: no pauses.
        write_pause_interval: u64 = whole(0, 1 << 40), unit "commands", default "0", source "ours: no pauses";
        /// Length of a write pause, during which the drive admits at most `write_pause_buffer` writes.
        write_pause as write_pause_us: SimSpan = number(0.0, 1e6), unit "µs", default "0", source "assumed";
        /// Maximum number of writes that the drive admits during a write pause.
        write_pause_buffer: u64 = whole(0, 1 << 40), unit "commands", default "0", source "assumed";
    }
}

/// Number of writes that passed the rate limit, with their waiting time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AdmissionCounters {
    /// Number of writes.
    pub writes: u64,
    /// Number of writes that had to wait.
    pub delayed: u64,
    /// Total time that writes waited for their admission, in picoseconds.
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
struct TokenBucket {
    /// Time for one token.
    unit: SimSpan,
    /// Time to fill an empty bucket.
    burst: SimSpan,
    /// Instant at which the bucket will be full if no further write takes tokens.
    full_at: SimTime,
}

impl TokenBucket {
    /// Creates a full bucket. Returns `None` for a drive without a token bucket.
    fn new(parameters: &AdmissionParameters) -> Option<Self> {
        let unit = parameters.write_admission_unit;
        let burst = unit * u64::from(parameters.write_admission_burst);
        (!unit.is_zero()).then_some(Self { unit, burst, full_at: SimTime::ZERO })
    }

    /// Takes the tokens for a write of `units` mapping units that arrives at `at`. Returns the instant at
    /// which the bucket has enough tokens.
    fn admit(&mut self, units: u64, at: SimTime) -> SimTime {
        self.full_at = self.full_at.max(at) + self.unit * units;
        at + self.full_at.since(at).saturating_sub(self.burst)
    }
}

/// Regular pauses in which the drive accepts only a few writes.
#[derive(Clone, Debug)]
struct WritePauses {
    /// Number of writes from the start of one pause to the start of the next.
    interval: u64,
    length: SimSpan,
    /// Number of writes that are admitted in a pause.
    buffer: u64,
    /// Number of writes until the next pause begins.
    until_next: u64,
    /// End of the latest pause.
    end: SimTime,
    /// Number of writes that can still be admitted in the latest pause.
    room: u64,
}

impl WritePauses {
    /// Creates the state before the first pause. Returns `None` for a drive without pauses.
    fn new(parameters: &AdmissionParameters) -> Option<Self> {
        let interval = parameters.write_pause_interval;
        (interval > 0).then_some(Self {
            interval,
            length: parameters.write_pause,
            buffer: parameters.write_pause_buffer,
            until_next: interval,
            end: SimTime::ZERO,
            room: 0,
        })
    }

    /// Returns the instant at which a write that arrives at `at` is admitted.
    fn admit(&mut self, at: SimTime) -> SimTime {
        let admitted = if at >= self.end {
            at
        } else if self.room > 0 {
            self.room -= 1;
            at
        } else {
            self.end
        };
        self.until_next -= 1;
        if self.until_next == 0 {
            (self.until_next, self.end, self.room) = (self.interval, admitted + self.length, self.buffer);
        }
        admitted
    }
}

/// Rate limit of writes: a token bucket and regular pauses.
#[derive(Clone, Debug)]
pub struct WriteAdmission {
    bucket: Option<TokenBucket>,
    pauses: Option<WritePauses>,
    counters: AdmissionCounters,
}

impl WriteAdmission {
    /// Creates the rate limit. Returns `None` for a drive that admits all writes at once.
    pub fn new(parameters: &AdmissionParameters) -> Option<Self> {
        let (bucket, pauses) = (TokenBucket::new(parameters), WritePauses::new(parameters));
        let counters = AdmissionCounters::default();
        (bucket.is_some() || pauses.is_some()).then_some(Self { bucket, pauses, counters })
    }

    /// Returns the instant at which a write of `units` mapping units that arrives at `at` is admitted.
    pub fn admit(&mut self, units: u64, at: SimTime) -> SimTime {
        let with_tokens = self.bucket.as_mut().map_or(at, |bucket| bucket.admit(units, at));
        let admitted = self.pauses.as_mut().map_or(with_tokens, |pauses| pauses.admit(with_tokens));
        let wait = admitted.since(at);
        self.counters.writes += 1;
        self.counters.delayed += u64::from(!wait.is_zero());
        self.counters.wait_ps += u128::from(wait.as_ps());
        admitted
    }

    /// Returns the number of writes so far, with their waiting time.
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
            ..AdmissionParameters::default()
        };
        WriteAdmission::new(&parameters).expect("a drive with the limit")
    }

    fn pauses(interval: u64, length_ps: u64, buffer: u64) -> WriteAdmission {
        let parameters = AdmissionParameters {
            write_pause_interval: interval,
            write_pause: SimSpan::from_ps(length_ps),
            write_pause_buffer: buffer,
            ..AdmissionParameters::default()
        };
        WriteAdmission::new(&parameters).expect("a drive with pauses")
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
    fn pause_admits_what_fits_its_buffer_and_delays_the_rest_to_its_end() {
        let mut pauses = pauses(4, 100, 2);
        let admitted = [0, 1, 2, 3, 10, 20, 30, 99].map(|at| admits(&mut pauses, 1, at));
        // The fourth write begins a pause until 103, and the eighth write, admitted at its end, the next one.
        assert_eq!(admitted, [0, 1, 2, 3, 10, 20, 103, 103]);
        assert_eq!([150, 160, 170, 210].map(|at| admits(&mut pauses, 1, at)), [150, 160, 203, 210]);
    }

    #[test]
    fn steady_writes_wait_in_pauses_as_the_equations_say() {
        let (interval, length, buffer, gap) = (3000, 9_000_000, 600, 6_000);
        let mut pauses = pauses(interval, length, buffer);
        let waits = (1..=93_000).map(|n| admits(&mut pauses, 1, n * gap) - n * gap);
        // The first pause follows the first 3,000 writes.
        let waits: Vec<u64> = waits.skip(3_000).collect();
        let longest = (length - buffer * gap) as f64;
        let mean = longest * longest / gap as f64 / 2.0 / interval as f64;
        let found = waits.iter().sum::<u64>() as f64 / waits.len() as f64;
        assert!((*waits.iter().max().expect("waits") as f64 / longest - 1.0).abs() < 0.002);
        assert!((found / mean - 1.0).abs() < 0.01, "{found} for {mean}");
    }

    #[test]
    fn drive_without_the_limit_has_no_bucket() {
        assert!(WriteAdmission::new(&AdmissionParameters::default()).is_none());
    }
}
