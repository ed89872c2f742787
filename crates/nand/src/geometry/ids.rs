//! Typed ids, so that a chip number cannot be used as a die number.

use serde::{Deserialize, Serialize};

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub struct $name(pub u32);

        impl $name {
            /// Returns the number as an array index.
            #[inline]
            pub const fn index(self) -> usize {
                self.0 as usize
            }
        }
    )*};
}

ids! {
    /// Number of a flash chip in the array: row × columns + column.
    ChipId
    /// Number of a die in the drive.
    DieId
    /// Number of a plane in the drive.
    PlaneId
    /// Number of an erase block in the drive.
    BlockId
    /// Physical page number in the drive.
    Ppn
    /// Logical page number: the host's address divided by the page size.
    Lpn
    /// Slot of a host request in flight, reused after its completion.
    RequestId
    /// Slot of a transaction in flight, reused after its completion.
    TransactionId
    /// Slot of a destage in flight, reused after its completion.
    DestageId
    /// Slot that collects the operands of a gather on one chip; reused after they have been combined.
    GatherId
}

/// Maximum number of planes per die, which bounds the size of a multi-plane command.
pub const MAX_PLANES: usize = 16;
