//! Access times of the cache's DRAM, which serves one access at a time in order of arrival.
//!
//! # How
//! An access opens each of its rows (tRCD) and reads or writes it (tCL). Before the next row is opened, the
//! previous one is closed (tRP). Data is transferred in whole bursts at the rate of the data wires. The
//! transfer time is rounded up to a picosecond.
//!
//! With [`LongAccess::Mqsim`], two errors of MQSim's formula for accesses of more than one row are kept: only
//! every second row takes time, and the remaining bytes are divided by the transfer time instead of
//! multiplied.
//!
//! # What is left out
//! Banks, rows that stay open between accesses, refresh, and the offset of a page within a row.
//!
//! # Source
//! Tavakkol et al., "MQSim", FAST 2018. Accesses of at most one row take the time of its
//! `estimate_dram_access_time` (`Data_Cache_Manager_Base.h`).
//!
//! # Parameters
//! `cache.dram_rate_mt_per_s`, `cache.dram_burst_bytes`, `cache.dram_row_bytes`, `cache.t_rcd_ns`,
//! `cache.t_cl_ns`, `cache.t_rp_ns`

use venice_kernel::{SimSpan, SimTime};

use venice_requests::SECTOR_BYTES;

use super::settings::{DramSettings, LongAccess};

/// State of the cache's DRAM.
#[derive(Clone, Copy, Debug)]
pub(super) struct Dram {
    settings: DramSettings,
    free_at: SimTime,
    /// Number of sectors and duration of the last DRAM access. The duration is reused if the next access has
    /// the same length, since its computation needs several divisions.
    last: (u64, SimSpan),
}

impl Dram {
    pub(super) fn new(settings: DramSettings) -> Self {
        Self { settings, free_at: SimTime::ZERO, last: (0, access_time(&settings, 0)) }
    }

    /// Starts an access of `sectors` sectors when all earlier accesses have ended. Returns the end of the
    /// access.
    #[inline]
    pub(super) fn access(&mut self, sectors: u64, now: SimTime) -> SimTime {
        if sectors != self.last.0 {
            self.last = (sectors, access_time(&self.settings, sectors));
        }
        self.free_at = self.free_at.max(now) + self.last.1;
        self.free_at
    }
}

/// Returns the duration of a DRAM access.
fn access_time(dram: &DramSettings, sectors: u64) -> SimSpan {
    let bytes = sectors * u64::from(SECTOR_BYTES);
    let rows = bytes.div_ceil(u64::from(dram.row_bytes));
    if rows > 1 && dram.long_access == LongAccess::Mqsim {
        return mqsim_long_access_time(dram, bytes);
    }
    let burst = u64::from(dram.burst_bytes);
    let data = dram.rate.time_for(bytes.div_ceil(burst) * burst);
    (dram.t_rcd + dram.t_cl) * rows + dram.t_rp * rows.saturating_sub(1) + data
}

/// Returns the duration of a DRAM access of more than one row by MQSim's formula.
fn mqsim_long_access_time(dram: &DramSettings, bytes: u64) -> SimSpan {
    let row = u64::from(dram.row_bytes);
    let second_rows = (dram.rate.time_for(row) + dram.t_rp) * (bytes / row / 2);
    (dram.t_rcd + dram.t_cl) * 2 + second_rows + quotient_as_time(dram, bytes % row)
}

/// Returns bytes / (burst bytes × half a clock period in ns). MQSim uses this quotient as nanoseconds,
/// although its unit is not a time.
fn quotient_as_time(dram: &DramSettings, bytes: u64) -> SimSpan {
    /// Picoseconds per nanosecond.
    const PS_PER_NS: u64 = 1_000;
    const TRANSFERS_PER_CLOCK: u64 = 2;
    let burst = u64::from(dram.burst_bytes);
    let burst_ps = dram.rate.time_for(burst).as_ps() * TRANSFERS_PER_CLOCK;
    let ps = bytes * PS_PER_NS * PS_PER_NS / (burst * burst_ps).max(1);
    SimSpan::from_ps(ps)
}

#[cfg(test)]
mod tests {
    use venice_kernel::Rate;

    use super::*;

    const DRAM: DramSettings = DramSettings {
        rate: Rate::from_bytes_per_s(200_000_000),
        burst_bytes: 1,
        row_bytes: 8192,
        t_rcd: SimSpan::from_ns(13),
        t_cl: SimSpan::from_ns(13),
        t_rp: SimSpan::from_ns(13),
        long_access: LongAccess::EveryRow,
    };

    #[test]
    fn an_access_within_a_row_opens_it_once() {
        // MQSim's value for 4 KiB: 13 + 13 + 4096 × 5 ns.
        assert_eq!(access_time(&DRAM, 8), SimSpan::from_ns(26 + 20_480));
        assert_eq!(access_time(&DRAM, 16), SimSpan::from_ns(26 + 40_960));
    }

    #[test]
    fn every_further_row_is_opened_too_and_the_one_before_it_closed() {
        assert_eq!(access_time(&DRAM, 17), SimSpan::from_ns(26 + 13 + 26 + 43_520));
        assert_eq!(access_time(&DRAM, 48), SimSpan::from_ns(3 * 26 + 2 * 13 + 122_880));
    }

    #[test]
    fn mqsims_formula_counts_about_every_second_row() {
        let mqsim = DramSettings { long_access: LongAccess::Mqsim, ..DRAM };
        assert_eq!(access_time(&mqsim, 16), SimSpan::from_ns(26 + 40_960), "a row is a row");
        // 12 KiB: the second row takes no time, and the remainder takes 4096 / (1 × 10) ns.
        assert_eq!(access_time(&mqsim, 24), SimSpan::from_ps(52_000 + 409_600));
        assert_eq!(access_time(&mqsim, 32), SimSpan::from_ns(52 + 40_960 + 13));
        assert_eq!(access_time(&mqsim, 48), SimSpan::from_ns(52 + 40_960 + 13));
        assert_eq!(access_time(&mqsim, 128), SimSpan::from_ns(52 + 4 * (40_960 + 13)));
        let fast = DramSettings { rate: Rate::from_bytes_per_s(6_400_000_000), burst_bytes: 4, ..mqsim };
        // One transfer takes 1.25 ns at a clock of 800 MHz.
        assert_eq!(access_time(&fast, 24), SimSpan::from_ps(52_000 + 819_200));
    }

    #[test]
    fn whole_bursts_move() {
        let wide = DramSettings { burst_bytes: 1024, ..DRAM };
        assert_eq!(access_time(&wide, 3), SimSpan::from_ns(26 + 2 * 5_120));
    }

    #[test]
    fn accesses_follow_one_another() {
        let mut dram = Dram::new(DRAM);
        let each = SimSpan::from_ns(26 + 20_480);
        assert_eq!(dram.access(8, SimTime::ZERO), SimTime::ZERO + each);
        assert_eq!(dram.access(8, SimTime::from_ps(5)), SimTime::ZERO + each * 2);
        let later = SimTime::ZERO + SimSpan::from_us(100);
        assert_eq!(dram.access(8, later), later + each);
        assert_eq!(dram.access(16, later), later + each + SimSpan::from_ns(26 + 40_960));
        assert_eq!(dram.access(8, later), later + each * 2 + SimSpan::from_ns(26 + 40_960));
    }
}
