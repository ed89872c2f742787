//! What the drive takes now.

use super::{Issue, Location, Queued, UnitMap, UnitSet};

/// The units of the drive that its requests are on, where they keep others out.
#[derive(Clone, Debug)]
pub struct DriveRoom {
    map: UnitMap,
    /// None where requests are handed over freely.
    in_use: Option<UnitSet>,
    /// Requests that it takes beside those that it has.
    pub free_slots: u32,
}

impl DriveRoom {
    /// A drive without a request.
    pub fn new(map: UnitMap, issue: Issue, free_slots: u32) -> Self {
        let in_use = (issue == Issue::WithoutConflicts).then(|| UnitSet::empty(map.units()));
        Self { map, in_use, free_slots }
    }

    /// A drive that takes everything.
    pub fn unlimited() -> Self {
        Self { map: UnitMap::new(1, 1), in_use: None, free_slots: u32::MAX }
    }

    /// Whether a request may go: none in the drive is on one of its units.
    #[inline]
    pub fn takes(&self, queued: &Queued) -> bool {
        self.in_use.as_ref().is_none_or(|in_use| !in_use.intersects(queued.in_drive))
    }

    /// The request moved, by whole pages and as little as can be, to units on which there is none; none where there are not as
    /// many in a row.
    pub fn moved_to_idle(&self, queued: &Queued) -> Option<Queued> {
        let units = self.map.units();
        let moved_by = |by: u32| Location { first: (queued.in_drive.first + by) % units, ..queued.in_drive };
        let is_idle = |&by: &u32| self.takes(&Queued { in_drive: moved_by(by), ..*queued });
        let by = (0..units).find(is_idle)?;
        // Downwards where there is room, so that it stays inside the drive.
        let (up, down) = (self.map.sectors(by), self.map.sectors((units - by) % units));
        let start = queued.start_sector;
        let start_sector = if by > 0 && start >= down { start - down } else { start + up };
        Some(Queued { start_sector, in_drive: moved_by(by), ..*queued })
    }

    /// A request goes to the drive.
    #[inline]
    pub fn enter(&mut self, location: Location) {
        self.free_slots -= 1;
        if let Some(in_use) = &mut self.in_use {
            in_use.insert(location);
        }
    }

    /// A request of the drive is complete.
    #[inline]
    pub fn leave(&mut self, location: Location) {
        self.free_slots = self.free_slots.saturating_add(1);
        if let Some(in_use) = &mut self.in_use {
            in_use.remove(location);
        }
    }
}
