//! Raw bit error rate (RBER) as a function of wear.
//!
//! # What it models
//!
//! ```text
//! RBER = floor + cycling · PE^a + retention · PE^b · days^c + disturb · PE^d · reads^e
//! ```
//!
//! The sum of four causes: errors immediately after programming, oxide damage by program/erase cycles, charge
//! loss during retention, and disturbance by reads of other pages of the block. The constants belong to a
//! chip; [`WearModel::TLC_72_LAYERS`] describes a 72-layer TLC chip.
//!
//! # What is left out
//!
//! Temperature, differences between page types, word lines and blocks, recovery after an erase. The rate is a
//! mean; the errors of a codeword are drawn from it (see [`crate::channel`]).
//!
//! # Source
//!
//! Form and constants are attributed to Kim, Choi and Min, "Design Tradeoffs for SSD Reliability", FAST 2019.
//! They were taken from a secondary source: neither the constants nor the unit of retention (days) could be
//! checked against that paper. With them the mean exceeds 72 errors per codeword only at 2,000 cycles and 12
//! months, as in Figure 7 of Chun et al., `HotStorage` 2022.

use thiserror::Error;

use crate::code::CODEWORD_BITS;

/// Wear of a page.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PageWear {
    /// Program/erase cycles of the page's block; values below one count as one.
    pub program_erase_cycles: f64,
    /// Retention time in days, since the page was programmed.
    pub retention_days: f64,
    /// Number of reads of the page's block since the page was programmed.
    pub reads: f64,
}

/// Constants of a chip; see the module documentation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WearModel {
    /// Error rate immediately after programming, in a block without wear.
    pub floor: f64,
    /// Scale of the cycling term.
    pub cycling: f64,
    /// Exponent of the cycles in the cycling term.
    pub cycling_cycles_exponent: f64,
    /// Scale of the retention term.
    pub retention: f64,
    /// Exponent of the cycles in the retention term.
    pub retention_cycles_exponent: f64,
    /// Exponent of the days in the retention term.
    pub retention_days_exponent: f64,
    /// Scale of the read-disturb term.
    pub disturb: f64,
    /// Exponent of the cycles in the read-disturb term.
    pub disturb_cycles_exponent: f64,
    /// Exponent of the reads in the read-disturb term.
    pub disturb_reads_exponent: f64,
}

/// Invalid constant of a [`WearModel`].
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[error("wear constant `{name}` is {value}; expected: a finite number, 0 or more")]
pub struct WearError {
    /// Name of the constant.
    pub name: &'static str,
    /// Value of the constant.
    pub value: f64,
}

/// Upper limit of the rate, at which a read carries no information; the formula is unbounded.
const HIGHEST_RATE: f64 = 0.5;

impl WearModel {
    /// 72-layer TLC chip; see the source in the module documentation.
    pub const TLC_72_LAYERS: Self = Self {
        floor: 1.48e-3,
        cycling: 3.90e-10,
        cycling_cycles_exponent: 2.05,
        retention: 6.28e-5,
        retention_cycles_exponent: 0.14,
        retention_days_exponent: 0.54,
        disturb: 3.73e-9,
        disturb_cycles_exponent: 0.33,
        disturb_reads_exponent: 1.71,
    };

    /// Checks that every constant is finite and not negative.
    ///
    /// # Errors
    /// [`WearError`] for the first invalid constant.
    pub fn validate(&self) -> Result<(), WearError> {
        let constants = [
            ("floor", self.floor),
            ("cycling", self.cycling),
            ("cycling_cycles_exponent", self.cycling_cycles_exponent),
            ("retention", self.retention),
            ("retention_cycles_exponent", self.retention_cycles_exponent),
            ("retention_days_exponent", self.retention_days_exponent),
            ("disturb", self.disturb),
            ("disturb_cycles_exponent", self.disturb_cycles_exponent),
            ("disturb_reads_exponent", self.disturb_reads_exponent),
        ];
        let wrong = constants.into_iter().find(|(_, value)| !(value.is_finite() && *value >= 0.0));
        wrong.map_or(Ok(()), |(name, value)| Err(WearError { name, value }))
    }

    /// Returns the raw bit error rate, 0 … 0.5.
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

    /// Returns the mean number of raw bit errors per codeword.
    pub fn raw_errors_per_codeword(&self, wear: PageWear) -> f64 {
        self.raw_bit_error_rate(wear) * CODEWORD_BITS as f64
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

    const CHIP: WearModel = WearModel::TLC_72_LAYERS;
    const DAYS_OF_A_YEAR: f64 = 365.0;

    fn errors(program_erase_cycles: f64, months: f64) -> f64 {
        let retention_days = months / 12.0 * DAYS_OF_A_YEAR;
        CHIP.raw_errors_per_codeword(PageWear { program_erase_cycles, retention_days, reads: 0.0 })
    }

    #[test]
    fn the_grid_of_cycles_and_months_is_that_of_the_formula() {
        // Computed independently of this code, to a tenth of an error.
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
    fn reads_disturb() {
        let wear = |reads| PageWear { program_erase_cycles: 1000.0, retention_days: 0.0, reads };
        let added = CHIP.raw_bit_error_rate(wear(1e4)) - CHIP.raw_bit_error_rate(wear(0.0));
        // 3.73e-9 · 1000^0.33 · 10^(4 · 1.71) = 3.73e-9 · 9.7724 · 6.9183e6
        assert!((added / 0.252_18 - 1.0).abs() < 1e-3, "{added}");
    }

    #[test]
    fn a_constant_that_cannot_be_is_named() {
        assert_eq!(CHIP.validate(), Ok(()));
        let broken = WearModel { disturb: f64::NAN, ..CHIP };
        assert_eq!(broken.validate().map_err(|error| error.name), Err("disturb"));
        let broken = WearModel { retention: -1.0, ..CHIP };
        let message = broken.validate().unwrap_err().to_string();
        assert_eq!(message, "wear constant `retention` is -1; expected: a finite number, 0 or more");
    }

    proptest! {
        #[test]
        fn more_of_anything_is_never_better_and_the_rate_stays_a_probability(
            cycles in 0.0..1e5, days in 0.0..1e4, reads in 0.0..1e7, more in 0.0..1e4,
        ) {
            let rate = |program_erase_cycles, retention_days, reads| {
                CHIP.raw_bit_error_rate(PageWear { program_erase_cycles, retention_days, reads })
            };
            let least = rate(cycles, days, reads);
            prop_assert!((0.0..=0.5).contains(&least));
            prop_assert!(rate(cycles + more, days, reads) >= least);
            prop_assert!(rate(cycles, days + more, reads) >= least);
            prop_assert!(rate(cycles, days, reads + more) >= least);
        }
    }
}
