//! Typed ids, so that a chip number cannot be used as a die number.

use serde::{Deserialize, Serialize};

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub struct $name(pub u32);

        impl $name {
            /// Returns the id as an array index.
            #[inline]
            pub const fn index(self) -> usize {
                self.0 as usize
            }
        }
    )*};
}

ids! {
    /// Id of a flash chip: its row in the array × number of columns + its column.
    ChipId
    /// Id of a die, unique in the drive.
    DieId
    /// Id of a plane, unique in the drive.
    PlaneId
    /// Id of an erase block, unique in the drive.
    BlockId
    /// Physical page number, unique in the drive.
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
