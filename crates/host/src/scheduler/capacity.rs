//! State of the drive that limits the requests which a host scheduler can send.

use super::{ChipStripes, DispatchRule, QueuedRequest, UnitMap, UnitRange, UnitSet};

/// Units occupied by requests in the drive, and the number of further requests that the drive accepts.
#[derive(Clone, Debug)]
pub struct DriveCapacity {
    map: UnitMap,
    /// Occupied units; `None` if requests are sent regardless of conflicts.
    in_use: Option<UnitSet>,
    /// Chips that collect garbage, if the drive notifies the host of garbage collection.
    collecting: Option<(ChipStripes, UnitSet)>,
    /// Number of further requests that the drive accepts.
    pub free_slots: u32,
}

impl DriveCapacity {
    /// Creates the state of a drive without requests.
    pub fn new(map: UnitMap, issue: DispatchRule, free_slots: u32) -> Self {
        let in_use = (issue == DispatchRule::WithoutConflicts).then(|| UnitSet::empty(map.units()));
        Self { map, in_use, collecting: None, free_slots }
    }

    /// Adds the list of chips that collect garbage, if the drive sends notices of garbage collection
    /// (`are_sent`).
    #[must_use]
    pub fn with_notices(self, chips: ChipStripes, are_sent: bool) -> Self {
        let collecting = are_sent.then(|| (chips, UnitSet::empty(chips.map.units())));
        Self { collecting, ..self }
    }

    /// True if a chip collects garbage, according to the notices received.
    #[inline]
    pub fn has_collecting(&self) -> bool {
        self.collecting.as_ref().is_some_and(|(_, collecting)| !collecting.is_empty())
    }

    /// True if one of the request's chips collects garbage, according to the notices received.
    #[inline]
    pub fn collects(&self, queued: &QueuedRequest) -> bool {
        self.collecting.as_ref().is_some_and(|(chips, collecting)| {
            collecting.intersects(chips.map.locate(queued.start_sector, queued.sectors))
        })
    }

    /// Records that the chip with this unit has begun or ended garbage collection.
    pub fn note_collection(&mut self, unit: u32, begins: bool) {
        let Some((_, collecting)) = &mut self.collecting else { return };
        let chip = UnitRange { first: unit, count: 1 };
        if begins {
            collecting.insert(chip);
        } else {
            collecting.remove(chip);
        }
    }

    /// Creates the state of a drive that accepts every request.
    pub fn unlimited() -> Self {
        Self { map: UnitMap::new(1, 1), in_use: None, collecting: None, free_slots: u32::MAX }
    }

    /// True if the request may be sent: no request in the drive occupies one of its units, or conflicts are
    /// ignored.
    #[inline]
    pub fn takes(&self, queued: &QueuedRequest) -> bool {
        self.in_use.as_ref().is_none_or(|in_use| !in_use.intersects(queued.in_drive))
    }

    /// Returns the request moved by the smallest number of whole pages that makes all its units idle; `None`
    /// if there are not enough consecutive idle units.
    pub fn moved_to_idle(&self, queued: &QueuedRequest) -> Option<QueuedRequest> {
        let units = self.map.units();
        let moved_by = |by: u32| UnitRange { first: (queued.in_drive.first + by) % units, ..queued.in_drive };
        let is_idle = |&by: &u32| self.takes(&QueuedRequest { in_drive: moved_by(by), ..*queued });
        let by = (0..units).find(is_idle)?;
        // Downwards if possible, so that the address stays within the drive.
        let (up, down) = (self.map.sectors(by), self.map.sectors((units - by) % units));
        let start = queued.start_sector;
        let start_sector = if by > 0 && start >= down { start - down } else { start + up };
        Some(QueuedRequest { start_sector, in_drive: moved_by(by), ..*queued })
    }

    /// Marks the units of a dispatched request as occupied.
    #[inline]
    pub fn enter(&mut self, location: UnitRange) {
        self.free_slots -= 1;
        if let Some(in_use) = &mut self.in_use {
            in_use.insert(location);
        }
    }

    /// Marks the units of a completed request as free.
    #[inline]
    pub fn leave(&mut self, location: UnitRange) {
        self.free_slots = self.free_slots.saturating_add(1);
        if let Some(in_use) = &mut self.in_use {
            in_use.remove(location);
        }
    }
}
