//! Purposes and classes of transactions.

use crate::geometry::{DestageId, GatherId, RequestId, TransactionId};

/// Host request, destage or read-ahead that caused a page access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Host request that waits for the page.
    Request(RequestId),
    /// Destage of the data cache.
    Cache(DestageId),
    /// Read-ahead of the data cache for the host queue with this number.
    ReadAhead(u16),
}

/// Class of the data whose parity is programmed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParityCause {
    /// The parity protects data of host writes.
    HostWrite,
    /// The parity protects translation pages that were written back.
    MappingWrite,
    /// The parity protects pages that garbage collection moved.
    Move,
}

/// Purpose of a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Read of a page, or a part of it, for the host or the read-ahead of the data cache.
    HostRead(Origin),
    /// Write of a page for the host or the data cache. For a partial write, the remaining sectors have been
    /// read before.
    HostWrite(Origin),
    /// Deallocation of a page for the host, which no die executes.
    Trim(RequestId),
    /// Read of the sectors that a partial write does not cover, before the write.
    UpdateRead(TransactionId),
    /// Read of a translation page. The numbers of translation pages follow those of the host's pages.
    MappingRead {
        /// True for a write-back of the translation page, false for a look-up.
        writes_back: bool,
    },
    /// Write-back of a translation page.
    MappingWrite,
    /// Second (fine) pass of a word line with two-pass programming.
    SecondPass,
    /// Read of a valid page of the victim by garbage collection.
    GcRead,
    /// Write of a relocated page by garbage collection.
    GcWrite,
    /// Erase of the victim by garbage collection.
    GcErase,
    /// Read of a page of a stripe, to rebuild the data of a read that could not be corrected.
    RebuildRead {
        /// Read that could not be corrected.
        failed_read: TransactionId,
        /// True if scrub has read the page.
        is_of_scrub: bool,
    },
    /// Read of a page by scrub.
    ScrubRead,
    /// Write of the parity of a stripe.
    ParityWrite(ParityCause),
    /// Read of an operand of a gather, to be sent to the chip that combines it.
    OperandRead(GatherId),
    /// Transfer of an operand from another chip to the chip of its gather, where it is combined.
    OperandLoad(GatherId),
    /// Sensing of an operand on the chip of its gather, where it is combined.
    OperandSense(GatherId),
    /// Read of a page for a search of the host.
    Search(RequestId),
}

/// Class of transactions; each die has one queue per class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransactionClass {
    /// Reads of translation pages.
    MappingRead,
    /// Reads for the host, including update reads.
    HostRead,
    /// Writes of translation pages, and second passes of two-pass programming.
    MappingWrite,
    /// Writes of the host.
    HostWrite,
    /// Reads of garbage collection.
    GcRead,
    /// Writes of garbage collection.
    GcWrite,
    /// Erases by garbage collection.
    GcErase,
    /// Operands of gathers, transferred to a chip or sensed on it.
    Operand,
    /// Reads of pages for searches.
    Search,
    /// Reads of scrub.
    Scrub,
}

impl TransactionClass {
    /// True if transactions of this class program pages.
    #[inline]
    pub const fn is_write(self) -> bool {
        matches!(self, Self::HostWrite | Self::MappingWrite | Self::GcWrite)
    }

    /// Returns read or write for transactions of the host; `None` for other classes.
    #[inline]
    pub const fn kind(self) -> Option<TransactionKind> {
        match self {
            Self::HostRead => Some(TransactionKind::Read),
            Self::HostWrite => Some(TransactionKind::Write),
            _ => None,
        }
    }
}

/// Type of host transaction: read or write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransactionKind {
    /// Reads for the host.
    Read,
    /// Writes for the host.
    Write,
}

impl TransactionKind {
    /// Returns the transaction class of host reads or of host writes.
    #[inline]
    pub const fn class(self) -> TransactionClass {
        match self {
            Self::Read => TransactionClass::HostRead,
            Self::Write => TransactionClass::HostWrite,
        }
    }
}

impl Purpose {
    /// Returns true for a read whose data is needed on its chip: an operand of a gather, or a searched page.
    pub const fn needs_its_chip(self) -> bool {
        matches!(self, Self::OperandRead(_) | Self::OperandSense(_) | Self::Search(_))
    }

    /// Returns the scheduling class of this purpose.
    #[inline]
    pub const fn class(self) -> TransactionClass {
        match self {
            Self::HostRead(_)
            | Self::UpdateRead(_)
            | Self::OperandRead(_)
            | Self::RebuildRead { is_of_scrub: false, .. } => TransactionClass::HostRead,
            Self::HostWrite(_) | Self::Trim(_) | Self::ParityWrite(ParityCause::HostWrite) => {
                TransactionClass::HostWrite
            }
            Self::MappingRead { .. } => TransactionClass::MappingRead,
            Self::MappingWrite | Self::SecondPass | Self::ParityWrite(ParityCause::MappingWrite) => {
                TransactionClass::MappingWrite
            }
            Self::GcRead => TransactionClass::GcRead,
            Self::GcWrite | Self::ParityWrite(ParityCause::Move) => TransactionClass::GcWrite,
            Self::GcErase => TransactionClass::GcErase,
            Self::OperandLoad(_) | Self::OperandSense(_) => TransactionClass::Operand,
            Self::Search(_) => TransactionClass::Search,
            Self::ScrubRead | Self::RebuildRead { is_of_scrub: true, .. } => TransactionClass::Scrub,
        }
    }
}
