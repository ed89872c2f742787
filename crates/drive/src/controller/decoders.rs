//! Decoders of the drive's controller, which correct the bit errors of pages read from flash.
//!
//! # What it models
//! A page that arrives from a chip takes the decoder that is free first, in order of arrival. The page
//! occupies the decoder for its size divided by `ecc.hard_rate_mb_per_s`, and its data is available
//! `ecc.t_hard_us` later. Soft-decision decoding has a separate rate and latency. The decoders form one
//! pool, or each row of chips has its own decoders.
//!
//! # How
//! The end of decoding can be computed when a page arrives, since costs are known and pages are decoded in
//! order of arrival. No queue is stored, and a page causes one event.
//!
//! # What is left out
//! Transfer time of the check bits; a dependence of the decoding time on the number of errors; energy of the
//! decoders.
//!
//! # Source
//! MQSim-JW, `ECC_Engine.cpp`, has a constant decoding latency of 5 µs.
//!
//! # Parameters
//! `ecc.decoders`, `ecc.placement`, `ecc.hard_rate_mb_per_s`, `ecc.t_hard_us`, `ecc.soft_rate_mb_per_s`,
//! `ecc.t_soft_us`

use std::ops::Sub;

use venice_ecc::channel::SoftReads;
use venice_kernel::{Rate, SimSpan, SimTime};
use venice_params::{LONGEST_US, choices, declare, number, one_of, whole, wire_rate};

/// Maximum number of decoders in a pool or at a row.
const MOST_DECODERS: u64 = 256;
/// Maximum number of read retries.
pub const MOST_RETRIES: usize = 16;

/// Assignment of decoders to pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecoderPlacement {
    /// One pool of decoders for all pages.
    Pool,
    /// Separate decoders for each row of chips.
    PerRow,
}

choices! {
    DecoderPlacement, "placement of decoders": "pool" => Pool, "per_row" => PerRow;
}

declare! {
    /// Parameters of read errors, of the controller's decoders, and of read retries.
    pub struct EccParameters in "ecc." {
        /// Number of error-correction decoders of the controller.
        ///
        /// 0: reads have no bit errors and need no decoding, and the other parameters of `[ecc]` have no
        /// effect. With `placement = "per_row"`, each row of chips has this number of decoders.
        decoders: u32 = whole(0, MOST_DECODERS), unit "decoders", default "0", source "ours: MQSim has none";
        /// Assignment of decoders to pages.
        ///
        /// `pool`: any decoder decodes any page. `per_row`: the decoders of a row of chips decode only the
        /// pages of this row.
        placement: DecoderPlacement = one_of::<DecoderPlacement>(), unit "", default "pool", source "ours";
        /// Data rate of one decoder in hard-decision decoding.
        hard_rate as hard_rate_mb_per_s: Rate = wire_rate(), unit "MB/s", default "1200",
            source "assumed: as fast as a channel, one byte a cycle";
        /// Latency of hard-decision decoding, after the last byte has entered the decoder.
        hard_latency as t_hard_us: SimSpan = number(0.0, LONGEST_US), unit "µs", default "5",
            source "MQSim-JW, ECC_Engine.cpp";
        /// Data rate of one decoder in soft-decision decoding.
        soft_rate as soft_rate_mb_per_s: Rate = wire_rate(), unit "MB/s", default "300",
            source "assumed: a quarter of the rate of hard-decision decoding";
        /// Latency of soft-decision decoding, after the last byte has entered the decoder.
        soft_latency as t_soft_us: SimSpan = number(0.0, LONGEST_US), unit "µs", default "20",
            source "assumed: four times that of hard-decision decoding";
        /// Maximum number of read retries of a page that hard-decision decoding cannot correct.
        ///
        /// A retry senses and sends the page again, with shifted thresholds, and decodes it.
        retries: u32 = whole(0, MOST_RETRIES as u64), unit "", default "3", source "assumed";
        /// Raw bit error rate of a retry, relative to that of the previous read.
        retry_error_pct: f64 = number(0.0, 100.0), unit "%", default "50",
            source "Jiao et al., CVSS, FAST 2024, section 4: each retry lowers the error rate by half";
        /// Number of additional reads for soft-decision decoding, after the last retry.
        ///
        /// `two`: two. `six`: two, then six more if the page still cannot be corrected.
        soft_reads: SoftReads = one_of::<SoftReads>(), unit "", default "six", source "ours, as in `pif.extra_reads`";
        /// Program/erase cycles of all blocks before the run, in addition to those of preconditioning.
        pe_cycles: f64 = number(0.0, 1e6), unit "cycles", default "0", source "chosen for each run";
        /// Age of the data on the drive at the start of the run, in days since it was programmed.
        retention_days: f64 = number(0.0, 1e6), unit "days", default "0", source "chosen for each run";
        /// Number of reads of each block before the run, since the block was programmed.
        block_reads: f64 = number(0.0, 1e12), unit "reads", default "0", source "chosen for each run";
    }
}

/// Decoding method: hard-decision or soft-decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decoding {
    /// Hard-decision decoding, from one read of the page.
    Hard,
    /// Soft-decision decoding, from several reads of the page.
    Soft,
}

/// Number of pages processed by the decoders, with their waiting and busy times.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DecoderCounters {
    /// Number of decoded pages; a page that is decoded twice counts twice.
    pub pages: u64,
    /// Number of pages that had to wait for a decoder.
    pub delayed: u64,
    /// Total time that pages waited for a decoder, in picoseconds.
    pub wait_ps: u128,
    /// Busy time in picoseconds, summed over all decoders.
    pub busy_ps: u128,
}

impl Sub for DecoderCounters {
    type Output = Self;

    fn sub(self, earlier: Self) -> Self {
        Self {
            pages: self.pages - earlier.pages,
            delayed: self.delayed - earlier.delayed,
            wait_ps: self.wait_ps - earlier.wait_ps,
            busy_ps: self.busy_ps - earlier.busy_ps,
        }
    }
}

/// Decoders of the drive's controller.
#[derive(Clone, Debug)]
pub struct Decoders {
    parameters: EccParameters,
    /// Instant at which each decoder has finished all pages accepted so far. The decoders of a row of chips
    /// are contiguous.
    free_at: Vec<SimTime>,
    /// Counters of all accepted pages. The busy time includes work still to be done.
    accepted: DecoderCounters,
}

impl Decoders {
    /// Creates the idle decoders of a drive with `rows` rows of chips. Returns `None` for a drive without
    /// decoders.
    pub fn new(parameters: &EccParameters, rows: u32) -> Option<Self> {
        let groups = if parameters.placement == DecoderPlacement::Pool { 1 } else { rows };
        (parameters.decoders > 0).then(|| Self {
            parameters: *parameters,
            free_at: vec![SimTime::ZERO; (parameters.decoders * groups) as usize],
            accepted: DecoderCounters::default(),
        })
    }

    /// Returns the number of decoders of the drive.
    pub const fn count(&self) -> u32 {
        self.free_at.len() as u32
    }

    /// Accepts a page of `bytes` bytes that arrives at `now` from a chip of the row `row`. Returns the time
    /// at which the page is decoded.
    pub fn accept(&mut self, decoding: Decoding, bytes: u32, row: u32, now: SimTime) -> SimTime {
        let EccParameters { hard_rate, hard_latency, soft_rate, soft_latency, .. } = self.parameters;
        let (rate, latency) = match decoding {
            Decoding::Hard => (hard_rate, hard_latency),
            Decoding::Soft => (soft_rate, soft_latency),
        };
        let time = rate.time_for(u64::from(bytes));
        let first = self.first_free(row);
        let start = now.max(self.free_at[first]);
        self.free_at[first] = start + time;
        let wait = start.since(now);
        self.accepted.pages += 1;
        self.accepted.delayed += u64::from(!wait.is_zero());
        self.accepted.wait_ps += u128::from(wait.as_ps());
        self.accepted.busy_ps += u128::from(time.as_ps());
        start + time + latency
    }

    /// Returns the index of the decoder that is free first, among those of the row `row`.
    fn first_free(&self, row: u32) -> usize {
        let EccParameters { decoders, placement, .. } = self.parameters;
        let begin = if placement == DecoderPlacement::Pool { 0 } else { (row * decoders) as usize };
        let free_at = &self.free_at;
        let earlier = |first, next| if free_at[next] < free_at[first] { next } else { first };
        (begin + 1..begin + decoders as usize).fold(begin, earlier)
    }

    /// Returns the counters up to `now`, without the work still to be done.
    pub fn counters(&self, now: SimTime) -> DecoderCounters {
        // Work that is still to be done occupies a decoder from `now` without a gap.
        let ahead = |free_at: &SimTime| u128::from(free_at.max(&now).since(now).as_ps());
        let ahead_ps: u128 = self.free_at.iter().map(ahead).sum();
        DecoderCounters { busy_ps: self.accepted.busy_ps - ahead_ps, ..self.accepted }
    }
}

#[cfg(test)]
#[allow(clippy::float_cmp, reason = "the expected values are exact")]
mod tests {
    use super::*;

    fn decoders(rows: u32, change: impl FnOnce(&mut EccParameters)) -> Decoders {
        let mut parameters = EccParameters { decoders: 1, ..EccParameters::default() };
        parameters.hard_rate = Rate::from_mb_per_s(1_000.0);
        parameters.soft_rate = Rate::from_mb_per_s(500.0);
        change(&mut parameters);
        Decoders::new(&parameters, rows).expect("a drive with decoders")
    }

    fn ends(decoders: &mut Decoders, row: u32, at_us: u64) -> f64 {
        let now = SimTime::ZERO + SimSpan::from_us(at_us);
        decoders.accept(Decoding::Hard, 4_000, row, now).as_us()
    }

    #[test]
    fn page_occupies_a_decoder_for_its_bytes_and_the_latency_follows() {
        let mut decoders = decoders(2, |_| {});
        // 4,000 bytes occupy a decoder for 4 µs; the latency adds 5 µs.
        assert_eq!([0, 1, 20].map(|at| ends(&mut decoders, 0, at)), [9.0, 13.0, 29.0]);
        let counters = decoders.counters(SimTime::ZERO + SimSpan::from_us(22));
        assert_eq!((counters.pages, counters.delayed), (3, 1));
        assert_eq!((counters.wait_ps, counters.busy_ps), (3_000_000, 10_000_000));
    }

    #[test]
    fn soft_decoding_has_its_own_rate_and_latency() {
        let mut decoders = decoders(1, |_| {});
        let end = decoders.accept(Decoding::Soft, 4_000, 0, SimTime::ZERO);
        assert_eq!(end.as_us(), 8.0 + 20.0);
    }

    #[test]
    fn pool_serves_any_row_and_rows_may_have_decoders_of_their_own() {
        let mut pool = decoders(2, |it| it.decoders = 2);
        assert_eq!([0, 0, 1].map(|row| ends(&mut pool, row, 0)), [9.0, 9.0, 13.0]);
        let mut own = decoders(2, |it| it.placement = DecoderPlacement::PerRow);
        assert_eq!([0, 0, 1].map(|row| ends(&mut own, row, 0)), [9.0, 13.0, 9.0]);
        assert_eq!((pool.count(), own.count()), (2, 2));
    }

    #[test]
    fn drive_without_decoders_has_none() {
        assert!(Decoders::new(&EccParameters::default(), 8).is_none());
    }
}
