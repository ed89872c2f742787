//! Sensing of several operands of a gather by one operation.
//!
//! # What it models
//! Operands of a gather that are stored suitably on the target chip are sensed together: the first one is
//! queued for its die, and further ones join it until its operation starts. `ParaBit` senses the pages of one
//! word line with the read voltages of the operation on their bits. Flash-Cosmos applies the read voltage to
//! several word lines. The string of a block conducts if all of its cells have a 1 (AND); the strings of
//! several blocks discharge the bit line if one of them conducts (OR). Data stored as its complement
//! exchanges AND and OR. Flash-Cosmos requires one bit per cell.
//!
//! # What is left out
//! The strings of a block: any pages of a block can be sensed together. Sensing of several word lines in each
//! of several blocks (an OR of ANDs). Further address cycles of the command.
//!
//! # Source
//! Gao et al., "`ParaBit`", MICRO 2021. Park et al., "Flash-Cosmos", MICRO 2022.
//!
//! # Parameters
//! `gather.sensing`, `gather.operation`, `gather.inverted_data`, `gather.max_wordlines`, `gather.max_blocks`,
//! `gather.t_multi_sense_pct_per_wordline`, `gather.t_multi_sense_pct_per_block`

use arrayvec::ArrayVec;
use venice_kernel::SimSpan;
use venice_nand::chip::{ArrayTimes, BitOperation, PageOperation, WordLines};
use venice_nand::geometry::{ChipId, GatherId, Ppn, TransactionId};

use super::{GatherSensing, Gathers, MAX_OPERANDS};

/// Parts per million in a percentage point.
const PPM_PER_PERCENT: f64 = 1e4;

/// Properties of the flash cells that determine how the operands of a gather are sensed.
#[derive(Clone, Copy, Debug)]
pub(in crate::ftl) struct OperandCells {
    pub(super) word_lines: WordLines,
    /// Time to sense a page with one bit per cell: first outside SLC mode, then in a block in SLC mode.
    reads: [SimSpan; 2],
}

impl OperandCells {
    pub(in crate::ftl) fn of(array: &ArrayTimes) -> Self {
        Self { word_lines: array.word_lines(), reads: [array.read[0], array.slc_read] }
    }
}

/// Operation that senses one or more operands of a gather, when it starts.
#[derive(Clone, Copy, Debug)]
pub(in crate::ftl) struct StartedSense {
    pub(in crate::ftl) operation: PageOperation,
    pub(in crate::ftl) operands: u32,
    /// Array time of a normal read that takes as much energy as sensing several blocks at once takes in
    /// addition to one read.
    pub(in crate::ftl) added_energy: SimSpan,
}

/// Operands of a gather that one operation senses together.
#[derive(Clone, Debug)]
pub(super) struct SenseGroup {
    /// Transaction of the first operand, which waits for the die to start the operation.
    lead: TransactionId,
    slots: ArrayVec<Ppn, MAX_OPERANDS>,
    /// True if the operands are stored in SLC mode.
    is_slc: bool,
}

/// Operand that is stored on the target chip of its gather.
#[derive(Clone, Copy, Debug)]
pub(in crate::ftl) struct SensedOperand {
    pub(in crate::ftl) id: TransactionId,
    pub(in crate::ftl) slot: Ppn,
    /// True if the operand is stored in SLC mode.
    pub(in crate::ftl) is_slc: bool,
}

impl Gathers {
    /// Adds an operand to a queued sensing operation of its gather, and returns the transaction of this
    /// operation. If there is no suitable operation, returns `None`, and further operands may join `operand`.
    pub(in crate::ftl) fn join_sense(&mut self, operand: SensedOperand) -> Option<TransactionId> {
        if self.settings.sensing == GatherSensing::SinglePage {
            return None;
        }
        let chip = self.chip_of_slot(operand.slot).index();
        let found = self.targets[chip].groups.iter().position(|group| self.can_join(group, operand));
        let groups = &mut self.targets[chip].groups;
        if let Some(group) = found.map(|place| &mut groups[place]) {
            group.slots.push(operand.slot);
            return Some(group.lead);
        }
        let SensedOperand { id: lead, slot, is_slc } = operand;
        groups.push(SenseGroup { lead, slots: std::iter::once(slot).collect(), is_slc });
        None
    }

    fn chip_of_slot(&self, slot: Ppn) -> ChipId {
        self.chip_of(self.geometry.plane_of_page(slot))
    }

    /// Returns true if two mapping units have the same position within their pages, so that they use the same
    /// bit lines.
    pub(super) fn share_bit_lines(&self, slot: Ppn, other: Ppn) -> bool {
        slot.0 % self.units.per_page() == other.0 % self.units.per_page()
    }

    fn can_join(&self, group: &SenseGroup, operand: SensedOperand) -> bool {
        let (first, slot) = (group.slots[0], operand.slot);
        let are_alike = group.is_slc == operand.is_slc
            && self.share_bit_lines(first, slot)
            && self.units.pages() == 1
            // A page that was never written is read from the slot of a static order, which may hold another page.
            && !group.slots.contains(&slot);
        are_alike
            && match self.settings.sensing {
                GatherSensing::SinglePage => false,
                GatherSensing::ParaBit => !group.is_slc && self.share_word_line(first, slot),
                GatherSensing::FlashCosmos => {
                    (group.is_slc || self.cells.word_lines.types == 1) && self.conduct_together(group, slot)
                }
            }
    }

    /// Returns true if two pages are stored as different bits of the same cells.
    fn share_word_line(&self, slot: Ppn, other: Ppn) -> bool {
        let word_line = |slot| self.cells.word_lines.word_line(self.page_offset(slot));
        self.geometry.block_of(slot) == self.geometry.block_of(other) && word_line(slot) == word_line(other)
    }

    /// Returns true if the page of `slot` can be added to an operation that senses several word lines or
    /// blocks.
    fn conduct_together(&self, group: &SenseGroup, slot: Ppn) -> bool {
        let (geometry, count) = (&self.geometry, group.slots.len() as u32);
        let block = geometry.block_of(slot);
        let shares_block = |&other: &Ppn| geometry.block_of(other) == block;
        match self.senses_word_lines() {
            None => false,
            Some(true) => shares_block(&group.slots[0]) && count < self.settings.max_wordlines,
            Some(false) => {
                let shares_plane = geometry.plane_of(block) == geometry.plane_of_page(group.slots[0]);
                shares_plane && !group.slots.iter().any(shares_block) && count < self.settings.max_blocks
            }
        }
    }

    /// Returns true if the bit operation results from sensing several word lines of one block. Returns false
    /// if it results from sensing several blocks of a plane, and `None` if sensing cannot compute it.
    const fn senses_word_lines(&self) -> Option<bool> {
        match self.settings.operation {
            BitOperation::And => Some(!self.settings.inverted_data),
            BitOperation::Or => Some(self.settings.inverted_data),
            BitOperation::Xor => None,
        }
    }

    fn page_offset(&self, slot: Ppn) -> u32 {
        self.units.page_offset(self.geometry.page_offset(slot))
    }

    /// Starts the operation that senses the operand in `slot`, and the operands that have joined it.
    pub(in crate::ftl) fn sense_starts(
        &mut self,
        gather: GatherId,
        lead: TransactionId,
        slot: Ppn,
    ) -> StartedSense {
        let chip = self.chip_of_slot(slot);
        let groups = &mut self.targets[chip.index()].groups;
        let group = groups.iter().position(|group| group.lead == lead).map(|place| groups.swap_remove(place));
        let operands = group.as_ref().map_or(1, |group| group.slots.len() as u32);
        let operation = self.combination_begins(gather, operands);
        let (operation, added_energy) = match group.filter(|_| operands > 1) {
            Some(group) if self.settings.sensing == GatherSensing::ParaBit => {
                (self.sense_bits(&group, operation), SimSpan::ZERO)
            }
            Some(group) => self.sense_together(&group, operation),
            None => {
                let offset = self.page_offset(slot);
                (PageOperation::CombineSensed { offset, added_ppm: 0, operation }, SimSpan::ZERO)
            }
        };
        StartedSense { operation, operands, added_energy }
    }

    fn sense_bits(&self, group: &SenseGroup, operation: SimSpan) -> PageOperation {
        let bit = |&slot: &Ppn| 1 << self.cells.word_lines.page_type(self.page_offset(slot));
        let types = group.slots.iter().map(bit).sum();
        let voltages = self.cells.word_lines.voltages(types, self.settings.operation);
        PageOperation::CombineBits { voltages, operation }
    }

    /// Returns the operation that senses several word lines or blocks, and the energy of its additional
    /// power, as the time of a normal read with the same energy.
    fn sense_together(&self, group: &SenseGroup, operation: SimSpan) -> (PageOperation, SimSpan) {
        let further = (group.slots.len() - 1) as f64;
        let (time_pct, power_pct) = match self.senses_word_lines() {
            Some(true) => (self.settings.wordline_pct, 0.0),
            _ => (self.settings.block_pct, self.settings.block_power_pct),
        };
        let added_ppm = (further * time_pct * PPM_PER_PERCENT).round() as u32;
        let offset = self.page_offset(group.slots[0]);
        let read = self.cells.reads[usize::from(group.is_slc)].as_ps() as f64;
        let added_energy = read * (1.0 + further * time_pct / 100.0) * further * power_pct / 100.0;
        let operation = PageOperation::CombineSensed { offset, added_ppm, operation };
        (operation, SimSpan::from_ps(added_energy.round() as u64))
    }
}
