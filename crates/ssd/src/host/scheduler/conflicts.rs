//! How many requests touch a unit that another one in flight touches already.
//!
//! Source: Gao et al., PIQ, TCAD 2017, §II (conflicts between reads, between writes, and between both).

use super::Location;
use crate::host::request::Op;

/// Requests and their conflicts when they come. One request may count in two classes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ConflictCounters {
    /// Reads.
    pub reads: u64,
    /// Writes.
    pub writes: u64,
    /// Reads that meet a read.
    pub read_read: u64,
    /// Writes that meet a write.
    pub write_write: u64,
    /// Reads that meet a write, and writes that meet a read.
    pub read_write: u64,
    /// Reads that meet anything.
    pub conflicted_reads: u64,
    /// Writes that meet anything.
    pub conflicted_writes: u64,
}

/// For each unit, the reads and the writes that wait or are served.
#[derive(Clone, Debug)]
pub struct ConflictMeter {
    reads: Vec<u32>,
    writes: Vec<u32>,
    counters: ConflictCounters,
}

impl ConflictMeter {
    /// Over so many units, all idle.
    pub fn new(units: u32) -> Self {
        let idle = vec![0; units as usize];
        Self { reads: idle.clone(), writes: idle, counters: ConflictCounters::default() }
    }

    /// A request has come.
    pub fn came(&mut self, op: Op, location: Location) {
        let units = self.reads.len() as u32;
        let meets = |pending: &[u32]| location.units(units).any(|unit| pending[unit] > 0);
        let (read, write) = (meets(&self.reads), meets(&self.writes));
        let counters = &mut self.counters;
        match op {
            Op::Read => {
                counters.reads += 1;
                counters.read_read += u64::from(read);
                counters.read_write += u64::from(write);
                counters.conflicted_reads += u64::from(read || write);
            }
            Op::Write => {
                counters.writes += 1;
                counters.write_write += u64::from(write);
                counters.read_write += u64::from(read);
                counters.conflicted_writes += u64::from(read || write);
            }
        }
        for unit in location.units(units) {
            self.pending(op)[unit] += 1;
        }
    }

    /// A request is complete.
    pub fn went(&mut self, op: Op, location: Location) {
        let units = self.reads.len() as u32;
        for unit in location.units(units) {
            self.pending(op)[unit] -= 1;
        }
    }

    /// What was counted so far.
    pub const fn counters(&self) -> ConflictCounters {
        self.counters
    }

    fn pending(&mut self, op: Op) -> &mut [u32] {
        match op {
            Op::Read => &mut self.reads,
            Op::Write => &mut self.writes,
        }
    }
}
