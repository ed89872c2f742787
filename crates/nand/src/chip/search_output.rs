//! Search outputs: registers from which a chip sends the results of a search.
//!
//! # How
//! Each chip has two search outputs, one for short answers and one for pages. They share the chip's pins with
//! its dies, and are independent of the dies otherwise. An output is numbered like a die, after all dies of the
//! drive, so that its transfers are transfers of a die for the fabric.

use arrayvec::ArrayVec;
use venice_kernel::SimTime;

use crate::geometry::{ChipId, DieId, Geometry, TransactionId};

use super::chips::Chips;
use super::die::{ArrayWork, CommandPhase, DataConsumer};

/// Number of search outputs of a chip.
pub const OUTPUTS_PER_CHIP: usize = 2;

/// Type of the results that a search output sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputKind {
    /// Short answers for searched pages, such as the absence of a match.
    Answers,
    /// Whole pages.
    Pages,
}

/// Search output of a chip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SearchOutput {
    /// Chip of the output.
    pub chip: ChipId,
    /// Type of the results that the output sends.
    pub kind: OutputKind,
}

impl SearchOutput {
    /// Returns the outputs of all chips in the order of their numbers.
    pub fn all(geometry: &Geometry) -> impl Iterator<Item = Self> + use<> {
        let kinds = [OutputKind::Answers, OutputKind::Pages];
        let of_chip = move |chip| kinds.map(|kind| Self { chip: ChipId(chip), kind });
        (0..geometry.array.chips()).flat_map(of_chip)
    }

    /// Returns the number of the output, which follows the numbers of the `dies` dies of the drive.
    #[inline]
    pub const fn number(self, dies: u32) -> DieId {
        DieId(dies + OUTPUTS_PER_CHIP as u32 * self.chip.0 + self.kind as u32)
    }

    /// Returns the output with the number `number`; `None` if it is the number of a die.
    #[inline]
    pub fn of(number: DieId, dies: u32) -> Option<Self> {
        let place = number.0.checked_sub(dies)?;
        let kind = if place.is_multiple_of(OUTPUTS_PER_CHIP as u32) {
            OutputKind::Answers
        } else {
            OutputKind::Pages
        };
        Some(Self { chip: ChipId(place / OUTPUTS_PER_CHIP as u32), kind })
    }
}

impl Chips {
    /// Records that a result at the output `number` waits for a path. `turn` is its priority.
    pub fn result_waits(
        &mut self,
        number: DieId,
        result: TransactionId,
        turn: (DataConsumer, SimTime),
        now: SimTime,
    ) {
        let state = &mut self.dies[number.index()];
        state.batch.clear();
        state.batch.push(result);
        state.data_turn = turn;
        state.enter(CommandPhase::ResultReady, now);
    }

    /// Removes the result at the output `number` after its transfer.
    pub fn result_left(&mut self, number: DieId, now: SimTime) -> Option<TransactionId> {
        let state = &mut self.dies[number.index()];
        state.enter(CommandPhase::Idle, now);
        state.batch.pop()
    }

    /// Returns true if the output `number` has no result.
    pub fn has_no_result(&self, number: DieId) -> bool {
        self.dies[number.index()].batch.is_empty()
    }

    /// Records that a sensed page stays in the register of a die until the chip's matcher or output register is
    /// free.
    pub fn page_is_latched(&mut self, die: DieId, now: SimTime) {
        self.dies[die.index()].enter(CommandPhase::Latched, now);
    }

    /// Starts the sensing of the next page of a search, whose command the die has received during the previous
    /// one. Returns the end of the sensing.
    pub fn next_page_begins(
        &mut self,
        die: DieId,
        page: TransactionId,
        work: ArrayWork,
        now: SimTime,
    ) -> SimTime {
        let state = &mut self.dies[die.index()];
        debug_assert_eq!(state.phase, CommandPhase::Latched, "{:?}", state.chip);
        state.batch = ArrayVec::new();
        state.batch.push(page);
        state.work = work;
        state.enter(CommandPhase::Array, now);
        let ends = now + work.first;
        state.array_ends = Some(ends);
        ends
    }
}
