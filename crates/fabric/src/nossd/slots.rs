//! Slots for the packets in flight in the mesh.
//!
//! Slots are reused, so that no memory is allocated after the start of a run. A packet waits for at most
//! one lane. Its slot therefore contains the link to the next packet in the queue of that lane.

use std::ops::{Index, IndexMut};

use super::packet::Packet;

/// Slot number of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PacketId(pub(super) u32);

/// Slots of all packets in the mesh.
#[derive(Clone, Debug, Default)]
pub(super) struct Packets(slab::Slab<PacketSlot>);

#[derive(Clone, Copy, Debug)]
struct PacketSlot {
    packet: Packet,
    behind: Option<PacketId>,
}

/// FIFO queue of packets that wait for a lane.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PacketQueue {
    ends: Option<(PacketId, PacketId)>,
}

impl Packets {
    #[inline]
    pub(super) fn insert(&mut self, packet: Packet) -> PacketId {
        PacketId(self.0.insert(PacketSlot { packet, behind: None }) as u32)
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

impl PacketQueue {
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

    /// Inserts a packet into the queue in the order in which the transfers were accepted. Packets of
    /// transfers that were accepted at the same time keep their order.
    pub(super) fn push_by_age(&mut self, id: PacketId, packets: &mut Packets) {
        let injected = packets[id].injected;
        let is_ahead = |other: PacketId, packets: &Packets| packets[other].injected <= injected;
        match self.ends {
            Some((first, last)) if !is_ahead(last, packets) => {
                if !is_ahead(first, packets) {
                    packets.0[id.0 as usize].behind = Some(first);
                    self.ends = Some((id, last));
                    return;
                }
                let behind = |other: PacketId| packets.0[other.0 as usize].behind;
                let mut ahead = first;
                while let Some(next) = behind(ahead).filter(|&next| is_ahead(next, packets)) {
                    ahead = next;
                }
                let rest = packets.0[ahead.0 as usize].behind.replace(id);
                packets.0[id.0 as usize].behind = rest;
            }
            _ => self.push(id, packets),
        }
    }

    /// Removes the first packet of the queue.
    #[inline]
    pub(super) fn pop(&mut self, packets: &mut Packets) {
        self.ends = self
            .ends
            .and_then(|(first, last)| packets.0[first.0 as usize].behind.take().map(|second| (second, last)));
    }
}

#[cfg(test)]
mod tests {
    use venice_kernel::{SimSpan, SimTime};
    use venice_nand::geometry::ChipId;

    use super::super::packet::PacketSegment;
    use super::*;
    use crate::noc::RouterId;

    fn packet(chip: u32) -> Packet {
        let piece = PacketSegment { bytes: 1, wire_time: SimSpan::ZERO, is_last: true };
        let injected = SimTime::from_ps(u64::from(chip / 10));
        Packet { chip: ChipId(chip), injected, piece, router: RouterId(0), held_behind: None }
    }

    #[test]
    fn packets_leave_by_age_and_those_of_one_age_in_the_order_in_which_they_came() {
        let (mut packets, mut queue) = (Packets::default(), PacketQueue::default());
        for chip in [30, 10, 31, 20, 11, 0, 40, 21, 1] {
            let id = packets.insert(packet(chip));
            queue.push_by_age(id, &mut packets);
        }
        let left = std::iter::from_fn(|| {
            let id = queue.first()?;
            queue.pop(&mut packets);
            Some(packets[id].chip.0)
        });
        assert_eq!(left.collect::<Vec<_>>(), [0, 1, 10, 11, 20, 21, 30, 31, 40]);
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
        let (mut packets, mut queue) = (Packets::default(), PacketQueue::default());
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
