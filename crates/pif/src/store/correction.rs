//! Result of error correction for a page.

use venice_ecc::channel::SoftReads;

/// Stage of error correction that corrected a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Correction {
    /// Corrected by `ECC_w`, in the chip.
    Chip,
    /// Corrected by `ECC_s`, in the controller, from the hard read.
    Controller,
    /// Corrected by `ECC_s` after two or eight extra reads.
    Soft {
        /// Number of extra reads of the page before it was corrected.
        extra_reads: u8,
    },
    /// Not corrected: the page is unreadable.
    Uncorrectable,
}

/// Result of error correction for a page, with the effort that it took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CorrectionResult {
    /// Stage that corrected the page.
    pub by: Correction,
    /// Iterations of `ECC_w`, summed over sub-pages; 0 in modes without a decoder.
    pub ecc_w_iterations: u32,
    /// Iterations of `ECC_s`, summed over sub-pages; 0 in modes without a decoder.
    pub ecc_s_iterations: u32,
}

impl CorrectionResult {
    /// Returns true if the page was corrected.
    pub const fn is_readable(&self) -> bool {
        !matches!(self.by, Correction::Uncorrectable)
    }

    /// Returns true if the chip corrected the page.
    pub const fn in_chip(&self) -> bool {
        matches!(self.by, Correction::Chip)
    }

    /// Returns the number of extra reads that were performed after the hard read. `allowed` is the configured
    /// maximum.
    pub const fn extra_reads(&self, allowed: SoftReads) -> u8 {
        match (self.by, allowed) {
            (Correction::Soft { extra_reads }, _) => extra_reads,
            (Correction::Uncorrectable, SoftReads::Two) => 2,
            (Correction::Uncorrectable, SoftReads::Six) => 8,
            _ => 0,
        }
    }
}
