//! Work of chips and of the fabric: counts, and times at work.

use venice_kernel::{SimSpan, SimTime};

use crate::chip::{ArrayWork, Operation};
use crate::geometry::{ChipId, DieId};

use super::growing::entry;
use super::{CommandStart, Probe, Reasons, TransferEnd};

/// Time for which planes' arrays worked, summed over planes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ArrayTime {
    /// Reading.
    pub read: SimSpan,
    /// Programming.
    pub program: SimSpan,
    /// Erasing.
    pub erase: SimSpan,
    /// Coming to rest for a suspension, and going on after it.
    pub settling: SimSpan,
}

impl ArrayTime {
    /// Where the array time of an operation is added up; a copyback begins with reading, and combining pages is counted as reading.
    #[inline]
    const fn of(&mut self, operation: Operation) -> &mut SimSpan {
        match operation {
            Operation::Read | Operation::Copyback | Operation::Combine => &mut self.read,
            Operation::Program => &mut self.program,
            Operation::Erase => &mut self.erase,
        }
    }

    /// What is done of operations.
    pub fn working(&self) -> SimSpan {
        self.read + self.program + self.erase
    }

    /// Returns this time without another, of each kind.
    #[must_use]
    pub fn without(self, other: Self) -> Self {
        Self {
            read: self.read.saturating_sub(other.read),
            program: self.program.saturating_sub(other.program),
            erase: self.erase.saturating_sub(other.erase),
            settling: self.settling.saturating_sub(other.settling),
        }
    }

    /// All of it.
    pub fn total(&self) -> SimSpan {
        self.working() + self.settling
    }
}

/// Work of chips and of the fabric since the measured phase began.
#[derive(Clone, Debug, Default)]
pub struct DriveRecord {
    /// Of transfers over the fabric, those that met a path conflict.
    pub conflicted_transfers: u64,
    /// Transfers by the number of links that they crossed.
    pub hop_counts: Vec<u64>,
    /// Operations that began while another die of the chip was at work.
    pub interleaved: u64,
    /// By chip, time for which it had a die at work; a chip that never worked, and those behind it, may be missing.
    pub chip_busy_by_chip: Vec<SimSpan>,
    /// Time for which plane arrays read, programmed and erased, summed over planes.
    pub arrays: ArrayTime,
    /// The part of it that was announced by commands to lost chips, and not worked.
    pub voided: ArrayTime,
    /// Time for which transfers were under way, summed over transfers.
    pub transfer_time: SimSpan,
    /// Bytes of pages into the drive's memory and out of it on the flash's side.
    pub memory_bytes: u64,
    /// End of the last array operation or transfer.
    pub last_work: SimTime,
    /// Suspensions of an erase, of one or several planes.
    pub suspended_erases: u64,
    /// Suspensions of a program.
    pub suspended_programs: u64,
}

impl DriveRecord {
    /// Returns the work after an earlier state of this record.
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

    /// Transfers over the fabric.
    pub fn transfers(&self) -> u64 {
        self.hop_counts.iter().sum()
    }

    /// Links crossed by all of them.
    pub fn hops(&self) -> u64 {
        (0..).zip(&self.hop_counts).map(|(hops, count): (u64, _)| hops * count).sum()
    }

    /// Time for which chips had a die at work, summed over chips.
    pub fn chip_busy(&self) -> SimSpan {
        self.chip_busy_by_chip.iter().copied().sum()
    }
}

impl Probe for DriveRecord {
    #[inline]
    fn on_command(&mut self, command: &CommandStart<'_>, _why: &impl Reasons, _now: SimTime) {
        self.interleaved += u64::from(command.is_interleaved);
        let planes = command.batch.len() as u64;
        *self.arrays.of(command.operation) += command.work.first * planes;
        self.arrays.program += command.work.program * planes;
    }

    fn on_void_command(&mut self, operation: Operation, work: ArrayWork, planes: u64, _now: SimTime) {
        *self.voided.of(operation) += work.first * planes;
        if operation == Operation::Copyback {
            self.voided.program += work.program * planes;
        }
    }

    /// A wait inside the fabric is a conflict, too.
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
