//! pSLC cache: lines (superblocks) that host writes fill with one bit per cell, and that are folded later.
//!
//! # What it models
//! A block in SLC mode is programmed, read and erased faster, but has only a fraction of its pages. Host
//! writes fill lines in SLC mode while the cache has space. When the cache is full, they fill lines with
//! all bits per cell, or wait. Folding moves the valid units of the oldest line of the cache to lines
//! with all bits per cell.
//!
//! # How
//! [`SlcCache`] decides on the mode of the next line of host writes ([`NextLine`]) and on the time to fold a
//! line. [`Blocks`](crate::ftl::space::Blocks) asks it when a line is opened or erased, not for each write.
//! The collector executes the moves, with the cause
//! [`Fold`](crate::ftl::space::CollectionCause::Fold). A block in SLC mode uses its last pages only: its first
//! page is at the offset [`SlcCache::first_slot`], so that a block is full at the same offset in both modes.
//!
//! # What is left out
//! Wear of cells by both modes together; a block counts its erases in each mode separately. Folding inside a
//! die without a transfer of the data.
//!
//! # Source
//! `docs/models/slc-cache.md`
//!
//! # Parameters
//! `ftl.slc_*`, `flash.t_read_slc_us`, `flash.t_prog_slc_us`, `flash.t_bers_slc_us`

pub(super) mod settings;

use std::collections::VecDeque;

use venice_kernel::SimTime;
use venice_nand::geometry::{Geometry, MappingUnits};

use super::idle::IdleTimer;
pub use settings::{SlcCacheParameters, SlcCacheSettings, WhenFull};

/// Number of free lines, in addition to the reserved one, that must remain when a static line is folded,
/// because folding it frees no line for garbage collection.
const SPARE_FOR_STATIC_FOLD: u32 = 1;

/// Mode of the next line that host writes open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NextLine {
    /// Line of the static cache, with its index.
    Static(u32),
    /// Free line in SLC mode.
    Dynamic,
    /// Free line with all bits per cell.
    Direct,
    /// No line, until the cache has a free one.
    Wait,
}

/// Use of a drive's lines (superblocks) outside the pSLC cache.
#[derive(Clone, Copy, Debug)]
pub struct LineUse {
    /// Number of free lines that are not part of the static cache.
    pub free_lines: u32,
    /// Number of mapping units of the host in lines that are not in SLC mode.
    pub units: u64,
}

/// Next step of folding: the line of the pSLC cache to be folded, if there is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FoldStep {
    /// No line is to be folded now.
    None,
    /// The line of this index is to be folded.
    Fold(u32),
    /// A line of the cache must be folded, but garbage collection has to free other lines before.
    NeedsSpace,
}

/// State of a drive's pSLC cache, and the rules by which it is filled and folded.
#[derive(Clone, Debug)]
pub struct SlcCache {
    settings: SlcCacheSettings,
    first_slot: u32,
    /// Number of mapping units in a line: first with all bits per cell, then in SLC mode.
    line_units: [u64; 2],
    /// Number of mapping units that the host can address.
    host_units: u64,
    /// Free lines of the static cache, the next one first.
    free_static: VecDeque<u32>,
    /// Lines in SLC mode that are open or full, the oldest first.
    used: VecDeque<u32>,
    /// True for each line in SLC mode, by index.
    is_slc: Vec<bool>,
    /// Number of erases in SLC mode, by index of the line.
    erases: Vec<u32>,
    next: NextLine,
    /// True after the first request of the run. Before it, no line is filled in SLC mode, so that
    /// preconditioning does not use the cache.
    is_active: bool,
    idle: IdleTimer,
    /// Number of mapping units that may be folded at present. The number grows with the mapping units that
    /// the host writes.
    credit: f64,
}

impl SlcCache {
    /// Creates the empty cache of a drive whose host can address `host_units` mapping units. `data_planes` is
    /// the number of planes with data.
    pub fn new(
        settings: SlcCacheSettings,
        geometry: &Geometry,
        data_planes: u32,
        units: MappingUnits,
        host_units: u64,
    ) -> Self {
        let slots = geometry.pages_per_block;
        let of_block = (slots / settings.bits_per_cell / units.per_program()).max(1) * units.per_program();
        let planes = u64::from(data_planes);
        let lines = geometry.blocks_per_plane as usize;
        Self {
            settings,
            first_slot: slots - of_block,
            line_units: [u64::from(slots) * planes, u64::from(of_block) * planes],
            host_units,
            free_static: (0..settings.static_lines).collect(),
            used: VecDeque::new(),
            is_slc: vec![false; lines],
            erases: vec![0; lines],
            next: NextLine::Direct,
            is_active: false,
            idle: IdleTimer::new(settings.idle),
            credit: 0.0,
        }
    }

    /// Returns the offset, within its block, of the first slot (location of a mapping unit) that a block in
    /// SLC mode uses.
    pub const fn first_slot(&self) -> u32 {
        self.first_slot
    }

    /// Returns the offset of the first slot (location of a mapping unit) in the blocks of the next line of
    /// host writes.
    pub const fn next_first_slot(&self) -> u32 {
        match self.next {
            NextLine::Static(_) | NextLine::Dynamic => self.first_slot,
            NextLine::Direct | NextLine::Wait => 0,
        }
    }

    /// Returns the mode of the next line of host writes.
    pub const fn next_line(&self) -> NextLine {
        self.next
    }

    /// Returns true if a line is in SLC mode.
    #[inline]
    pub fn is_slc(&self, line: u32) -> bool {
        self.is_slc[line as usize]
    }

    /// Returns the lines in SLC mode that are open or full, the oldest first.
    pub fn used(&self) -> impl Iterator<Item = u32> {
        self.used.iter().copied()
    }

    /// Returns the number of mapping units in a line in SLC mode.
    pub const fn units_of_line(&self) -> u64 {
        self.line_units[1]
    }

    /// Returns the number of erases in SLC mode of each line.
    pub fn erases(&self) -> &[u32] {
        &self.erases
    }

    /// Returns the settings of the cache.
    pub const fn settings(&self) -> &SlcCacheSettings {
        &self.settings
    }

    /// Makes the cache available to host writes, at the first request of the run.
    pub const fn activate(&mut self) {
        self.is_active = true;
    }

    /// Records the beginning or end of a pause, in which the host has no outstanding request. Returns the
    /// time at which the drive becomes idle.
    pub fn note_pause(&mut self, is_paused: bool, now: SimTime) -> Option<SimTime> {
        self.idle.note_pause(is_paused, now)
    }

    /// Starts to fold the cache, unless the host has issued a request in the meantime.
    pub fn note_idle(&mut self, now: SimTime) {
        self.idle.note_due(now);
    }

    /// Returns the maximum number of lines in the cache, if `outside` mapping units of the host are stored
    /// outside the cache. A dynamic cache shrinks as the drive fills.
    pub fn most_lines(&self, outside: u64) -> u32 {
        let free = self.host_units.saturating_sub(outside) as f64;
        // Rounded to the nearest number, since writes in flight count as data outside the cache.
        let dynamic = (free * self.settings.dynamic_share / self.line_units[0] as f64).round();
        self.settings.static_lines + dynamic as u32
    }

    /// Decides on the next line of host writes, after a line was opened or freed. `kept` free lines are
    /// reserved for garbage collection.
    pub fn plan(&mut self, space: LineUse, kept: u32) {
        let used_dynamic = self.used.iter().filter(|&&line| !self.is_static(line)).count() as u32;
        let most_dynamic = self.most_lines(space.units) - self.settings.static_lines;
        self.next = match self.free_static.front() {
            _ if !self.is_active => NextLine::Direct,
            Some(&line) => NextLine::Static(line),
            None if used_dynamic < most_dynamic && space.free_lines > kept => NextLine::Dynamic,
            // A cache without lines could never be folded.
            None if self.settings.when_full == WhenFull::Wait && !self.used.is_empty() => NextLine::Wait,
            None => NextLine::Direct,
        };
    }

    /// Records that host writes have opened the planned line, which has the index `line`. Returns true if the
    /// line is in SLC mode.
    pub fn open(&mut self, line: u32) -> bool {
        let is_slc = matches!(self.next, NextLine::Static(_) | NextLine::Dynamic);
        if is_slc {
            self.free_static.retain(|&free| free != line);
            self.is_slc[line as usize] = true;
            self.used.push_back(line);
        }
        self.credit += self.line_units[usize::from(is_slc)] as f64 * self.settings.fold_share;
        is_slc
    }

    /// Returns true if the line with the index `line` is part of the static cache.
    pub const fn is_static(&self, line: u32) -> bool {
        line < self.settings.static_lines
    }

    /// Returns true if a line of the cache should be folded although enough lines are free. This is the case
    /// if host writes wait for the cache, if the drive is idle, or if the host has written enough.
    pub fn is_due(&self) -> bool {
        !self.used.is_empty() && (self.next == NextLine::Wait || self.idle.is_idle() || self.is_paced())
    }

    /// Returns true if the host has written enough for the next line to be folded. The limit is half a line,
    /// so that folding is on average neither early nor late.
    fn is_paced(&self) -> bool {
        self.credit >= self.line_units[1] as f64 / 2.0
    }

    /// Returns the line to be folded now. `is_short` is true if fewer lines are free than the threshold of
    /// garbage collection; folding a dynamic line then frees space. The function `is_full` returns true for a
    /// full line without programs in flight.
    pub fn step(
        &self,
        free_lines: u32,
        kept: u32,
        is_short: bool,
        is_full: impl Fn(u32) -> bool,
    ) -> FoldStep {
        let oldest = |may: &dyn Fn(u32) -> bool| self.used().find(|&line| may(line) && is_full(line));
        if is_short && let Some(line) = oldest(&|line| !self.is_static(line)) {
            return FoldStep::Fold(line);
        }
        if !self.is_due() {
            return FoldStep::None;
        }
        match oldest(&|_| true) {
            Some(line) if self.is_static(line) && free_lines <= kept + SPARE_FOR_STATIC_FOLD => {
                FoldStep::NeedsSpace
            }
            Some(line) => FoldStep::Fold(line),
            None => FoldStep::None,
        }
    }

    /// Records the start of the folding of a line with `valid` valid mapping units. Returns true if the
    /// folding precedes the host's commands.
    pub fn fold_begins(&mut self, valid: u64) -> bool {
        let is_paced = self.is_paced();
        // Folding that the host has not paid for, such as that of an idle drive, leaves no debt.
        self.credit = (self.credit - valid as f64).max(if is_paced { f64::MIN } else { 0.0 });
        is_paced
    }

    /// Records the erase of a line in SLC mode. Returns true if the line is free for all streams, false if it
    /// is part of the static cache.
    pub fn erased(&mut self, line: u32) -> bool {
        self.is_slc[line as usize] = false;
        self.erases[line as usize] += 1;
        self.used.retain(|&used| used != line);
        if self.used.is_empty() {
            self.credit = self.credit.min(0.0);
        }
        let is_static = self.is_static(line);
        if is_static {
            self.free_static.push_back(line);
        }
        !is_static
    }
}

#[cfg(test)]
mod tests {
    use venice_kernel::SimSpan;
    use venice_nand::geometry::Array;

    use super::*;

    /// Creates the cache of a drive of two planes with ten lines of two blocks of six pages. The host can
    /// address eight lines.
    fn cache(static_lines: u32, when_full: WhenFull) -> SlcCache {
        let geometry = Geometry {
            array: Array { rows: 1, cols: 1 },
            dies_per_chip: 1,
            planes_per_die: 2,
            blocks_per_plane: 10,
            pages_per_block: 6,
            page_bytes: 4096,
        };
        let settings = SlcCacheSettings {
            static_lines,
            dynamic_share: 0.5,
            bits_per_cell: 3,
            when_full,
            idle: SimSpan::from_us(100),
            fold_share: 0.5,
            endurance: 10,
        };
        let mut cache = SlcCache::new(settings, &geometry, geometry.planes(), MappingUnits::PAGES, 96);
        cache.activate();
        cache
    }

    fn open(cache: &mut SlcCache, space: LineUse, line: u32) -> NextLine {
        cache.plan(space, 1);
        let next = cache.next_line();
        cache.open(line);
        next
    }

    #[test]
    fn host_fills_static_lines_then_half_of_the_free_capacity() {
        let mut cache = cache(1, WhenFull::Direct);
        assert_eq!((cache.first_slot(), cache.units_of_line()), (4, 4));
        let space = LineUse { free_lines: 9, units: 48 };
        assert_eq!(cache.most_lines(space.units), 1 + 2);
        let lines = [0, 1, 2, 3].map(|line| open(&mut cache, space, line));
        let dynamic = NextLine::Dynamic;
        assert_eq!(lines, [NextLine::Static(0), dynamic, dynamic, NextLine::Direct]);
        assert_eq!([0, 1, 2, 3].map(|line| cache.is_slc(line)), [true, true, true, false]);
        cache.erased(1);
        cache.plan(LineUse { units: 72, ..space }, 1);
        assert_eq!(cache.next_line(), NextLine::Direct, "the free capacity is half as large");
        cache.plan(LineUse { free_lines: 1, ..space }, 1);
        assert_eq!(cache.next_line(), NextLine::Direct, "one line is reserved");
    }

    #[test]
    fn oldest_full_line_is_folded_first_and_a_static_one_only_if_lines_are_free() {
        let mut cache = cache(2, WhenFull::Wait);
        let space = LineUse { free_lines: 9, units: 96 };
        assert_eq!(
            [0, 1].map(|line| open(&mut cache, space, line)),
            [NextLine::Static(0), NextLine::Static(1)]
        );
        cache.plan(space, 1);
        assert_eq!((cache.next_line(), cache.is_due()), (NextLine::Wait, true));
        assert_eq!(cache.step(9, 1, false, |line| line == 1), FoldStep::Fold(1));
        assert_eq!(cache.step(9, 1, false, |_| true), FoldStep::Fold(0));
        assert_eq!(cache.step(2, 1, false, |_| true), FoldStep::NeedsSpace);
        assert_eq!(cache.step(9, 1, false, |_| false), FoldStep::None);
        assert!(!cache.erased(0), "the line stays in the static cache");
        cache.plan(space, 1);
        assert_eq!((cache.next_line(), cache.erases()[0]), (NextLine::Static(0), 1));
    }

    #[test]
    fn half_as_much_as_the_host_writes_is_folded_before_its_commands() {
        let mut cache = cache(3, WhenFull::Direct);
        let space = LineUse { free_lines: 9, units: 96 };
        open(&mut cache, space, 0);
        assert!(cache.is_due(), "half a line may be folded");
        assert!(cache.fold_begins(4));
        assert!(!cache.is_due());
        open(&mut cache, space, 1);
        assert!(!cache.is_due());
        open(&mut cache, space, 2);
        assert!(cache.is_due());
    }

    #[test]
    fn cache_is_folded_after_a_pause_of_the_host() {
        let mut cache = cache(3, WhenFull::Direct);
        open(&mut cache, LineUse { free_lines: 9, units: 96 }, 0);
        cache.fold_begins(100);
        let at = |us| SimTime::ZERO + SimSpan::from_us(us);
        assert_eq!(cache.note_pause(true, at(10)), Some(at(110)));
        assert_eq!(cache.note_pause(false, at(50)), None);
        assert_eq!(cache.note_pause(true, at(60)), Some(at(160)));
        cache.note_idle(at(110));
        assert!(!cache.is_due(), "the host has issued a request");
        cache.note_idle(at(160));
        assert!(cache.is_due());
        cache.note_pause(false, at(170));
        assert!(!cache.is_due());
    }
}
