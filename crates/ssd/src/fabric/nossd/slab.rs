//! Packets in the mesh, by number; numbers are used again, so a warm mesh allocates nothing.
//!
//! A packet waits for at most one lane, so the link to the packet behind it in that lane's queue
//! lives in its own slot.

use std::ops::{Index, IndexMut};

use super::packet::Packet;

/// A packet's slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PacketId(pub(super) u32);

/// All packets.
#[derive(Clone, Debug, Default)]
pub(super) struct Slab {
    slots: Vec<Slot>,
    free: Vec<PacketId>,
}

#[derive(Clone, Copy, Debug)]
struct Slot {
    packet: Packet,
    behind: Option<PacketId>,
}

/// Packets that wait, first in, first out.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Queue {
    ends: Option<(PacketId, PacketId)>,
}

impl Slab {
    #[inline]
    pub(super) fn insert(&mut self, packet: Packet) -> PacketId {
        let slot = Slot { packet, behind: None };
        if let Some(id) = self.free.pop() {
            self.slots[id.0 as usize] = slot;
            return id;
        }
        self.slots.push(slot);
        PacketId(self.slots.len() as u32 - 1)
    }

    #[inline]
    pub(super) fn remove(&mut self, id: PacketId) {
        self.free.push(id);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.free.len() == self.slots.len()
    }
}

impl Index<PacketId> for Slab {
    type Output = Packet;
    #[inline]
    fn index(&self, id: PacketId) -> &Packet {
        &self.slots[id.0 as usize].packet
    }
}

impl IndexMut<PacketId> for Slab {
    #[inline]
    fn index_mut(&mut self, id: PacketId) -> &mut Packet {
        &mut self.slots[id.0 as usize].packet
    }
}

impl Queue {
    #[inline]
    pub(super) fn first(&self) -> Option<PacketId> {
        self.ends.map(|(first, _)| first)
    }

    #[inline]
    pub(super) fn push(&mut self, id: PacketId, slab: &mut Slab) {
        let first = self.ends.map_or(id, |(first, last)| {
            slab.slots[last.0 as usize].behind = Some(id);
            first
        });
        self.ends = Some((first, id));
    }

    /// Takes the first away.
    #[inline]
    pub(super) fn pop(&mut self, slab: &mut Slab) {
        self.ends = self.ends.and_then(|(first, last)| {
            slab.slots[first.0 as usize].behind.take().map(|second| (second, last))
        });
    }
}

#[cfg(test)]
mod tests {
    use super::super::packet::Piece;
    use super::*;
    use crate::fabric::noc::RouterId;
    use crate::geometry::ChipId;
    use venice_kernel::SimSpan;

    fn packet(chip: u32) -> Packet {
        let piece = Piece { bytes: 1, wire_time: SimSpan::ZERO, is_last: true };
        Packet { chip: ChipId(chip), piece, router: RouterId(0), held_behind: None }
    }

    #[test]
    fn a_slot_is_used_again() {
        let mut slab = Slab::default();
        assert!(slab.is_empty());
        let (first, second) = (slab.insert(packet(1)), slab.insert(packet(2)));
        slab.remove(first);
        assert_eq!(slab.insert(packet(3)), first);
        assert_eq!((slab[first].chip, slab[second].chip), (ChipId(3), ChipId(2)));
        for id in [first, second] {
            slab.remove(id);
        }
        assert!(slab.is_empty());
    }

    #[test]
    fn packets_leave_a_queue_in_the_order_in_which_they_came() {
        let (mut slab, mut queue) = (Slab::default(), Queue::default());
        let ids = [1, 2, 3].map(|chip| slab.insert(packet(chip)));
        for id in [ids[2], ids[0]] {
            queue.push(id, &mut slab);
        }
        assert_eq!(queue.first(), Some(ids[2]));
        queue.pop(&mut slab);
        queue.push(ids[1], &mut slab);
        for id in [ids[0], ids[1]] {
            assert_eq!(queue.first(), Some(id));
            queue.pop(&mut slab);
        }
        assert_eq!(queue.first(), None);
    }
}
