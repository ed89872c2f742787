//! What a page's errors came to.

/// Who corrected a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Correction {
    /// `ECC_w`, in the chip.
    Chip,
    /// `ECC_s`, in the controller, from the hard read.
    Controller,
    /// `ECC_s` after so many extra reads, two of them or two and then six.
    Soft {
        /// Extra reads in all.
        extra_reads: u8,
    },
    /// Nobody.
    Nobody,
}

/// What a page's errors came to, and the work that it took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fate {
    /// Who corrected it.
    pub by: Correction,
    /// Iterations of `ECC_w`, summed over sub-pages; 0 where no decoder is modelled.
    pub ecc_w_iterations: u32,
    /// Iterations of `ECC_s`, likewise.
    pub ecc_s_iterations: u32,
}

impl Fate {
    /// Whether the data were had.
    pub const fn is_readable(&self) -> bool {
        !matches!(self.by, Correction::Nobody)
    }

    /// Whether the chip had them.
    pub const fn in_chip(&self) -> bool {
        matches!(self.by, Correction::Chip)
    }

    /// Reads that were added to the first one.
    pub const fn extra_reads(&self, allowed: super::SoftReads) -> u8 {
        use super::SoftReads;
        match (self.by, allowed) {
            (Correction::Soft { extra_reads }, _) => extra_reads,
            (Correction::Nobody, SoftReads::Two) => 2,
            (Correction::Nobody, SoftReads::Six) => 8,
            _ => 0,
        }
    }
}
