//! Clock and circuits of the logic in a flash chip, from which power and area of functions are derived.
//!
//! # Equations
//!
//! ```text
//! power = energy of the circuits used in a cycle × clock        area = sum of the circuits' areas
//! ```
//!
//! # Source
//!
//! Horowitz, "Computing's Energy Problem", ISSCC 2014: energy and area of operations in 45 nm at 0.9 V. Clock: the
//! matcher of Chun et al., `HotStorage` 2022, processes one byte per cycle, and 16,384 bytes in 40 µs.
//!
//! # Parameters
//!
//! `search.clock_mhz`, `search.adder_*`, `search.multiplier_*`, `search.register_*`

use venice_kernel::SimSpan;
use venice_params::{declare, number};

/// Picoseconds per cycle of a clock of 1 MHz.
const PS_PER_CYCLE_OF_1_MHZ: f64 = 1e6;
/// Microwatts per milliwatt.
const UW_PER_MW: f64 = 1e3;
/// Square micrometres per square millimetre.
const UM2_PER_MM2: f64 = 1e6;

declare! {
    /// Clock of a chip's logic, and energy and area of its circuits.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct LogicParameters in "search." {
        /// Clock frequency of a chip's logic for the functions.
        clock_mhz: f64 = number(1.0, 10_000.0), unit "MHz", default "409.6",
            source "Chun et al., PiF, HotStorage 2022, §3.2: 16,384 bytes in 40 µs, one byte per cycle";
        /// Energy of a 32-bit addition or comparison in a chip.
        adder_pj: f64 = number(0.0, 1e6), unit "pJ", default "0.1", source "Horowitz, ISSCC 2014: 32-bit addition, 45 nm; not checked against the paper";
        /// Area of a 32-bit adder or comparator in a chip.
        adder_um2: f64 = number(0.0, 1e9), unit "µm²", default "137", source "Horowitz, ISSCC 2014: 32-bit addition, 45 nm; not checked against the paper";
        /// Energy of an 8-bit multiplication in a chip.
        multiplier_pj: f64 = number(0.0, 1e6), unit "pJ", default "0.2", source "Horowitz, ISSCC 2014: 8-bit multiplication, 45 nm; not checked against the paper";
        /// Area of an 8-bit multiplier in a chip.
        multiplier_um2: f64 = number(0.0, 1e9), unit "µm²", default "282", source "Horowitz, ISSCC 2014: 8-bit multiplication, 45 nm; not checked against the paper";
        /// Energy of writing one byte to a register in a chip.
        register_pj: f64 = number(0.0, 1e6), unit "pJ/B", default "0.04", source "assumed: 5 fJ for each flip-flop in 45 nm";
        /// Area of a register of one byte in a chip.
        register_um2: f64 = number(0.0, 1e9), unit "µm²/B", default "36",
            source "NanGate 45-nm open cell library: eight flip-flops of 4.5 µm²; not checked";
    }
}

/// Circuits of a function: number of 32-bit adders, 8-bit multipliers and bytes of registers.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Circuits {
    pub(super) adders: u32,
    pub(super) multipliers: u32,
    pub(super) register_bytes: u32,
}

impl LogicParameters {
    /// Returns the duration of a number of cycles.
    pub(super) fn cycles(&self, count: u32) -> SimSpan {
        SimSpan::from_ps((f64::from(count) * PS_PER_CYCLE_OF_1_MHZ / self.clock_mhz).round() as u64)
    }

    /// Returns the power of circuits that are used once in every `period` cycles, in milliwatts.
    pub(super) fn power_mw(&self, used: Circuits, period: u32) -> f64 {
        let energy_pj = f64::from(used.adders) * self.adder_pj
            + f64::from(used.multipliers) * self.multiplier_pj
            + f64::from(used.register_bytes) * self.register_pj;
        energy_pj * self.clock_mhz / f64::from(period) / UW_PER_MW
    }

    /// Returns the area of circuits in mm².
    pub(super) fn area_mm2(&self, circuits: Circuits) -> f64 {
        let area_um2 = f64::from(circuits.adders) * self.adder_um2
            + f64::from(circuits.multipliers) * self.multiplier_um2
            + f64::from(circuits.register_bytes) * self.register_um2;
        area_um2 / UM2_PER_MM2
    }
}

#[cfg(test)]
mod tests {
    use venice_params::ParameterSet;

    use super::*;

    #[test]
    fn one_byte_per_cycle_takes_the_time_of_the_papers_matcher() {
        assert_eq!(LogicParameters::of_defaults().cycles(16 * 1024), SimSpan::from_us(40));
    }

    #[test]
    fn power_is_the_energy_of_a_cycle_times_the_clock() {
        let logic = LogicParameters { clock_mhz: 1000.0, ..LogicParameters::of_defaults() };
        let circuits = Circuits { adders: 2, multipliers: 1, register_bytes: 10 };
        assert!((logic.power_mw(circuits, 1) - 0.8).abs() < 1e-12);
        assert!((logic.power_mw(circuits, 4) - 0.2).abs() < 1e-12);
        assert!((logic.area_mm2(circuits) - 916e-6).abs() < 1e-12);
    }
}
