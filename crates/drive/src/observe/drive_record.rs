//! Counters and busy times of a drive's chips and fabric.

use venice_kernel::{SimSpan, SimTime};
use venice_nand::chip::{ArrayWork, Operation};
use venice_nand::geometry::{ChipId, DieId};

use super::vec_growth::entry;
use super::{CommandStart, Probe, TransactionOrigins, TransferEnd};

/// Busy time of arrays by kind of operation, summed over all planes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ArrayTime {
    /// Busy time of reads.
    pub read: SimSpan,
    /// Busy time of programs.
    pub program: SimSpan,
    /// Busy time of erases.
    pub erase: SimSpan,
    /// Array time spent on stopping and restarting suspended operations.
    pub settling: SimSpan,
}

impl ArrayTime {
    /// Returns the field to which the time of the first part of an operation is added. A copyback begins with
    /// a read. Combinations and searches of pages count as reads.
    #[inline]
    const fn of(&mut self, operation: Operation) -> &mut SimSpan {
        match operation {
            Operation::Read | Operation::Copyback | Operation::Combine | Operation::Search => &mut self.read,
            Operation::Program => &mut self.program,
            Operation::Erase => &mut self.erase,
        }
    }

    /// Returns the busy time of reads, programs and erases.
    pub fn working(&self) -> SimSpan {
        [self.read, self.program, self.erase].into_iter().sum()
    }

    /// Returns the difference between this record and `other`, but at least zero for each kind of operation.
    #[must_use]
    pub fn without(self, other: Self) -> Self {
        Self {
            read: self.read.saturating_sub(other.read),
            program: self.program.saturating_sub(other.program),
            erase: self.erase.saturating_sub(other.erase),
            settling: self.settling.saturating_sub(other.settling),
        }
    }

    /// Returns the busy time of all kinds of operations together.
    pub fn total(&self) -> SimSpan {
        [self.working(), self.settling].into_iter().sum()
    }
}

/// Counters and busy times of chips and fabric since the start of the measured phase.
#[derive(Clone, Debug, Default)]
pub struct DriveRecord {
    /// Number of transfers that had to wait for a path.
    pub conflicted_transfers: u64,
    /// Number of transfers, indexed by the number of links that they crossed.
    pub hop_counts: Vec<u64>,
    /// Number of operations that began while another die of the chip was active (interleaved commands).
    pub interleaved: u64,
    /// Active time of each chip. Missing entries at the end are zero.
    pub chip_busy_by_chip: Vec<SimSpan>,
    /// Busy time of arrays, summed over all planes.
    pub arrays: ArrayTime,
    /// Part of `arrays` recorded for commands that were not executed, because their chip was lost.
    pub voided: ArrayTime,
    /// Sum of the durations of all transfers.
    pub transfer_time: SimSpan,
    /// Number of bytes that page transfers moved between flash and the drive's memory.
    pub memory_bytes: u64,
    /// End of the last array operation or transfer.
    pub last_work: SimTime,
    /// Number of suspensions of erase commands; a multi-plane command counts once.
    pub suspended_erases: u64,
    /// Number of suspensions of program commands; a multi-plane command counts once.
    pub suspended_programs: u64,
}

impl DriveRecord {
    /// Returns the difference between this record and an earlier copy of the record.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        let before = earlier.hop_counts.iter().copied().chain(std::iter::repeat(0));
        Self {
            conflicted_transfers: self.conflicted_transfers - earlier.conflicted_transfers,
            hop_counts: self.hop_counts.iter().zip(before).map(|(all, before)| all - before).collect(),
            interleaved: self.interleaved - earlier.interleaved,
            suspended_erases: self.suspended_erases - earlier.suspended_erases,
            suspended_programs: self.suspended_programs - earlier.suspended_programs,
            ..self.clone()
        }
    }

    /// Returns the number of transfers over the fabric.
    pub fn transfers(&self) -> u64 {
        self.hop_counts.iter().sum()
    }

    /// Returns the number of links crossed by all transfers.
    pub fn hops(&self) -> u64 {
        (0..).zip(&self.hop_counts).map(|(hops, count): (u64, _)| hops * count).sum()
    }

    /// Returns the active time of chips, summed over all chips.
    pub fn chip_busy(&self) -> SimSpan {
        self.chip_busy_by_chip.iter().copied().sum()
    }
}

impl Probe for DriveRecord {
    #[inline]
    fn on_command(&mut self, command: &CommandStart<'_>, _why: &impl TransactionOrigins, _now: SimTime) {
        self.interleaved += u64::from(command.is_interleaved);
        let planes = command.batch.len() as u64;
        *self.arrays.of(command.operation) += command.work.first * planes;
        self.arrays.program += command.work.program * planes;
    }

    fn on_next_page(&mut self, page: &CommandStart<'_>, why: &impl TransactionOrigins, now: SimTime) {
        self.on_command(page, why, now);
    }

    fn on_void_command(&mut self, operation: Operation, work: ArrayWork, planes: u64, _now: SimTime) {
        *self.voided.of(operation) += work.first * planes;
        if operation == Operation::Copyback {
            self.voided.program += work.program * planes;
        }
    }

    /// Records a transfer. A transfer that had to wait inside the fabric counts as one that waited for a
    /// path.
    fn on_transfer(&mut self, transfer: &TransferEnd<'_>, now: SimTime) {
        let delivery = transfer.delivery;
        self.transfer_time += transfer.took;
        self.conflicted_transfers += u64::from(transfer.conflicted || !delivery.path_wait.is_zero());
        *entry(&mut self.hop_counts, delivery.hops as usize) += 1;
        self.memory_bytes += u64::from(transfer.memory_bytes);
        self.last_work = now;
    }

    #[inline]
    fn on_array_end(&mut self, _die: DieId, now: SimTime) {
        self.last_work = now;
    }

    fn on_settling(&mut self, _die: DieId, span: SimSpan, _now: SimTime) {
        self.arrays.settling += span;
    }

    fn on_suspension(&mut self, _die: DieId, operation: Operation, _now: SimTime) {
        match operation {
            Operation::Erase => self.suspended_erases += 1,
            _ => self.suspended_programs += 1,
        }
    }

    #[inline]
    fn on_chip_rest(&mut self, chip: ChipId, since: SimTime, now: SimTime) {
        *entry(&mut self.chip_busy_by_chip, chip.index()) += now.since(since);
    }
}
