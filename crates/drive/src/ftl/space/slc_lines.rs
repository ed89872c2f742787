//! Lines (superblocks) of the pSLC cache: opening, erase, and choice of the line to be folded.
//!
//! The decisions are those of [`SlcCache`]. This module applies them to the blocks of all planes.

use venice_nand::geometry::{BlockId, PlaneId};

use crate::ftl::slc_cache::{FoldStep, LineUse, NextLine, SlcCache};

use super::blocks::Blocks;
use super::frontiers::WriteStream;
use super::plane::KEPT_FOR_COLLECTION;

/// Number of free lines that are kept for garbage collection while a line of the static cache is folded.
const KEPT_FOR_STATIC_FOLD: u32 = KEPT_FOR_COLLECTION + 1;

impl Blocks {
    /// Adds a pSLC cache to an erased drive.
    #[must_use]
    pub fn with_slc_cache(self, cache: SlcCache) -> Self {
        Self { slc: Some(Box::new(cache)), ..self }
    }

    /// Returns the pSLC cache, if the drive has one.
    #[inline]
    pub fn slc(&self) -> Option<&SlcCache> {
        self.slc.as_deref()
    }

    /// Returns true if a block is in SLC mode.
    #[inline]
    pub fn is_slc(&self, block: BlockId) -> bool {
        self.slc.as_ref().is_some_and(|slc| slc.is_slc(block.0 % self.geometry.blocks_per_plane))
    }

    /// Returns true if the line with this index is in SLC mode.
    #[inline]
    pub fn is_slc_line(&self, line: u32) -> bool {
        self.slc.as_ref().is_some_and(|slc| slc.is_slc(line))
    }

    /// Changes the state of the pSLC cache, if the drive has one, and plans the next line of host writes.
    pub fn change_slc_cache(&mut self, change: impl FnOnce(&mut SlcCache)) {
        if let Some(slc) = &mut self.slc {
            change(slc);
            self.plan_host_line();
        }
    }

    /// Returns the offset of the first slot (location of a mapping unit) that a stream uses in its next
    /// block.
    pub(super) fn first_offset(&self, stream: WriteStream) -> u32 {
        match (&self.slc, stream) {
            (Some(slc), WriteStream::Host(_)) => slc.next_first_slot(),
            _ => 0,
        }
    }

    /// Removes and returns the block, in the plane `plane`, of the next line of a stream.
    pub(super) fn take_of_line(&mut self, plane: PlaneId, stream: WriteStream) -> Option<BlockId> {
        let is_of_host = matches!(stream, WriteStream::Host(_));
        match self.slc.as_ref().filter(|_| is_of_host).map(|slc| slc.next_line()) {
            Some(NextLine::Static(line)) => Some(self.geometry.block(plane, line)),
            _ => self.take(plane, stream),
        }
    }

    /// Records that a stream has opened the line of `block`.
    pub(super) fn line_opened(&mut self, stream: WriteStream, block: BlockId) {
        if let (Some(slc), WriteStream::Host(_)) = (&mut self.slc, stream) {
            slc.open(block.0 % self.geometry.blocks_per_plane);
        }
        self.plan_host_line();
    }

    /// Erases a block in SLC mode. After the last block of its line, also counts the erase of the line and
    /// frees the line.
    pub(super) fn erase_in_slc_mode(&mut self, block: BlockId) {
        let before = self.table.erase_uncounted(block);
        let (Some(slc), Some(lines)) = (&mut self.slc, &mut self.lines) else { return };
        let plane = self.geometry.plane_of(block);
        self.planes[plane].invalid_pages -= before.written - slc.first_slot();
        if !lines.block_ended() {
            return;
        }
        let line = block.0 % self.geometry.blocks_per_plane;
        if slc.erased(line) {
            for plane in lines.all_planes() {
                self.planes[plane].free.put(line, before.erases);
            }
            self.gained += i64::from(self.geometry.planes());
        }
        self.plan_host_line();
    }

    /// Decides on the next line of host writes, after a line was opened or freed.
    pub(super) fn plan_host_line(&mut self) {
        if self.slc.is_none() {
            return;
        }
        let space = self.line_use();
        let kept = self.rule.kept_from_map;
        if let Some(slc) = &mut self.slc {
            slc.plan(space, kept);
            self.rule.kept_from_host = match slc.next_line() {
                NextLine::Static(_) => 0,
                NextLine::Dynamic | NextLine::Direct => kept,
                NextLine::Wait => u32::MAX,
            };
            self.collection_threshold = if slc.is_due() { u32::MAX } else { self.rule.start_free_blocks };
        }
    }

    fn line_use(&self) -> LineUse {
        let planes = (0..self.geometry.planes()).map(PlaneId);
        let committed: u64 = planes.map(|plane| u64::from(self.planes[plane].committed_pages)).sum();
        LineUse { free_lines: self.free_lines(), units: committed.saturating_sub(self.cached_units()) }
    }

    /// Returns the number of valid mapping units in a line.
    fn valid(&self, line: u32) -> u64 {
        let planes = (0..self.geometry.planes()).map(PlaneId);
        planes.map(|plane| u64::from(self.table[self.geometry.block(plane, line)].valid)).sum()
    }

    fn free_lines(&self) -> u32 {
        // All planes have the same number of free blocks.
        self.planes[PlaneId(0)].free_blocks()
    }

    /// Returns the number of mapping units that the pSLC cache can contain at present.
    pub fn cache_units(&self) -> u64 {
        let outside = self.line_use().units;
        self.slc.as_ref().map_or(0, |slc| u64::from(slc.most_lines(outside)) * slc.units_of_line())
    }

    /// Returns the number of valid mapping units in the pSLC cache.
    pub fn cached_units(&self) -> u64 {
        self.slc.iter().flat_map(|slc| slc.used()).map(|line| self.valid(line)).sum()
    }

    /// Returns true if a line may have to be collected or folded, since too few lines are free or a line of
    /// the pSLC cache should be folded.
    #[inline]
    pub fn may_collect_line(&self, free_lines: u32) -> bool {
        free_lines < self.collection_threshold
    }

    /// Returns true if a plane has fewer free blocks than the threshold of garbage collection, or if a line
    /// of the pSLC cache should be folded.
    pub fn is_short(&self, plane: PlaneId) -> bool {
        self.planes[plane].free_blocks() < self.collection_threshold
    }

    /// Returns the line of the pSLC cache that is to be folded now. `is_short` is true if fewer lines are
    /// free than the threshold of garbage collection.
    pub fn next_fold(&self, is_short: bool) -> FoldStep {
        let Some(slc) = &self.slc else { return FoldStep::None };
        let planes = || (0..self.geometry.planes()).map(PlaneId);
        let is_full = |line| planes().all(|plane| self.settled_at(plane, line).is_some());
        slc.step(self.free_lines(), KEPT_FOR_COLLECTION, is_short, is_full)
    }

    /// Records the start of the folding of a line. Returns true if the folding precedes the host's commands.
    pub fn fold_begins(&mut self, line: u32) -> bool {
        let valid = self.valid(line);
        let Some(slc) = &mut self.slc else { return false };
        if slc.is_static(line) {
            self.rule.kept_from_map = KEPT_FOR_STATIC_FOLD;
        }
        let is_first = slc.fold_begins(valid);
        self.plan_host_line();
        is_first
    }

    /// Records the end of the collection of a line.
    pub fn fold_ended(&mut self) {
        if self.slc.is_some() {
            self.rule.kept_from_map = KEPT_FOR_COLLECTION;
            self.plan_host_line();
        }
    }
}
