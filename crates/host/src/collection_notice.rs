//! Notice from the drive to the host that a chip has begun or ended garbage collection.
//!
//! # What it models
//! An asynchronous event of the drive: a message of the size of a completion on the link to the host.
//!
//! # Source
//! NVM Express Base Specification 1.4, §5.2 (asynchronous events); the content of the message is not from the
//! specification. Gao et al., PIQ, TCAD 2017, §IV-A2: the host cannot detect garbage collection, and
//! schedulers that use such information are future work.

use venice_nand::geometry::ChipId;

/// Notice that a chip has begun or ended garbage collection, in four bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CollectionNotice(u32);

impl CollectionNotice {
    /// Creates the notice that `chip` has begun garbage collection (`collects`) or ended it.
    pub const fn new(chip: ChipId, collects: bool) -> Self {
        Self(chip.0 << 1 | collects as u32)
    }

    /// Returns the chip that the notice is about.
    pub const fn chip(self) -> ChipId {
        ChipId(self.0 >> 1)
    }

    /// True if the chip has begun garbage collection, false if it has ended it.
    pub const fn collects(self) -> bool {
        self.0 & 1 == 1
    }
}
