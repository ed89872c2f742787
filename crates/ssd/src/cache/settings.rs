//! What the data cache is told.

use venice_kernel::{Rate, SimSpan};

/// Which data the cache keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CacheMode {
    /// There is no cache.
    Off,
    /// Written data, until it is on flash.
    Write,
    /// Data that was read from flash.
    Read,
    /// Both.
    ReadWrite,
}

impl CacheMode {
    /// Whether writes are answered once the cache has them.
    pub const fn takes_writes(self) -> bool {
        matches!(self, Self::Write | Self::ReadWrite)
    }

    /// Whether data that was read from flash is kept.
    pub const fn keeps_reads(self) -> bool {
        matches!(self, Self::Read | Self::ReadWrite)
    }
}

/// How long an access of more than a row takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LongAccess {
    /// As long as its rows one after another.
    EveryRow,
    /// As long as MQSim takes it to be.
    Mqsim,
}

/// How the cache treats its users.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CacheMechanism {
    /// Partitions, each with its own room and its own writes that wait; one memory for all.
    Advanced,
    /// A buffer for writes, shared by all; queues whose writes wait take turns, and do not wait for each other at the
    /// memory.
    Simple,
}

/// The memory behind the cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DramSettings {
    /// Data rate on its wires.
    pub rate: Rate,
    /// Bytes that are transferred at once: an access moves whole bursts.
    pub burst_bytes: u32,
    /// Bytes of a row.
    pub row_bytes: u32,
    /// tRCD: from opening a row to the command that reads or writes it.
    pub t_rcd: SimSpan,
    /// tCL: from that command to the data.
    pub t_cl: SimSpan,
    /// tRP: closing a row before the next one is opened.
    pub t_rp: SimSpan,
    /// What an access of more than a row takes.
    pub long_access: LongAccess,
}

/// The data cache.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CacheSettings {
    /// How it treats its users.
    pub mechanism: CacheMechanism,
    /// Which data it keeps.
    pub mode: CacheMode,
    /// By address range, which data it keeps of it; of one that is not listed, as `mode` says.
    pub modes: Vec<CacheMode>,
    /// Pages it holds, all partitions together.
    pub pages: u32,
    /// Equal parts it is divided into; a host queue has the part of its number modulo this.
    pub partitions: u32,
    /// Sectors on their way to flash from which on a partition takes no further write.
    pub in_flight_sectors: u32,
    /// Windows of time within which a page that is written again counts as hot.
    pub hot_window: SimSpan,
    /// The memory.
    pub dram: DramSettings,
}

impl CacheSettings {
    /// Whether it takes writes of any address range.
    pub fn takes_writes(&self) -> bool {
        self.mode.takes_writes() || self.modes.iter().any(|mode| mode.takes_writes())
    }

    /// Which data it keeps of an address range.
    #[inline]
    pub fn mode_of(&self, range: usize) -> CacheMode {
        self.modes.get(range).copied().unwrap_or(self.mode)
    }
}
