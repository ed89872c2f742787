//! Page-sized pieces of work, and the queues in which they wait for their die.

use slab::Slab;

use crate::accounting::StageClock;
use crate::geometry::{
    DestageId, DieId, GatherId, Geometry, Lpn, PlaneId, Ppn, Priority, RequestId, TransactionId,
};

use super::partners::{Kinship, Partners, WALKED};
use super::scheduling::{Kind, LANES, Rank};

/// Who asked for a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A request of the host, which waits for it.
    Request(RequestId),
    /// The data cache, which writes a page to flash.
    Cache(DestageId),
}

/// What a transaction is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// The host wants this page, or part of it.
    HostRead(RequestId),
    /// The host, or the data cache, writes this page; what it does not cover was read before.
    HostWrite(Origin),
    /// Reads what a partial write does not cover; the write follows it.
    UpdateRead(TransactionId),
    /// Reads a translation page, whose number stands behind those of the host's pages.
    MappingRead {
        /// For a write-back rather than for a look-up.
        writes_back: bool,
    },
    /// Writes a translation page back.
    MappingWrite,
    /// Collection reads a valid page of its victim.
    GcRead,
    /// Collection writes that page elsewhere.
    GcWrite,
    /// Collection erases its victim.
    GcErase,
    /// Reads an operand, to be moved to the chip of its gather.
    OperandRead(GatherId),
    /// Brings an operand that was read on another chip to the chip of its gather, which combines it.
    OperandLoad(GatherId),
    /// Senses an operand on the chip of its gather, which combines it.
    OperandSense(GatherId),
}

/// The queue of a die in which a transaction waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Reads of translation pages.
    MappingRead,
    /// Reads for the host, update reads included.
    HostRead,
    /// Writes of translation pages.
    MappingWrite,
    /// Writes of the host.
    HostWrite,
    /// Reads of collection.
    GcRead,
    /// Writes of collection.
    GcWrite,
    /// Erases.
    GcErase,
    /// Operands that are brought to their chip, or sensed on it.
    Operand,
}

impl Class {
    /// Whether its transactions program pages.
    #[inline]
    pub const fn is_write(self) -> bool {
        matches!(self, Self::HostWrite | Self::MappingWrite | Self::GcWrite)
    }
}

/// How many classes there are.
pub const CLASSES: usize = 8;
/// All of them, in the order of their queues.
const ALL: [Rank; CLASSES] = [
    Rank::of(Class::MappingRead),
    Rank::of(Class::HostRead),
    Rank::of(Class::MappingWrite),
    Rank::of(Class::HostWrite),
    Rank::of(Class::GcRead),
    Rank::of(Class::GcWrite),
    Rank::of(Class::GcErase),
    Rank::of(Class::Operand),
];
/// Queues of a die: one for each class, and one for each further lane of the host's reads and writes.
pub(super) const QUEUES: usize = CLASSES + 2 * (LANES - 1);

impl Class {
    /// Whether it is the host's, which has lanes, and which of the two.
    #[inline]
    pub const fn kind(self) -> Option<Kind> {
        match self {
            Self::HostRead => Some(Kind::Read),
            Self::HostWrite => Some(Kind::Write),
            _ => None,
        }
    }

    /// Its queues among those of a die, one bit each.
    #[inline]
    pub const fn queues(self) -> u16 {
        let (first, further) = (1 << self as u16, (1 << (LANES - 1)) - 1);
        match self {
            Self::HostRead => first | further << CLASSES,
            Self::HostWrite => first | further << (CLASSES + LANES - 1),
            _ => first,
        }
    }

    /// The class of the only queue in which something waits, if it is the first one of its class.
    #[inline]
    pub fn of_only(waiting: u16) -> Option<&'static Rank> {
        if waiting.is_power_of_two() { ALL.get(waiting.trailing_zeros() as usize) } else { None }
    }

    /// The place of a lane's queue among those of a die.
    #[inline]
    pub(super) const fn queue(self, lane: u8) -> usize {
        match (self, lane) {
            (Self::HostRead, 1..) => CLASSES - 1 + lane as usize,
            (Self::HostWrite, 1..) => CLASSES + LANES - 2 + lane as usize,
            _ => self as usize,
        }
    }
}

impl Purpose {
    /// The queue this kind of work waits in.
    #[inline]
    pub const fn class(self) -> Class {
        match self {
            Self::HostRead(_) | Self::UpdateRead(_) | Self::OperandRead(_) => Class::HostRead,
            Self::HostWrite(_) => Class::HostWrite,
            Self::MappingRead { .. } => Class::MappingRead,
            Self::MappingWrite => Class::MappingWrite,
            Self::GcRead => Class::GcRead,
            Self::GcWrite => Class::GcWrite,
            Self::GcErase => Class::GcErase,
            Self::OperandLoad(_) | Self::OperandSense(_) => Class::Operand,
        }
    }
}

/// A page-sized piece of work.
#[derive(Clone, Copy, Debug)]
#[allow(clippy::struct_excessive_bools, reason = "each is a fact of its own about a transaction")]
pub struct Transaction {
    /// What for.
    pub purpose: Purpose,
    /// The plane that does it.
    pub plane: PlaneId,
    /// Of a move: the plane of the victim. Of an operand: the plane that it lies on.
    pub(super) collected: PlaneId,
    /// The logical page; an erase has none.
    pub lpn: Option<Lpn>,
    /// Read, erase: the page (any page of the block). Operand: the page that it lies on. Write: once `placed`, the new page; before, where
    /// collection moves it from, or none.
    pub ppn: Option<Ppn>,
    /// Sectors written, one bit each.
    pub sectors: u64,
    /// Bytes that cross the fabric.
    pub bytes: u32,
    /// The stream of a write of the host, or of the write that a page which is read would have.
    pub stream: u16,
    /// Programs of its block whose pages were given out before that of a placed write.
    pub(super) turn: u32,
    /// Whether a write has got its page.
    pub(super) placed: bool,
    /// Whether a placed write waits for what it does not cover to be read.
    pub(super) waits_for_read: bool,
    /// Whether a queued read keeps its block from being erased.
    pub pins_block: bool,
    /// The class of who asked for it.
    pub priority: Priority,
    /// The lane of its queue in which it waits.
    pub lane: u8,
    /// Whether any of its transfers found no path at its first attempt.
    pub conflicted: bool,
    /// Whether it came to nothing, as its chip was lost.
    pub(super) has_failed: bool,
    /// Where its time went.
    pub clock: StageClock,
    /// When it joined its queue, as a count of transactions that joined any before.
    pub(super) queued: u64,
    pub(super) prev: Option<TransactionId>,
    pub(super) next: Option<TransactionId>,
}

impl Transaction {
    /// A transaction that waits nowhere yet.
    pub fn new(purpose: Purpose, plane: PlaneId, clock: StageClock) -> Self {
        Self {
            purpose,
            plane,
            collected: plane,
            lpn: None,
            ppn: None,
            sectors: 0,
            bytes: 0,
            stream: 0,
            turn: 0,
            placed: false,
            waits_for_read: false,
            pins_block: false,
            priority: Priority::default(),
            lane: 0,
            conflicted: false,
            has_failed: false,
            clock,
            queued: 0,
            prev: None,
            next: None,
        }
    }
}

impl Transaction {
    /// The place of its queue among those of its die.
    #[inline]
    pub(super) const fn queue(&self) -> usize {
        self.purpose.class().queue(self.lane)
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct List {
    head: Option<TransactionId>,
    tail: Option<TransactionId>,
    /// How many wait in it; of writes that wait for room, not counted.
    length: u32,
    /// Whether it has ever been so long that chains are kept of it.
    has_chains: bool,
}

/// All transactions in flight, and the first-come-first-served queues of every die.
#[derive(Clone, Debug)]
pub struct Transactions {
    slots: Slab<Transaction>,
    queued_so_far: u64,
    queues: Vec<[List; QUEUES]>,
    /// By plane: writes that wait for a page.
    for_room: Vec<List>,
    /// By die: queues that are not empty, one bit each.
    waiting: Vec<u16>,
    partners: Partners,
}

impl Transactions {
    /// None in flight. `streams` of the host's writes; `offsets_agree` says whether transactions of a multi-plane
    /// command must be at the same page offset.
    pub fn new(geometry: &Geometry, streams: u16, offsets_agree: bool) -> Self {
        let (dies, planes) = (geometry.dies(), geometry.planes());
        Self {
            slots: Slab::with_capacity(1024),
            queued_so_far: 0,
            queues: vec![[List::default(); QUEUES]; dies as usize],
            for_room: vec![List::default(); planes as usize],
            waiting: vec![0; dies as usize],
            partners: Partners::new(geometry, streams, offsets_agree),
        }
    }

    /// Takes in a transaction; it waits nowhere yet.
    #[inline]
    pub fn insert(&mut self, transaction: Transaction) -> TransactionId {
        TransactionId(self.slots.insert(transaction) as u32)
    }

    /// Forgets a finished transaction and gives back its last state.
    #[inline]
    pub fn remove(&mut self, id: TransactionId) -> Transaction {
        self.slots.remove(id.index())
    }

    /// A transaction in flight.
    #[inline]
    pub fn get(&self, id: TransactionId) -> &Transaction {
        &self.slots[id.index()]
    }

    /// A transaction in flight, for change.
    #[inline]
    pub fn get_mut(&mut self, id: TransactionId) -> &mut Transaction {
        &mut self.slots[id.index()]
    }

    /// All in flight.
    pub fn iter(&self) -> impl Iterator<Item = &Transaction> {
        self.slots.iter().map(|(_, transaction)| transaction)
    }

    /// How many are in flight.
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// Puts a transaction at the end of its class's and lane's queue at `die`.
    #[inline]
    pub fn enqueue(&mut self, die: DieId, id: TransactionId) {
        let queue = self.get(id).queue();
        let list = &mut self.queues[die.index()][queue];
        let tail = list.tail.replace(id);
        list.length += 1;
        let is_long = list.length > WALKED || list.has_chains;
        if let Some(tail) = tail {
            self.slots[tail.index()].next = Some(id);
        } else {
            list.head = Some(id);
            self.waiting[die.index()] |= 1 << queue;
        }
        let transaction = &mut self.slots[id.index()];
        (transaction.prev, transaction.next) = (tail, None);
        transaction.queued = self.queued_so_far;
        self.queued_so_far += 1;
        if is_long {
            self.join_chain(die, queue, id);
        }
    }

    /// A transaction has joined a long queue. One that has just become long gets its chains, for as long as the drive
    /// is simulated.
    #[inline(never)]
    fn join_chain(&mut self, die: DieId, queue: usize, id: TransactionId) {
        let list = &mut self.queues[die.index()][queue];
        if list.has_chains {
            return self.partners.join(&self.slots, (die, queue), id);
        }
        list.has_chains = true;
        self.partners.begin(die, queue);
        let mut place = list.head;
        while let Some(id) = place {
            self.partners.join(&self.slots, (die, queue), id);
            place = self.slots[id.index()].next;
        }
    }

    /// Takes a transaction out of the queue at `die` in which it waits.
    #[inline]
    pub fn dequeue(&mut self, die: DieId, id: TransactionId) {
        let transaction = self.get(id);
        let (prev, next, queue) = (transaction.prev, transaction.next, transaction.queue());
        let list = &mut self.queues[die.index()][queue];
        list.length -= 1;
        if list.has_chains {
            self.partners.leave(&self.slots, (die, queue), id);
        }
        match prev {
            Some(prev) => self.slots[prev.index()].next = next,
            None => self.queues[die.index()][queue].head = next,
        }
        match next {
            Some(next) => self.slots[next.index()].prev = prev,
            None => self.queues[die.index()][queue].tail = prev,
        }
        if prev.is_none() && next.is_none() {
            self.waiting[die.index()] &= !(1 << queue);
        }
    }

    /// Queues of a die that are not empty, one bit each: see [`Class::queues`].
    #[inline]
    pub fn waiting(&self, die: DieId) -> u16 {
        self.waiting[die.index()]
    }

    /// Whether nothing else waits for the die of a transaction that waits.
    #[inline]
    pub fn is_alone(&self, die: DieId, id: TransactionId) -> bool {
        let Transaction { prev, next, .. } = self.get(id);
        self.waiting(die).is_power_of_two() && prev.is_none() && next.is_none()
    }

    /// Whether a lane's queue is among these.
    #[inline]
    pub const fn is_among(class: Class, lane: u8, waiting: u16) -> bool {
        waiting >> class.queue(lane) & 1 != 0
    }

    /// Puts a write behind those that wait for a page of its plane.
    pub fn wait_for_room(&mut self, id: TransactionId) {
        let list = &mut self.for_room[self.slots[id.index()].plane.index()];
        match list.tail.replace(id) {
            Some(tail) => self.slots[tail.index()].next = Some(id),
            None => list.head = Some(id),
        }
        self.slots[id.index()].next = None;
    }

    /// The write that has waited longest for a page of a plane.
    #[inline]
    pub fn first_for_room(&self, plane: PlaneId) -> Option<TransactionId> {
        self.for_room[plane.index()].head
    }

    /// Takes out the write that has waited longest for a page of a plane.
    pub fn next_for_room(&mut self, plane: PlaneId) -> Option<TransactionId> {
        let list = &mut self.for_room[plane.index()];
        let first = list.head?;
        list.head = self.slots[first.index()].next.take();
        if list.head.is_none() {
            list.tail = None;
        }
        Some(first)
    }

    /// The first in a lane of a queue.
    #[inline]
    pub fn first(&self, die: DieId, class: Class, lane: u8) -> Option<TransactionId> {
        self.queues[die.index()][class.queue(lane)].head
    }

    /// Whether a lane of a queue is, or was, so long that [`Transactions::kin`] tells of it.
    #[inline]
    pub(super) fn has_chains(&self, die: DieId, class: Class, lane: u8) -> bool {
        self.queues[die.index()][class.queue(lane)].has_chains
    }

    /// The transactions of a plane of a queue that has chains which have this in common, the longest waiting first.
    pub(super) fn kin(
        &self,
        (die, class, lane): (DieId, Class, u8),
        plane_in_die: u32,
        kinship: Kinship,
    ) -> impl Iterator<Item = TransactionId> {
        self.partners.kin((die, class.queue(lane)), plane_in_die, kinship)
    }

    /// The one behind another in its queue.
    #[inline]
    pub fn after(&self, id: TransactionId) -> Option<TransactionId> {
        self.get(id).next
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use venice_kernel::SimTime;

    use crate::registry::FabricKind;
    use crate::testkit::drive::small_drive;

    #[test]
    fn every_lane_of_every_class_has_a_queue_of_its_own() {
        let lanes = 0..LANES as u8;
        let host = [Class::HostRead, Class::HostWrite];
        let of_host = host.into_iter().flat_map(|class| lanes.clone().map(move |lane| class.queue(lane)));
        let others = [
            Class::MappingRead,
            Class::MappingWrite,
            Class::GcRead,
            Class::GcWrite,
            Class::GcErase,
            Class::Operand,
        ];
        for class in host {
            let each = lanes.clone().fold(0, |set, lane| set | 1 << class.queue(lane));
            assert_eq!(class.queues(), each, "{class:?}");
        }
        for rank in &ALL {
            assert_eq!(Class::of_only(1 << rank.class.queue(0)), Some(rank));
        }
        let queues: Vec<usize> = of_host.chain(others.map(|class| class.queue(0))).collect();
        assert_eq!(queues.iter().collect::<BTreeSet<_>>().len(), queues.len());
        assert!(queues.iter().all(|&queue| queue < QUEUES) && queues.len() == QUEUES);
    }

    #[test]
    fn a_queue_keeps_its_order_when_its_middle_leaves() {
        let mut all = Transactions::new(&small_drive(FabricKind::Bus, 1, 1).geometry, 1, true);
        let clock = StageClock::start(SimTime::ZERO);
        let ids: Vec<_> =
            (0..4).map(|_| all.insert(Transaction::new(Purpose::GcRead, PlaneId(0), clock))).collect();
        for &id in &ids {
            all.enqueue(DieId(0), id);
        }
        assert_eq!(all.waiting(DieId(0)), Class::GcRead.queues());
        all.dequeue(DieId(0), ids[1]);
        all.dequeue(DieId(0), ids[3]);
        all.enqueue(DieId(0), ids[1]);
        let mut left = Vec::new();
        let mut place = all.first(DieId(0), Class::GcRead, 0);
        while let Some(id) = place {
            left.push(id);
            place = all.after(id);
        }
        assert_eq!(left, [ids[0], ids[2], ids[1]]);
        for id in left {
            assert_ne!(all.waiting(DieId(0)), 0);
            all.dequeue(DieId(0), id);
        }
        assert_eq!(all.waiting(DieId(0)), 0);
    }
}
