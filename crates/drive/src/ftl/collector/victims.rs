//! Trigger of garbage collection (GC), and choice of its victim.
//!
//! [`Victims::next`] decides if a plane needs a victim, and lets the configured policy choose it among the
//! plane's candidates. The policies are in [`gc`](crate::ftl::gc), whose module documentation states their
//! rules. The module `moves` then moves the victim's pages.
//!
//! # Invariant
//! If a write waits for a free page in a plane, GC is running there, or a pending program will start it.
//! Therefore [`Victims::next`] is called in these cases: at the end of a program or an erase; when a page of
//! the plane is overwritten in another plane; and when a write finds neither a free page nor a pending
//! program, since a run may begin with a plane that is full.
//!
//! If the host has no free page, the policy must then return a block whose collection gains a page, if there
//! is one. The spare pages of a plane guarantee that there is (`space::plane`).

use venice_nand::geometry::{BlockId, Geometry, PlaneId};

use crate::ftl::gc::{AnyVictimPolicy, Candidate, Candidates, ExternalVictim, PlaneShape, VictimSelection};
use crate::ftl::settings::FtlSettings;
use crate::ftl::slc_cache::FoldStep;
use crate::ftl::space::{
    Block, Blocks, CollectionCause, CollectionRule, KEPT_FOR_COLLECTION, Lines, Space, WriteStream,
};

use super::settings::GcTrigger;

/// Trigger of garbage collection and victim policy of a drive.
#[derive(Clone, Debug)]
pub(in crate::ftl) struct Victims {
    geometry: Geometry,
    rule: CollectionRule,
    policy: AnyVictimPolicy,
}

impl Victims {
    /// Creates the configured trigger and victim policy.
    pub(super) fn new(geometry: &Geometry, settings: &FtlSettings) -> Self {
        let rule = CollectionRule::of(settings);
        let blocks_of_victim = if rule.by_line { settings.data_planes(geometry) } else { 1 };
        let pages = geometry.pages_per_block * blocks_of_victim;
        let shape = PlaneShape { blocks: geometry.blocks_per_plane, pages };
        Self {
            geometry: *geometry,
            rule,
            policy: settings.victim.build(&settings.victim_parameters, shape, settings.seed),
        }
    }

    /// Replaces the victim policy by a user-defined one.
    pub(super) fn choose_by(&mut self, external: ExternalVictim) {
        self.policy = AnyVictimPolicy::External(external);
    }

    /// Returns true if the victim policy is user-defined.
    pub(super) const fn are_external(&self) -> bool {
        matches!(self.policy, AnyVictimPolicy::External(_))
    }

    /// Returns the first violation of the policy rules by a user-defined victim policy, if there was one.
    pub(super) fn broken_contract(&self) -> Option<&str> {
        match &self.policy {
            AnyVictimPolicy::External(external) => external.broken(),
            _ => None,
        }
    }

    /// Returns the block to be collected now in `plane`, if the plane has too few free blocks, and the cause of
    /// its garbage collection.
    pub(in crate::ftl) fn next(
        &mut self,
        space: &mut Space,
        plane: PlaneId,
    ) -> Option<(BlockId, CollectionCause)> {
        if space.is_lost(plane) {
            return None;
        }
        // In idle time, planes collect although they are not below the start threshold.
        let free = space.blocks.planes[plane].free_blocks();
        let is_idle = free >= self.rule.start_free_blocks && free < space.idle.target();
        let cause = if is_idle { CollectionCause::Idle } else { CollectionCause::Space };
        let block = self.victim(space, plane, is_idle)?;
        if is_idle {
            space.idle.note_victim();
        }
        Some((block, cause))
    }

    fn victim(&mut self, space: &mut Space, plane: PlaneId, is_idle: bool) -> Option<BlockId> {
        if self.rule.by_line {
            return self.next_line(space, is_idle).map(|index| self.geometry.block(plane, index));
        }
        if self.rule.trigger == GcTrigger::FullBlock {
            return self.owed(space, plane);
        }
        let state = &space.blocks.planes[plane];
        let missing = self.rule.start_free_blocks.saturating_sub(state.free_blocks()).max(u32::from(is_idle));
        if missing == 0 || !state.may_collect() {
            return None;
        }
        let must = space.blocks.next_offset(plane, WriteStream::Mapping(0)).is_none();
        if !must && (space.is_at_rest || !self.is_early_enough(space, plane, missing)) {
            return None;
        }
        self.choose(&space.blocks, plane, must)
    }

    /// Returns the index of the line (superblock) to be collected now, if the drive has too few free lines.
    fn next_line(&mut self, space: &Space, is_idle: bool) -> Option<u32> {
        let blocks = &space.blocks;
        let lines = blocks.lines()?;
        // All planes have the same number of free blocks.
        let free = blocks.planes[lines.planes()[0]].free_blocks();
        if !(is_idle || blocks.may_collect_line(free)) || lines.is_collecting() {
            return None;
        }
        let missing = self.rule.start_free_blocks.saturating_sub(free);
        let needs_space = match blocks.next_fold(missing > 0) {
            FoldStep::Fold(line) => return Some(line),
            FoldStep::NeedsSpace => true,
            FoldStep::None if missing == 0 && !is_idle => return None,
            FoldStep::None => false,
        };
        let missing = missing.max(u32::from(is_idle));
        let must = free <= KEPT_FOR_COLLECTION || needs_space;
        if !must && (space.is_at_rest || !self.is_early_enough_for_lines(blocks, missing)) {
            return None;
        }
        self.policy.choose(&LineCandidates { blocks, lines }, must)
    }

    /// Returns true if GC is worthwhile although the host still has free pages: the drive has enough invalid
    /// pages to fill `missing` lines (superblocks). `missing` is the number of free lines by which the drive
    /// is below the start threshold.
    fn is_early_enough_for_lines(&self, blocks: &Blocks, missing: u32) -> bool {
        let planes = blocks.lines().map_or(&[][..], |lines| lines.planes());
        let invalid: u64 = planes.iter().map(|&plane| u64::from(blocks.planes[plane].invalid_pages)).sum();
        let of_line = u64::from(self.geometry.pages_per_block) * planes.len() as u64;
        invalid / of_line >= u64::from(missing)
    }

    /// Returns the block to be collected with `gc_trigger = "full_block"`. There is one if a garbage
    /// collection is owed for another block that has become full, or if the host has no free page left.
    fn owed(&mut self, space: &mut Space, plane: PlaneId) -> Option<BlockId> {
        if !space.blocks.planes[plane].may_collect() {
            return None;
        }
        let must = space.blocks.next_offset(plane, WriteStream::Host(0)).is_none();
        let state = &mut space.blocks.planes[plane];
        if !must && state.owed_collections == 0 {
            return None;
        }
        state.owed_collections = state.owed_collections.saturating_sub(1);
        self.choose(&space.blocks, plane, must)
    }

    fn choose(&mut self, blocks: &Blocks, plane: PlaneId, must: bool) -> Option<BlockId> {
        let index = self.policy.choose(&PlaneCandidates { blocks, plane }, must)?;
        Some(self.geometry.block(plane, index))
    }

    /// Returns the block that would be the next victim in `plane` if the current `victim` were not a
    /// candidate.
    pub(in crate::ftl) fn next_but(
        &mut self,
        space: &Space,
        plane: PlaneId,
        victim: BlockId,
    ) -> Option<BlockId> {
        if space.is_lost(plane) {
            return None;
        }
        let all = PlaneCandidates { blocks: &space.blocks, plane };
        let except = victim.0 - self.geometry.block(plane, 0).0;
        let index = match space.blocks.lines() {
            None => self.policy.choose(&OtherCandidates { all, except }, true)?,
            Some(lines) => {
                let all = LineCandidates { blocks: &space.blocks, lines };
                self.policy.choose(&OtherCandidates { all, except }, true)?
            }
        };
        Some(self.geometry.block(plane, index))
    }

    /// Returns true if GC in a plane is worthwhile although the host still has free pages: the plane has a
    /// free block, and enough invalid pages to fill `missing` blocks. `missing` is the number of free blocks
    /// by which the plane is below the start threshold. Otherwise GC waits until the host has no free page,
    /// and then finds more invalid pages.
    fn is_early_enough(&self, space: &Space, plane: PlaneId, missing: u32) -> bool {
        let state = &space.blocks.planes[plane];
        let within_reach = state.invalid_pages / self.geometry.pages_per_block;
        state.free_blocks() > KEPT_FOR_COLLECTION && within_reach >= missing
    }
}

/// Candidates of a plane for garbage collection: full blocks with an invalid page and without a program in
/// flight.
struct PlaneCandidates<'a> {
    blocks: &'a Blocks,
    plane: PlaneId,
}

impl PlaneCandidates<'_> {
    #[inline]
    fn candidate(&self, index: u32, block: &Block) -> Option<Candidate> {
        let table = &self.blocks.table;
        let Block { valid, erases, .. } = *block;
        (valid <= table.most_valid_of_victim()).then(|| Candidate {
            index,
            valid,
            age: table.age(block),
            erases,
        })
    }
}

/// Candidates for garbage collection, except one block or line (superblock).
struct OtherCandidates<C> {
    all: C,
    /// Index of the excluded block or line (superblock).
    except: u32,
}

impl<C: Candidates> Candidates for OtherCandidates<C> {
    fn get(&self, index: u32) -> Option<Candidate> {
        self.all.get(index).filter(|_| index != self.except)
    }

    fn all(&self) -> impl Iterator<Item = Candidate> {
        self.all.all().filter(|candidate| candidate.index != self.except)
    }
}

impl Candidates for PlaneCandidates<'_> {
    #[inline]
    fn get(&self, index: u32) -> Option<Candidate> {
        self.blocks.settled_at(self.plane, index).and_then(|block| self.candidate(index, block))
    }

    #[inline]
    fn all(&self) -> impl Iterator<Item = Candidate> {
        self.blocks.settled(self.plane).filter_map(|(index, block)| self.candidate(index, block))
    }

    fn emptiest(&self) -> Option<Candidate> {
        let [emptiest, _] = self.blocks.best_candidates(self.plane);
        self.get(emptiest?)
    }

    fn oldest(&self) -> Option<Candidate> {
        let [_, oldest] = self.blocks.best_candidates(self.plane);
        self.get(oldest?)
    }
}

/// Lines (superblocks) of a drive that are eligible for garbage collection. All blocks of a candidate are
/// full and have no program in flight, and the line has at least as many invalid mapping units as fit into a
/// page.
struct LineCandidates<'a> {
    blocks: &'a Blocks,
    lines: &'a Lines,
}

impl Candidates for LineCandidates<'_> {
    fn get(&self, index: u32) -> Option<Candidate> {
        if self.blocks.is_slc_line(index) {
            return None;
        }
        let (table, planes) = (&self.blocks.table, self.lines.planes());
        let (mut valid, mut age, mut erases) = (0, u64::MAX, 0);
        for &plane in planes {
            let block = self.blocks.settled_at(plane, index)?;
            valid += block.valid;
            age = age.min(table.age(block));
            erases = block.erases;
        }
        for &plane in self.lines.parity_planes() {
            self.blocks.settled_at(plane, index)?;
        }
        // All blocks of a line but one may contain only valid units.
        let others = table.pages_per_block() * (planes.len() as u32 - 1);
        (valid <= others + table.most_valid_of_victim()).then_some(Candidate { index, valid, age, erases })
    }

    fn all(&self) -> impl Iterator<Item = Candidate> {
        (0..self.blocks.table.blocks_per_plane()).filter_map(|index| self.get(index))
    }
}

#[cfg(test)]
mod tests {
    use venice_nand::geometry::Ppn;

    use super::*;
    use crate::testkit::settings::SmallDrive;

    const PLANE: PlaneId = PlaneId(0);

    #[test]
    fn only_full_settled_blocks_with_an_invalid_page_are_candidates() {
        let mut drive = SmallDrive::new(1, 1);
        (drive.geometry.planes_per_die, drive.geometry.blocks_per_plane) = (1, 4);
        drive.geometry.pages_per_block = 2;
        let shared = crate::ftl::shared::Shared::new(drive.geometry, &drive.ftl, &drive.flash, false);
        let mut blocks = shared.space.blocks;
        for _ in 0..3 {
            blocks.allocate(PLANE, WriteStream::Host(0)).unwrap();
        }
        blocks.invalidate(Ppn(0));
        let found = |blocks: &Blocks| {
            let offered = PlaneCandidates { blocks, plane: PLANE };
            let all: Vec<_> = offered.all().collect();
            let one_by_one: Vec<_> = (0..4).filter_map(|index| offered.get(index)).collect();
            assert_eq!(all, one_by_one);
            all
        };
        assert_eq!(found(&blocks), [], "its programs are in flight");
        blocks.table[BlockId(0)].pending_programs = 0;
        assert_eq!(found(&blocks), [Candidate { index: 0, valid: 1, age: 1, erases: 0 }]);
        assert_eq!(PlaneCandidates { blocks: &blocks, plane: PLANE }.get(3), None, "it was never used");
    }
}
