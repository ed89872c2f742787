//! What transactions are for.

use crate::geometry::{DestageId, GatherId, RequestId, TransactionId};

/// Who asked for a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A request of the host, which waits for it.
    Request(RequestId),
    /// The data cache, which writes a page to flash.
    Cache(DestageId),
}

/// What a transaction is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// The host wants this page, or part of it.
    HostRead(RequestId),
    /// The host, or the data cache, writes this page; what it does not cover was read before.
    HostWrite(Origin),
    /// Reads what a partial write does not cover; the write follows it.
    UpdateRead(TransactionId),
    /// Reads a translation page, whose number stands behind those of the host's pages.
    MappingRead {
        /// For a write-back rather than for a look-up.
        writes_back: bool,
    },
    /// Writes a translation page back.
    MappingWrite,
    /// Collection reads a valid page of its victim.
    GcRead,
    /// Collection writes that page elsewhere.
    GcWrite,
    /// Collection erases its victim.
    GcErase,
    /// Reads an operand, to be moved to the chip of its gather.
    OperandRead(GatherId),
    /// Brings an operand that was read on another chip to the chip of its gather, which combines it.
    OperandLoad(GatherId),
    /// Senses an operand on the chip of its gather, which combines it.
    OperandSense(GatherId),
}

/// The kinds of work that a die tells apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Reads of translation pages.
    MappingRead,
    /// Reads for the host, update reads included.
    HostRead,
    /// Writes of translation pages.
    MappingWrite,
    /// Writes of the host.
    HostWrite,
    /// Reads of collection.
    GcRead,
    /// Writes of collection.
    GcWrite,
    /// Erases.
    GcErase,
    /// Operands that are brought to their chip, or sensed on it.
    Operand,
}

impl Class {
    /// Whether its transactions program pages.
    #[inline]
    pub const fn is_write(self) -> bool {
        matches!(self, Self::HostWrite | Self::MappingWrite | Self::GcWrite)
    }

    /// Whether it is the host's reads or its writes, and which of the two.
    #[inline]
    pub const fn kind(self) -> Option<Kind> {
        match self {
            Self::HostRead => Some(Kind::Read),
            Self::HostWrite => Some(Kind::Write),
            _ => None,
        }
    }
}

/// Which of the host's two classes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Reads.
    Read,
    /// Writes.
    Write,
}

impl Kind {
    /// The class of this kind.
    #[inline]
    pub const fn class(self) -> Class {
        match self {
            Self::Read => Class::HostRead,
            Self::Write => Class::HostWrite,
        }
    }
}

impl Purpose {
    /// The class that this work is of.
    #[inline]
    pub const fn class(self) -> Class {
        match self {
            Self::HostRead(_) | Self::UpdateRead(_) | Self::OperandRead(_) => Class::HostRead,
            Self::HostWrite(_) => Class::HostWrite,
            Self::MappingRead { .. } => Class::MappingRead,
            Self::MappingWrite => Class::MappingWrite,
            Self::GcRead => Class::GcRead,
            Self::GcWrite => Class::GcWrite,
            Self::GcErase => Class::GcErase,
            Self::OperandLoad(_) | Self::OperandSense(_) => Class::Operand,
        }
    }
}
