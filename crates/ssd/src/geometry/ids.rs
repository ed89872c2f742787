//! Typed indices: a chip number cannot be passed where a die number is meant.

use serde::{Deserialize, Serialize};

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub struct $name(pub u32);

        impl $name {
            /// The number as an array index.
            #[inline]
            pub const fn index(self) -> usize {
                self.0 as usize
            }
        }
    )*};
}

ids! {
    /// A flash chip, flat over the array: row × columns + column.
    ChipId
    /// A die, flat over the drive.
    DieId
    /// A plane, flat over the drive.
    PlaneId
    /// An erase block, flat over the drive.
    BlockId
    /// A physical page number, flat over the drive.
    Ppn
    /// A logical page number: the host's address divided by the page size.
    Lpn
    /// A host request in flight: a slot, used again after the request completes.
    RequestId
    /// A page-sized piece of work in flight: a slot, used again when it is done.
    TransactionId
    /// A cached page's write to flash: a slot, used again when it is done.
    DestageId
    /// Operands on their way to one chip: a slot, used again when they have been combined.
    GatherId
}

/// Most planes that a die may have; bounds what one multi-plane command holds.
pub const MAX_PLANES: usize = 16;
