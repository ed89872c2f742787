//! Page map of a simulated plane at several moments. A moment is a point of the simulation at which the state
//! of the plane is recorded. The map is stored as its contents at the first moment, and the changes up to
//! each later moment.
//!
//! # How
//!
//! Few entries change between two moments. A change is therefore stored as (entry, moment, value), and a
//! look-up takes the last change of its entry up to the moment. A bitmap marks the entries that change at
//! least once. The memory is proportional to the number of pages written between the first moment and the
//! last.

use std::mem;

use serde::{Deserialize, Serialize};
use venice_nand::geometry::{Lpn, Ppn};

/// Page map of a plane. Pages are numbered within the plane. An entry is a page number plus one, or zero for
/// a page without a counterpart.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlaneTables {
    /// Physical page of each logical page.
    pub to_physical: Vec<u32>,
    /// Logical page of each physical page.
    pub to_logical: Vec<u32>,
}

impl PlaneTables {
    /// Creates a map without mapped pages.
    pub fn empty(logical: u32, physical: u32) -> Self {
        Self { to_physical: vec![0; logical as usize], to_logical: vec![0; physical as usize] }
    }

    /// Returns the physical page of a logical page.
    #[inline]
    pub fn physical(&self, lpn: Lpn) -> Option<Ppn> {
        self.to_physical[lpn.index()].checked_sub(1).map(Ppn)
    }

    /// Returns the logical page of a physical page.
    #[inline]
    pub fn logical(&self, ppn: Ppn) -> Option<Lpn> {
        self.to_logical[ppn.index()].checked_sub(1).map(Lpn)
    }
}

/// Change of a map entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct MapChange {
    entry: u32,
    /// First recording of the plane's state (moment) in which the entry has the new value.
    moment: u32,
    value: u32,
}

/// Changes of the map in one direction: from logical to physical pages, or from physical to logical pages.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct MapChanges {
    /// Changes, sorted by entry, then by the number of the recording (moment).
    changes: Vec<MapChange>,
    /// Bitmap of the entries that change at least once.
    changed: Vec<u64>,
}

impl MapChanges {
    /// Creates the changes of a map with `entries` entries. `changes` must be in chronological order; the
    /// function sorts them by entry.
    fn of(mut changes: Vec<MapChange>, entries: usize) -> Self {
        changes.sort_by_key(|change| (change.entry, change.moment));
        let mut changed = vec![0; entries.div_ceil(u64::BITS as usize)];
        for change in &changes {
            changed[(change.entry / u64::BITS) as usize] |= 1 << (change.entry % u64::BITS);
        }
        Self { changes, changed }
    }

    /// Returns true if all changes are of entries whose index is below `entries`.
    fn fits(&self, entries: usize) -> bool {
        self.changed.len() == entries.div_ceil(u64::BITS as usize)
            && self.changes.is_sorted_by_key(|change| (change.entry, change.moment))
    }

    /// Returns the value of a map entry in the recording with the number `moment`, or `None` if the entry has
    /// not changed since the first recording.
    #[inline]
    fn value(&self, entry: usize, moment: u32) -> Option<u32> {
        let entry = entry as u32;
        if self.changed[(entry / u64::BITS) as usize] & (1 << (entry % u64::BITS)) == 0 {
            return None;
        }
        let later = self.changes.partition_point(|change| (change.entry, change.moment) <= (entry, moment));
        let last = self.changes[..later].last()?;
        (last.entry == entry).then_some(last.value)
    }
}

/// Page map of a simulated plane, recorded at several moments of its simulation. The moments are numbered
/// from zero.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlaneHistory {
    /// Page map in the first recording.
    first: PlaneTables,
    to_physical: MapChanges,
    to_logical: MapChanges,
}

impl PlaneHistory {
    /// Returns the entry of a logical page in the recording with the number `moment`: its physical page plus
    /// one, or zero for none.
    #[inline]
    pub fn physical(&self, page: usize, moment: u32) -> u32 {
        self.to_physical.value(page, moment).unwrap_or_else(|| self.first.to_physical[page])
    }

    /// Returns the entry of a physical page in the recording with the number `moment`: its logical page plus
    /// one, or zero for none.
    #[inline]
    pub fn logical(&self, page: usize, moment: u32) -> u32 {
        self.to_logical.value(page, moment).unwrap_or_else(|| self.first.to_logical[page])
    }

    /// Returns true if the history has at least `logical` logical pages and exactly `physical` physical
    /// pages.
    pub fn fits(&self, logical: usize, physical: usize) -> bool {
        let (logical_here, physical_here) = (self.first.to_physical.len(), self.first.to_logical.len());
        logical_here >= logical
            && physical_here == physical
            && self.to_physical.fits(logical_here)
            && self.to_logical.fits(physical_here)
    }
}

/// Page map of a plane during its simulation, with the changes since the first recording (moment).
#[derive(Clone, Debug)]
pub struct PlaneRecording {
    now: PlaneTables,
    /// Page map in the first recording; `None` before it.
    first: Option<PlaneTables>,
    /// Number of the next recording (moment).
    next_moment: u32,
    to_physical: Vec<MapChange>,
    to_logical: Vec<MapChange>,
}

impl PlaneRecording {
    /// Starts the recording with an empty map.
    pub fn new(logical: u32, physical: u32) -> Self {
        Self {
            now: PlaneTables::empty(logical, physical),
            first: None,
            next_moment: 0,
            to_physical: Vec::new(),
            to_logical: Vec::new(),
        }
    }

    /// Returns the current map.
    #[inline]
    pub fn tables(&self) -> &PlaneTables {
        &self.now
    }

    /// Records the current map as the next moment of the series. Returns the number of the moment.
    pub fn take_moment(&mut self) -> u32 {
        if self.first.is_none() {
            self.first = Some(self.now.clone());
        }
        self.next_moment += 1;
        self.next_moment - 1
    }

    /// Ends the series of recordings, and returns them as a history. The next recording is the first one of a
    /// new series.
    pub fn end(&mut self) -> PlaneHistory {
        self.next_moment = 0;
        let first = self.first.take().unwrap_or_else(|| self.now.clone());
        let to_physical = MapChanges::of(mem::take(&mut self.to_physical), first.to_physical.len());
        let to_logical = MapChanges::of(mem::take(&mut self.to_logical), first.to_logical.len());
        PlaneHistory { first, to_physical, to_logical }
    }

    /// Maps a logical page to a physical page. Returns the old physical page.
    #[inline]
    pub fn remap(&mut self, lpn: Lpn, to: Ppn) -> Option<Ppn> {
        let old = self.now.physical(lpn);
        self.set_physical(lpn, to.0 + 1);
        self.set_logical(to, lpn.0 + 1);
        if let Some(old) = old {
            self.set_logical(old, 0);
        }
        old
    }

    #[inline]
    fn set_physical(&mut self, lpn: Lpn, value: u32) {
        self.now.to_physical[lpn.index()] = value;
        if self.first.is_some() {
            self.to_physical.push(MapChange { entry: lpn.0, moment: self.next_moment, value });
        }
    }

    #[inline]
    fn set_logical(&mut self, ppn: Ppn, value: u32) {
        self.now.to_logical[ppn.index()] = value;
        if self.first.is_some() {
            self.to_logical.push(MapChange { entry: ppn.0, moment: self.next_moment, value });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use venice_kernel::RandomStream;

    const LOGICAL: u32 = 100;
    const PHYSICAL: u32 = 130;

    /// Returns the page map, in both directions, in the recording of a history with the number `moment`.
    fn at(history: &PlaneHistory, moment: u32) -> PlaneTables {
        PlaneTables {
            to_physical: (0..LOGICAL as usize).map(|page| history.physical(page, moment)).collect(),
            to_logical: (0..PHYSICAL as usize).map(|page| history.logical(page, moment)).collect(),
        }
    }

    #[test]
    fn a_history_returns_the_map_of_each_of_its_moments() {
        let mut random = RandomStream::new(1, "remaps");
        let mut recording = PlaneRecording::new(LOGICAL, PHYSICAL);
        for series in 0..3 {
            let mut expected = Vec::new();
            for _ in 0..5 {
                for _ in 0..random.below(40) {
                    let free = |ppn: &Ppn| recording.tables().logical(*ppn).is_none();
                    let to =
                        (0..PHYSICAL).map(Ppn).find(free).expect("fewer logical pages than physical ones");
                    recording.remap(Lpn(random.below(u64::from(LOGICAL)) as u32), to);
                }
                assert_eq!(recording.take_moment() as usize, expected.len());
                expected.push(recording.tables().clone());
            }
            let history = recording.end();
            assert!(history.fits(LOGICAL as usize, PHYSICAL as usize));
            for (moment, tables) in (0..).zip(&expected) {
                assert_eq!(at(&history, moment), *tables, "series {series}, moment {moment}");
            }
        }
    }

    #[test]
    fn memory_follows_the_pages_written_between_moments() {
        let mut recording = PlaneRecording::new(LOGICAL, PHYSICAL);
        recording.take_moment();
        recording.remap(Lpn(3), Ppn(7));
        recording.take_moment();
        let history = recording.end();
        assert_eq!((history.to_physical.changes.len(), history.to_logical.changes.len()), (1, 1));
    }
}
