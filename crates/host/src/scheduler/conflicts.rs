//! Counters of requests that use the same unit as another request, waiting or in the drive.
//!
//! Source: Gao et al., PIQ, TCAD 2017, §II (conflicts between reads, between writes, and between both).

use venice_requests::request::Op;

use super::UnitRange;

venice_kernel::counters! {
    /// Counters of requests and of their conflicts at arrival. A request that conflicts with reads and with
    /// writes counts in both kinds.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct ConflictCounters {
        /// Number of reads.
        pub reads: u64,
        /// Number of writes.
        pub writes: u64,
        /// Number of reads that conflict with a read.
        pub read_read: u64,
        /// Number of writes that conflict with a write.
        pub write_write: u64,
        /// Number of reads that conflict with a write.
        pub read_write: u64,
        /// Number of writes that conflict with a read.
        pub write_read: u64,
        /// Number of reads that conflict with any request.
        pub conflicted_reads: u64,
        /// Number of writes that conflict with any request.
        pub conflicted_writes: u64,
    }
}

/// Operations (reads, writes) of earlier requests that use a parallel unit of a new request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ConflictKinds {
    /// True if an earlier read uses a unit of the request.
    pub read: bool,
    /// True if an earlier write uses a unit of the request.
    pub write: bool,
}

impl ConflictCounters {
    fn count(&mut self, op: Op, met: ConflictKinds) {
        let (read, write) = (u64::from(met.read), u64::from(met.write));
        match op {
            Op::Read | Op::Gather | Op::Search => {
                self.reads += 1;
                self.read_read += read;
                self.read_write += write;
                self.conflicted_reads += read | write;
            }
            _ => {
                self.writes += 1;
                self.write_write += write;
                self.write_read += read;
                self.conflicted_writes += read | write;
            }
        }
    }
}

/// Number of reads and writes that wait or are in service, for each unit.
#[derive(Clone, Debug)]
pub struct ConflictMeter {
    reads: Vec<u32>,
    writes: Vec<u32>,
    counters: ConflictCounters,
}

impl ConflictMeter {
    /// Creates the meter for `units` idle units.
    pub fn new(units: u32) -> Self {
        let idle = vec![0; units as usize];
        Self { reads: idle.clone(), writes: idle, counters: ConflictCounters::default() }
    }

    /// Adds a new request. Returns the kinds of requests with which it conflicts.
    pub fn came(&mut self, op: Op, location: UnitRange) -> ConflictKinds {
        let units = self.reads.len() as u32;
        let meets = |pending: &[u32]| location.units(units).any(|unit| pending[unit] > 0);
        let met = ConflictKinds { read: meets(&self.reads), write: meets(&self.writes) };
        self.counters.count(op, met);
        for unit in location.units(units) {
            self.pending(op)[unit] += 1;
        }
        met
    }

    /// Removes a complete request from the numbers of its units.
    pub fn went(&mut self, op: Op, location: UnitRange) {
        let units = self.reads.len() as u32;
        for unit in location.units(units) {
            self.pending(op)[unit] -= 1;
        }
    }

    /// Returns the counters of requests and of their conflicts.
    pub const fn counters(&self) -> ConflictCounters {
        self.counters
    }

    fn pending(&mut self, op: Op) -> &mut [u32] {
        match op {
            Op::Read | Op::Gather | Op::Search => &mut self.reads,
            _ => &mut self.writes,
        }
    }
}
