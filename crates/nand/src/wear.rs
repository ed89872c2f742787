//! Raw bit error rate (RBER) as a function of wear.
//!
//! # What it models
//!
//! ```text
//! RBER = floor + cycling · PE^a + retention · PE^b · days^c + disturb · PE^d · reads^e
//! ```
//!
//! The four terms stand for errors immediately after programming, oxide damage by program/erase cycles (PE),
//! charge loss during retention, and disturbance by reads of other pages of the block. The constants belong
//! to a chip; the defaults of [`WearModel`] describe a 72-layer TLC chip.
//!
//! # What is left out
//!
//! Temperature, differences between word lines and blocks, recovery after an erase. The rate is a mean over the
//! page types ([`PageErrorModel`] distinguishes them); the errors of a codeword are drawn from it (`venice_ecc::channel`).
//!
//! # Source
//!
//! Form and constants are attributed to Kim, Choi and Min, "Design Tradeoffs for SSD Reliability", FAST 2019.
//! They were taken from a secondary source and could not be checked against that paper. The unit of retention
//! is the day; `docs/models/pif-codes.md` has the sources and the reasons.
//!
//! # Parameters
//!
//! `flash.wear.*`

mod page_rates;

use venice_params::{declare, number};

pub use page_rates::PageErrorModel;

/// Wear of a page: program/erase cycles, retention time and reads.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PageWear {
    /// Program/erase cycles of the page's block; values below one count as one.
    pub program_erase_cycles: f64,
    /// Retention time in days, since the page was programmed.
    pub retention_days: f64,
    /// Number of reads of the page's block since the page was programmed.
    pub reads: f64,
}

declare! {
    /// Raw bit error rate of the flash cells, used for read errors and by drives that search in flash:
    /// floor + cycling · PE^a + retention · PE^b · days^c + disturb · PE^d · reads^e.
    pub struct WearModel in "flash.wear." {
        /// Raw bit error rate of a freshly programmed page in a block without wear.
        floor: f64 = number(0.0, 0.5), unit "", default "0.00148", source "attributed to Kim et al., FAST 2019, 72-layer TLC; not checked";
        /// Coefficient of the wear term (program/erase cycles) of the raw bit error rate.
        cycling: f64 = number(0.0, 1.0), unit "", default "3.90e-10", source "attributed to Kim et al., FAST 2019; not checked";
        /// Exponent of the program/erase cycles in the wear term of the raw bit error rate.
        cycling_cycles_exponent: f64 = number(0.0, 10.0), unit "", default "2.05", source "attributed to Kim et al., FAST 2019; not checked";
        /// Coefficient of the retention term of the raw bit error rate.
        retention: f64 = number(0.0, 1.0), unit "", default "6.28e-5", source "attributed to Kim et al., FAST 2019; not checked";
        /// Exponent of the program/erase cycles in the retention term of the raw bit error rate.
        retention_cycles_exponent: f64 = number(0.0, 10.0), unit "", default "0.14", source "attributed to Kim et al., FAST 2019; not checked";
        /// Exponent of the days since programming in the retention term of the raw bit error rate.
        retention_days_exponent: f64 = number(0.0, 10.0), unit "", default "0.54", source "attributed to Kim et al., FAST 2019; days: Chun et al., HotStorage 2022, Figure 7, excludes hours";
        /// Coefficient of the read disturb term of the raw bit error rate.
        disturb: f64 = number(0.0, 1.0), unit "", default "3.73e-9", source "attributed to Kim et al., FAST 2019; not checked";
        /// Exponent of the program/erase cycles in the read disturb term of the raw bit error rate.
        disturb_cycles_exponent: f64 = number(0.0, 10.0), unit "", default "0.33", source "attributed to Kim et al., FAST 2019; not checked";
        /// Exponent of the reads of a block in the read disturb term of the raw bit error rate.
        disturb_reads_exponent: f64 = number(0.0, 10.0), unit "", default "1.71", source "attributed to Kim et al., FAST 2019; not checked";
    }
}

/// Upper limit of the error rate, since the formula is unbounded. At this rate a read carries no information.
const HIGHEST_RATE: f64 = 0.5;

impl WearModel {
    /// Returns the raw bit error rate of a page with the given wear, 0 … 0.5.
    pub fn raw_bit_error_rate(&self, wear: PageWear) -> f64 {
        let cycles = wear.program_erase_cycles.max(1.0);
        let cycling = self.cycling * libm::pow(cycles, self.cycling_cycles_exponent);
        let retention = self.retention
            * libm::pow(cycles, self.retention_cycles_exponent)
            * power(wear.retention_days, self.retention_days_exponent);
        let disturb = self.disturb
            * libm::pow(cycles, self.disturb_cycles_exponent)
            * power(wear.reads, self.disturb_reads_exponent);
        (self.floor + cycling + retention + disturb).min(HIGHEST_RATE)
    }
}

/// Returns `base` to the power `exponent`, but 0 for base 0 even if the exponent is zero.
fn power(base: f64, exponent: f64) -> f64 {
    if base > 0.0 { libm::pow(base, exponent) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const DAYS_OF_A_YEAR: f64 = 365.0;
    /// Bits of a codeword, of which 8,192 are data.
    const CODEWORD_BITS: f64 = 9_216.0;

    fn rate(wear: PageWear) -> f64 {
        WearModel::default().raw_bit_error_rate(wear)
    }

    fn errors(program_erase_cycles: f64, months: f64) -> f64 {
        let retention_days = months / 12.0 * DAYS_OF_A_YEAR;
        rate(PageWear { program_erase_cycles, retention_days, reads: 0.0 }) * CODEWORD_BITS
    }

    #[test]
    fn the_grid_of_cycles_and_months_is_that_of_the_formula() {
        // Expected values computed by another program, rounded to a tenth of an error.
        let grid = [
            (1.0, [13.6, 17.3, 20.3, 23.3, 27.6]),
            (500.0, [14.9, 23.6, 30.7, 37.9, 48.3]),
            (1000.0, [18.7, 28.3, 36.1, 44.0, 55.5]),
            (2000.0, [34.7, 45.3, 53.9, 62.6, 75.2]),
        ];
        for (cycles, row) in grid {
            for (months, expected) in [0.0, 1.0, 3.0, 6.0, 12.0].into_iter().zip(row) {
                let found = errors(cycles, months);
                assert!((found - expected).abs() <= 0.1, "{cycles} cycles, {months} months: {found}");
            }
        }
    }

    #[test]
    fn only_2000_cycles_and_12_months_pass_72_errors() {
        for cycles in [0.0, 500.0, 1000.0, 2000.0] {
            for months in [0.0, 1.0, 3.0, 6.0, 12.0] {
                let passes = cycles >= 2000.0 && months >= 12.0;
                assert_eq!(errors(cycles, months) > 72.0, passes, "{cycles} cycles, {months} months");
            }
        }
    }

    #[test]
    fn retention_in_hours_contradicts_the_measured_chip() {
        // Chun et al. (HotStorage 2022, Figure 7) measured at most 72 errors after a year up to 1,000 cycles.
        let fresh = |retention_days| {
            rate(PageWear { program_erase_cycles: 1.0, retention_days, reads: 0.0 }) * CODEWORD_BITS
        };
        assert!(fresh(DAYS_OF_A_YEAR) < 30.0);
        assert!(fresh(24.0 * DAYS_OF_A_YEAR) > 72.0, "hours in the place of days");
    }

    #[test]
    fn reads_disturb() {
        let wear = |reads| PageWear { program_erase_cycles: 1000.0, retention_days: 0.0, reads };
        let added = rate(wear(1e4)) - rate(wear(0.0));
        // 3.73e-9 · 1000^0.33 · 10^(4 · 1.71) = 3.73e-9 · 9.7724 · 6.9183e6
        assert!((added / 0.252_18 - 1.0).abs() < 1e-3, "{added}");
    }

    proptest! {
        #[test]
        fn more_of_anything_is_never_better_and_the_rate_stays_a_probability(
            cycles in 0.0..1e5, days in 0.0..1e4, reads in 0.0..1e7, more in 0.0..1e4,
        ) {
            let rate = |program_erase_cycles, retention_days, reads| {
                rate(PageWear { program_erase_cycles, retention_days, reads })
            };
            let least = rate(cycles, days, reads);
            prop_assert!((0.0..=0.5).contains(&least));
            prop_assert!(rate(cycles + more, days, reads) >= least);
            prop_assert!(rate(cycles, days + more, reads) >= least);
            prop_assert!(rate(cycles, days, reads + more) >= least);
        }
    }
}
