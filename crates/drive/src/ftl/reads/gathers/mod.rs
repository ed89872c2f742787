//! Gathers: requests that combine several pages, the operands, in one flash chip.
//!
//! # What it models
//! Bulk bitwise operations in a flash chip combine pages of this chip. A gather is a request for such an
//! operation on pages (operands) that are anywhere on the drive. One chip, the target, combines the operands.
//! An operand on the target chip is sensed and combined there. Any other operand is read on its own chip and
//! moved to the target: directly from chip to chip if the fabric supports this, otherwise through a
//! controller. The host receives the result, or only a completion if the result stays in the target's latch.
//!
//! # How
//! The target is chosen when the request arrives. The target keeps the intermediate result of one gather in a
//! latch that other reads and programs do not use. Further gathers with the same target wait before any of
//! their operands is read. A gather that has started therefore waits only for dies and paths.
//!
//! All operands of a gather are read in parallel and may be combined in any order. The first one is stored,
//! and each further one takes `t_operation_us` to be combined. After the last one the result is sent.
//!
//! # What is left out
//! Transfers within a chip: operands on another die or plane of the target chip reach the latch in zero time.
//! The values of bits: operands are combined as they were sensed, without error correction, and the report
//! has the expected error rate of results. The program of the result.
//!
//! # Source
//! Nadig et al., "Venice", ISCA 2023, §8 (operands of in-flash operations must be gathered on one chip; no
//! mechanism). Gao et al., "`ParaBit`", MICRO 2021, and Park et al., "Flash-Cosmos", MICRO 2022 (the
//! operations).
//!
//! # Parameters
//! `gather.*`, `fabric.chip_to_chip`

use std::collections::VecDeque;

mod placement;
mod sensing;
pub(in crate::ftl) mod settings;

use arrayvec::ArrayVec;
use slab::Slab;
use venice_kernel::{SimSpan, SimTime};
use venice_nand::geometry::{ChipId, GatherId, Geometry, Lpn, MappingUnits, PlaneId, RequestId};
use venice_nand::transactions::{Purpose, Transaction};

use crate::ftl::initiator::Initiator;
use crate::ftl::settings::FtlSettings;
use crate::ftl::translation::Translation;

use sensing::SenseGroup;

pub(in crate::ftl) use sensing::{OperandCells, SensedOperand, StartedSense};
pub use settings::{
    GatherPlacement, GatherResult, GatherSensing, GatherSettings, GatherTarget, GatherWait, MAX_OPERANDS,
    OperandProgramming,
};

pub(in crate::ftl) type Operands = ArrayVec<Lpn, MAX_OPERANDS>;

/// Gather (combination of several pages on one chip) that waits until its target chip is free.
#[derive(Clone, Copy, Debug)]
pub(in crate::ftl) struct PendingGather {
    pub(in crate::ftl) initiator: Initiator,
    pub(in crate::ftl) queue: u16,
    pub(in crate::ftl) first: Lpn,
    pub(in crate::ftl) sectors: u64,
    pub(in crate::ftl) target: PlaneId,
    pub(in crate::ftl) since: SimTime,
}

/// Gather (combination of several pages on one chip) that is in progress.
#[derive(Clone, Copy, Debug)]
struct Gather {
    request: RequestId,
    target: PlaneId,
    /// Number of operands whose combination has begun, including those that have been combined.
    begun: u32,
    /// Number of operands whose combination has not ended.
    left: u32,
    /// True if the data of an operand could not be corrected, so that the result is not valid.
    is_unreadable: bool,
    /// Logarithm of the probability that all operands have the correct value of a bit.
    log_correct: f64,
}

/// Gather whose last operand has been combined, and the gather that can start next on its target chip.
#[derive(Clone, Debug)]
pub(in crate::ftl) struct EndedGather {
    pub(in crate::ftl) request: RequestId,
    pub(in crate::ftl) is_unreadable: bool,
    /// Probability, for each bit of the result, that this bit is wrong in at least one operand. Zero without
    /// a model of errors.
    pub(in crate::ftl) error_rate: f64,
    /// Gather that has waited longest for the same target chip, and can now start.
    pub(in crate::ftl) next: Option<PendingGather>,
}

/// State of a chip as the target of gathers, on which operands are combined.
#[derive(Clone, Debug, Default)]
struct Target {
    is_taken: bool,
    waiting: VecDeque<PendingGather>,
    /// Queued sensing operations that further operands of the gather can join.
    groups: Vec<SenseGroup>,
}

/// Gathers in progress, and gathers that wait for their target chips.
#[derive(Clone, Debug)]
pub(in crate::ftl) struct Gathers {
    geometry: Geometry,
    units: MappingUnits,
    cells: OperandCells,
    settings: GatherSettings,
    /// Seed from which the operands of gathers are chosen.
    seed: u64,
    begun: Slab<Gather>,
    /// State of each chip as a target, indexed by chip.
    targets: Vec<Target>,
    waiting: usize,
}

impl Gathers {
    /// Creates the state of a drive without gathers. `geometry` counts mapping units as pages.
    pub(in crate::ftl) fn new(settings: &FtlSettings, cells: OperandCells, geometry: &Geometry) -> Self {
        Self {
            geometry: *geometry,
            units: settings.units,
            cells,
            settings: settings.gather,
            seed: settings.seed,
            begun: Slab::new(),
            targets: vec![Target::default(); geometry.array.chips() as usize],
            waiting: 0,
        }
    }

    /// Returns the number of gathers that are in progress or waiting.
    pub(in crate::ftl) fn under_way(&self) -> usize {
        self.begun.len() + self.waiting
    }

    /// Returns true if at least one gather is in progress.
    #[inline]
    pub(in crate::ftl) fn have_begun(&self) -> bool {
        !self.begun.is_empty()
    }

    fn chip_of(&self, plane: PlaneId) -> ChipId {
        self.geometry.chip_of(self.geometry.die_of(plane))
    }

    /// Returns the plane whose die combines the operands of the gather that requests the page `first`.
    pub(in crate::ftl) fn target_of(&self, translation: &Translation, first: Lpn) -> PlaneId {
        let operands = self.operands_of(translation, first);
        let planes: ArrayVec<PlaneId, MAX_OPERANDS> =
            operands.iter().map(|&lpn| self.geometry.plane_of_page(translation.locate(lpn).0)).collect();
        match self.settings.target {
            GatherTarget::FirstOperand => planes[0],
            GatherTarget::MostOperands => {
                let on_chip = |&plane: &PlaneId| {
                    planes.iter().filter(|&&other| self.chip_of(other) == self.chip_of(plane)).count()
                };
                // `max_by_key` returns the last maximum, so the reversed order gives the earliest operand.
                planes.iter().rev().copied().max_by_key(on_chip).unwrap_or(planes[0])
            }
        }
    }

    /// Accepts a gather. If its target chip is free, returns the gather, which can then start; otherwise the
    /// gather waits.
    pub(in crate::ftl) fn want(&mut self, wanted: PendingGather) -> Option<PendingGather> {
        let chip = self.chip_of(wanted.target);
        let state = &mut self.targets[chip.index()];
        if !state.is_taken {
            return Some(wanted);
        }
        state.waiting.push_back(wanted);
        self.waiting += 1;
        None
    }

    /// Starts a gather, which occupies its target chip. Returns its id and its operands.
    pub(in crate::ftl) fn begin(
        &mut self,
        translation: &Translation,
        wanted: &PendingGather,
    ) -> (GatherId, Operands) {
        let operands = self.operands_of(translation, wanted.first);
        let chip = self.chip_of(wanted.target);
        self.targets[chip.index()].is_taken = true;
        let left = operands.len() as u32;
        let (request, target) = (wanted.initiator.id, wanted.target);
        let gather = Gather { request, target, begun: 0, left, is_unreadable: false, log_correct: 0.0 };
        (GatherId(self.begun.insert(gather) as u32), operands)
    }

    /// Sets the purpose of an operand whose location is known. An operand on the target chip is sensed there;
    /// any other operand is read to be moved. Returns true if the operand is on the target chip.
    pub(in crate::ftl) fn find(&self, gather: GatherId, operand: &mut Transaction) -> bool {
        let is_there = self.chip_of(operand.plane) == self.chip_of(self.target(gather));
        operand.collected = operand.plane;
        if is_there {
            operand.purpose = Purpose::OperandSense(gather);
        }
        is_there
    }

    /// Returns the plane whose die combines the operands of a gather in progress.
    pub(in crate::ftl) fn target(&self, gather: GatherId) -> PlaneId {
        self.begun[gather.index()].target
    }

    /// Returns true if an operand should stay in the page register of its die while the target is busy.
    /// `is_idle` returns true if no transaction waits for this die.
    pub(in crate::ftl) fn operand_waits(&self, is_idle: impl FnOnce() -> bool) -> bool {
        match self.settings.wait {
            GatherWait::Always => true,
            GatherWait::WhileIdle => is_idle(),
            GatherWait::Never => false,
        }
    }

    /// Starts combining `operands` operands, which are transferred or sensed together, with the intermediate
    /// result. Returns the duration of the combination.
    pub(in crate::ftl) fn combination_begins(&mut self, gather: GatherId, operands: u32) -> SimSpan {
        let state = &mut self.begun[gather.index()];
        state.begun += operands;
        if state.begun == operands { SimSpan::ZERO } else { self.settings.combination }
    }

    /// Returns true if the combination of these `operands` operands completes a result that is sent to the
    /// host.
    pub(in crate::ftl) fn gives_result(&self, combined: Purpose, operands: u32) -> bool {
        let (Purpose::OperandLoad(gather) | Purpose::OperandSense(gather)) = combined else { return false };
        self.settings.result == GatherResult::Host && self.begun[gather.index()].left == operands
    }

    /// Adds the raw bit error rate of an operand to the error rate of its gather. `is_slc` is true if the
    /// operand is stored in SLC mode.
    pub(in crate::ftl) fn add_errors(&mut self, gather: GatherId, is_slc: bool, regular_rate: f64) {
        let is_enhanced = self.settings.programming == OperandProgramming::EnhancedSlc;
        let has_one_bit = is_slc || self.cells.word_lines.types == 1;
        let rate =
            if is_enhanced && has_one_bit { self.settings.esp_raw_bit_error_rate } else { regular_rate };
        self.begun[gather.index()].log_correct += libm::log1p(-rate);
    }

    /// Records that the data of an operand could not be corrected.
    pub(in crate::ftl) fn operand_is_unreadable(&mut self, gather: GatherId) {
        self.begun[gather.index()].is_unreadable = true;
    }

    /// Processes the end of the combination of an operand with the intermediate result. After the last
    /// operand, returns the gather.
    pub(in crate::ftl) fn combination_ended(&mut self, gather: GatherId) -> Option<EndedGather> {
        let state = &mut self.begun[gather.index()];
        state.left -= 1;
        if state.left > 0 {
            return None;
        }
        let Gather { request, target, is_unreadable, log_correct, .. } = self.begun.remove(gather.index());
        let chip = self.chip_of(target);
        let state = &mut self.targets[chip.index()];
        state.is_taken = false;
        state.groups.clear();
        let next = state.waiting.pop_front();
        self.waiting -= usize::from(next.is_some());
        Some(EndedGather { request, is_unreadable, error_rate: -libm::expm1(log_correct), next })
    }
}

#[cfg(test)]
mod tests {
    use venice_nand::geometry::Priority;
    use venice_nand::testkit::paper_flash;

    use super::*;
    use crate::ftl::shared::bench::Bench;

    /// Creates the state for two chips with 16 host pages each, and its translation.
    fn gathers(settings: GatherSettings) -> (Gathers, Translation) {
        let Bench { shared, settings, .. } = Bench::new(2, |ftl| ftl.gather = settings);
        (
            Gathers::new(&settings, OperandCells::of(&paper_flash(1).array), &shared.geometry),
            shared.translation,
        )
    }

    fn pending(request: u32, first: u32) -> PendingGather {
        let initiator = Initiator { id: RequestId(request), priority: Priority::High, sectors: 1 };
        let (first, target) = (Lpn(first), PlaneId(0));
        PendingGather { initiator, queue: 0, first, sectors: 1, target, since: SimTime::ZERO }
    }

    #[test]
    fn operand_stays_in_its_register_as_long_as_configured() {
        for (wait, [on_busy_die, on_idle_die]) in [
            (GatherWait::Always, [true, true]),
            (GatherWait::WhileIdle, [false, true]),
            (GatherWait::Never, [false, false]),
        ] {
            let (gathers, _) = gathers(GatherSettings { wait, ..GatherSettings::default() });
            assert_eq!(
                [false, true].map(|is_idle| gathers.operand_waits(|| is_idle)),
                [on_busy_die, on_idle_die]
            );
        }
    }

    #[test]
    fn last_combination_ends_the_gather_and_lets_the_next_one_of_the_chip_begin() {
        let (mut gathers, translation) = gathers(GatherSettings { operands: 2, ..GatherSettings::default() });
        let wanted = gathers.want(pending(5, 0)).expect("the chip is free");
        let (id, operands) = gathers.begin(&translation, &wanted);
        assert_eq!(operands.len(), 2);
        assert!(gathers.want(pending(6, 1)).is_none(), "the chip is occupied");
        assert_eq!(gathers.under_way(), 2);
        assert!(gathers.combination_ended(id).is_none(), "an operand is missing");
        let EndedGather { request, next, .. } =
            gathers.combination_ended(id).expect("it was the last operand");
        assert_eq!((request, next.map(|gather| gather.initiator.id)), (RequestId(5), Some(RequestId(6))));
        assert_eq!(gathers.under_way(), 0, "the next one is returned");
        assert!(gathers.want(pending(7, 2)).is_some(), "the chip is free again");
    }
}
