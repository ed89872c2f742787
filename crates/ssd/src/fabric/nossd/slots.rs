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
pub(super) struct Packets(slab::Slab<Slot>);

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

impl Packets {
    #[inline]
    pub(super) fn insert(&mut self, packet: Packet) -> PacketId {
        PacketId(self.0.insert(Slot { packet, behind: None }) as u32)
    }

    #[inline]
    pub(super) fn remove(&mut self, id: PacketId) {
        self.0.remove(id.0 as usize);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Index<PacketId> for Packets {
    type Output = Packet;
    #[inline]
    fn index(&self, id: PacketId) -> &Packet {
        &self.0[id.0 as usize].packet
    }
}

impl IndexMut<PacketId> for Packets {
    #[inline]
    fn index_mut(&mut self, id: PacketId) -> &mut Packet {
        &mut self.0[id.0 as usize].packet
    }
}

impl Queue {
    #[inline]
    pub(super) fn first(&self) -> Option<PacketId> {
        self.ends.map(|(first, _)| first)
    }

    #[inline]
    pub(super) fn push(&mut self, id: PacketId, packets: &mut Packets) {
        let first = self.ends.map_or(id, |(first, last)| {
            packets.0[last.0 as usize].behind = Some(id);
            first
        });
        self.ends = Some((first, id));
    }

    /// Takes the first away.
    #[inline]
    pub(super) fn pop(&mut self, packets: &mut Packets) {
        self.ends = self
            .ends
            .and_then(|(first, last)| packets.0[first.0 as usize].behind.take().map(|second| (second, last)));
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
        let mut packets = Packets::default();
        assert!(packets.is_empty());
        let (first, second) = (packets.insert(packet(1)), packets.insert(packet(2)));
        packets.remove(first);
        assert_eq!(packets.insert(packet(3)), first);
        assert_eq!((packets[first].chip, packets[second].chip), (ChipId(3), ChipId(2)));
        for id in [first, second] {
            packets.remove(id);
        }
        assert!(packets.is_empty());
    }

    #[test]
    fn packets_leave_a_queue_in_the_order_in_which_they_came() {
        let (mut packets, mut queue) = (Packets::default(), Queue::default());
        let ids = [1, 2, 3].map(|chip| packets.insert(packet(chip)));
        for id in [ids[2], ids[0]] {
            queue.push(id, &mut packets);
        }
        assert_eq!(queue.first(), Some(ids[2]));
        queue.pop(&mut packets);
        queue.push(ids[1], &mut packets);
        for id in [ids[0], ids[1]] {
            assert_eq!(queue.first(), Some(id));
            queue.pop(&mut packets);
        }
        assert_eq!(queue.first(), None);
    }
}
