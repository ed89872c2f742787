//! Power and area limits of a chip with a decoder and a matcher. A design that exceeds them is rejected
//! before the run.

use thiserror::Error;
use venice_fabric::FabricError;
use venice_nand::functions::budget::{BudgetExcess, ChipBudget, UnitCost};

use super::PifSettings;

/// Violation of a limit, or of a restriction of the model.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum LimitError {
    /// The power of sensing, decoding and matching together exceeds that of programming, which is the chip's
    /// power budget.
    #[error(
        "a chip that senses ({read_mw} mW), matches ({matcher_mw} mW) and decodes ({decoder_mw} mW) needs {sum_mw:.2} mW, more than \
         the {program_mw} mW of a program; expected: a lower `pif.matcher_mw` or `pif.decoder_mw`"
    )]
    Power {
        /// Value of `power.array_read_mw`.
        read_mw: f64,
        /// Value of `pif.matcher_mw`.
        matcher_mw: f64,
        /// Value of `pif.decoder_mw`.
        decoder_mw: f64,
        /// Sum of the three powers.
        sum_mw: f64,
        /// Value of `power.array_program_mw`.
        program_mw: f64,
    },
    /// Decoder and matcher exceed the free area of the chip.
    #[error(
        "decoder ({decoder_mm2} mm²) and matcher ({matcher_mm2} mm²) do not fit into the {free_mm2} mm² under a chip's array; \
         expected: a lower `pif.decoder_mm2` or `pif.matcher_mm2`"
    )]
    Area {
        /// Value of `pif.decoder_mm2`.
        decoder_mm2: f64,
        /// Value of `pif.matcher_mm2`.
        matcher_mm2: f64,
        /// Value of `pif.free_mm2`.
        free_mm2: f64,
    },
    /// The page size is not 16 KB, the only one for which codewords are defined.
    #[error(
        "a page has {bytes} bytes, but searches support only pages of 16384 bytes; expected: `--drive pif`, or `flash.page_bytes` of 16384"
    )]
    Page {
        /// Value of `flash.page_bytes`.
        bytes: u32,
    },
    /// The fabric cannot be built for the array.
    #[error(transparent)]
    Fabric(#[from] FabricError),
}

/// Page size in bytes: sixteen sub-pages of 1 KB.
const PAGE_BYTES: u32 = 16 * 1024;

impl PifSettings {
    /// Checks that the chip's design is within its limits, and that the fabric can be built for the array.
    ///
    /// # Errors
    /// Returns the first [`LimitError`].
    pub fn check(&self) -> Result<(), LimitError> {
        let power = &self.drive.power;
        let (read_mw, program_mw) = (power.array_read_mw, power.array_program_mw);
        let (decoder_mw, matcher_mw) = (self.parts.decoder_mw, self.parts.matcher_mw);
        let super::ChipLimits { decoder_mm2, matcher_mm2, free_mm2 } = self.limits;
        let units = UnitCost { power_mw: decoder_mw + matcher_mw, area_mm2: decoder_mm2 + matcher_mm2 };
        match (ChipBudget { read_mw, program_mw, free_mm2 }).excess(units) {
            Some(BudgetExcess::Power { sum_mw }) => {
                return Err(LimitError::Power { read_mw, matcher_mw, decoder_mw, sum_mw, program_mw });
            }
            Some(BudgetExcess::Area) => {
                return Err(LimitError::Area { decoder_mm2, matcher_mm2, free_mm2 });
            }
            None => {}
        }
        let bytes = self.drive.geometry.page_bytes;
        if bytes != PAGE_BYTES {
            return Err(LimitError::Page { bytes });
        }
        Ok(self.drive.fabric_kind.validate(&self.drive.fabric)?)
    }
}
