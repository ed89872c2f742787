//! Power and area budget of a chip that computes.
//!
//! # Equations
//!
//! ```text
//! P_read + P_decoder + P_function ≤ P_program        A_decoder + A_function ≤ A_free
//! ```
//!
//! # Source
//!
//! Chun et al., "`PiF`: In-Flash Acceleration for Data-Intensive Applications", `HotStorage` 2022, §2.2, §2.3.

/// Power and area of the units of a chip.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UnitCost {
    /// Power in milliwatts.
    pub power_mw: f64,
    /// Area in mm².
    pub area_mm2: f64,
}

/// Limits of power and area within which a chip may have units that compute.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChipBudget {
    /// Power of a read of the array in milliwatts.
    pub read_mw: f64,
    /// Power of a program, which is the power limit of a chip, in milliwatts.
    pub program_mw: f64,
    /// Free area under the cell array in mm².
    pub free_mm2: f64,
}

/// Limit of a chip that its units exceed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum BudgetExcess {
    /// The power of a read and of the units exceeds the power of a program, which is the power limit of a
    /// chip.
    Power {
        /// Sum of the powers of a read and of the units, in milliwatts.
        sum_mw: f64,
    },
    /// The area of the units exceeds the free area.
    Area,
}

impl ChipBudget {
    /// Returns the limit that the units of a chip exceed, if there is one.
    pub fn excess(&self, units: UnitCost) -> Option<BudgetExcess> {
        let sum_mw = self.read_mw + units.power_mw;
        if sum_mw > self.program_mw {
            return Some(BudgetExcess::Power { sum_mw });
        }
        (units.area_mm2 > self.free_mm2).then_some(BudgetExcess::Area)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_at_the_limits_fit_and_units_above_one_of_them_do_not() {
        let budget = ChipBudget { read_mw: 160.0, program_mw: 180.0, free_mm2: 100.0 };
        let excess = |power_mw, area_mm2| budget.excess(UnitCost { power_mw, area_mm2 });
        assert_eq!(excess(20.0, 100.0), None);
        assert_eq!(excess(20.5, 100.0), Some(BudgetExcess::Power { sum_mw: 180.5 }));
        assert_eq!(excess(20.0, 100.5), Some(BudgetExcess::Area));
    }
}
