//! Index of long queues, to find transactions for a multi-plane command without a linear search.
//!
//! # How
//! Transactions can share a command if they are on different planes at the same page offset. A queue that has
//! become longer than [`WALKED`] keeps a linked list (chain) of the transactions of each plane and page
//! offset. Writes that have no page yet are in a chain for each plane and stream. The head of a chain is its
//! oldest transaction, so only one transaction per plane is examined, regardless of the queue length. Shorter
//! queues are searched linearly. Both methods find the same transactions in the same order.
//!
//! # Source
//! MQSim (Tavakkol et al., FAST 2018) searches the whole queue of a chip, `TSU_Base::issue_command_to_chip`.

use venice_nand::geometry::{DieId, Geometry, MappingUnits, TransactionId, remainder};
use venice_nand::transactions::{Transaction, TransactionClass, Transactions};

use super::lanes::QUEUES;

/// Maximum length of a queue that is searched linearly. Chains cost more than they save in shorter queues.
/// The value does not affect results.
pub(super) const WALKED: u32 = 32;

const NONE: u32 = u32::MAX;

/// Common property of the transactions in a chain, which is a list of transactions of one plane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PartnerKey {
    /// Offset of the page that the transaction reads or programs.
    Page(u32),
    /// Stream of a write whose page is not allocated yet. All erases use the same number.
    Stream(u16),
}

/// Neighbours of a transaction in its chain. The chain is stored as a ring, so the predecessor of the first
/// transaction is the last transaction.
#[derive(Clone, Copy, Debug)]
struct ChainLink {
    before: u32,
    after: u32,
}

/// Chains of all long queues.
#[derive(Clone, Debug)]
pub(super) struct Partners {
    planes_per_die: u32,
    pages_per_block: u32,
    units: MappingUnits,
    /// Number of distinct page offsets; 1 if the transactions of a command may have different offsets.
    offsets: u32,
    /// Number of chains (lists of transactions with equal page offset or stream) for each plane.
    chains: u32,
    /// First transaction of each chain, indexed by die and queue, then by chain.
    firsts: Vec<Option<Box<[u32]>>>,
    /// Neighbours in the chain, indexed by transaction.
    links: Vec<ChainLink>,
}

impl Partners {
    /// Creates an index without chains. `offsets_agree` is true if the transactions of a command must have
    /// the same page offset.
    pub(super) fn new(geometry: &Geometry, units: MappingUnits, streams: u16, offsets_agree: bool) -> Self {
        let offsets = if offsets_agree { units.page_offset(geometry.pages_per_block) } else { 1 };
        // Relocations use two streams: one for pages of the plane itself, and one for pages from other
        // planes.
        let streams = u32::from(streams).max(2);
        Self {
            planes_per_die: geometry.planes_per_die,
            pages_per_block: geometry.pages_per_block,
            units,
            offsets,
            chains: offsets + streams,
            firsts: vec![None; geometry.dies() as usize * QUEUES],
            links: Vec::new(),
        }
    }

    /// Returns the property that determines the chain of a waiting transaction.
    fn partner_key(&self, transaction: &Transaction) -> PartnerKey {
        let class = transaction.purpose.class();
        match transaction.ppn() {
            _ if class == TransactionClass::GcErase => PartnerKey::Stream(0),
            Some(ppn) if transaction.is_placed() || !class.is_write() => {
                let offset = self.units.page_offset(remainder(ppn.0, self.pages_per_block));
                PartnerKey::Page(if self.offsets == 1 { 0 } else { offset })
            }
            _ if class == TransactionClass::HostWrite => PartnerKey::Stream(transaction.stream),
            _ => PartnerKey::Stream(u16::from(transaction.plane != transaction.collected)),
        }
    }

    fn chain(&self, plane_in_die: u32, partner_key: PartnerKey) -> usize {
        let within = match partner_key {
            PartnerKey::Page(offset) => remainder(offset, self.offsets),
            PartnerKey::Stream(stream) => self.offsets + u32::from(stream),
        };
        (plane_in_die * self.chains + within) as usize
    }

    fn chain_of(&self, transaction: &Transaction) -> usize {
        let plane = remainder(transaction.plane.0, self.planes_per_die);
        self.chain(plane, self.partner_key(transaction))
    }

    /// Starts to index a queue by chains.
    pub(super) fn begin(&mut self, die: DieId, queue: usize) {
        let chains = (self.planes_per_die * self.chains) as usize;
        self.firsts[place(die, queue)] = Some(vec![NONE; chains].into());
    }

    /// Appends a transaction to its chain, after it was appended to its queue.
    pub(super) fn join(&mut self, all: &Transactions, die: DieId, queue: usize, id: TransactionId) {
        let chain = self.chain_of(all.get(id));
        if self.links.len() <= id.index() {
            self.links.resize(id.index() + 1, ChainLink { before: NONE, after: NONE });
        }
        let Some(firsts) = &mut self.firsts[place(die, queue)] else { return };
        let first = &mut firsts[chain];
        let last = if *first == NONE { id.0 } else { self.links[*first as usize].before };
        self.links[id.index()] = ChainLink { before: last, after: NONE };
        if *first == NONE {
            *first = id.0;
        } else {
            self.links[last as usize].after = id.0;
            self.links[*first as usize].before = id.0;
        }
    }

    /// Removes a transaction from its chain.
    pub(super) fn leave(&mut self, all: &Transactions, die: DieId, queue: usize, id: TransactionId) {
        let chain = self.chain_of(all.get(id));
        let Some(firsts) = &mut self.firsts[place(die, queue)] else { return };
        let ChainLink { before, after } = self.links[id.index()];
        let first = firsts[chain];
        if first == id.0 {
            firsts[chain] = after;
            if after != NONE {
                self.links[after as usize].before = before;
            }
        } else {
            self.links[before as usize].after = after;
            let behind = if after == NONE { first } else { after };
            self.links[behind as usize].before = before;
        }
    }

    /// Iterates over a plane's transactions with this `partner_key`, from the oldest.
    pub(super) fn kin(
        &self,
        die: DieId,
        queue: usize,
        plane_in_die: u32,
        partner_key: PartnerKey,
    ) -> impl Iterator<Item = TransactionId> {
        let firsts = self.firsts[place(die, queue)].as_ref();
        let first = firsts.map_or(NONE, |firsts| firsts[self.chain(plane_in_die, partner_key)]);
        let is_one = |id: &u32| *id != NONE;
        let after = move |&id: &u32| Some(self.links[id as usize].after).filter(is_one);
        std::iter::successors(Some(first).filter(is_one), after).map(TransactionId)
    }
}

const fn place(die: DieId, queue: usize) -> usize {
    die.0 as usize * QUEUES + queue
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use venice_kernel::SimTime;
    use venice_nand::geometry::PlaneId;
    use venice_nand::latency::StageClock;
    use venice_nand::transactions::{PageState, Purpose};

    use super::*;
    use crate::controller::queues::die_queues::DieQueues;
    use crate::controller::queues::lanes::DieLane;
    use crate::testkit::settings::SmallDrive;

    const DIE: DieId = DieId(0);
    const MOVES: DieLane = DieLane::first_of(TransactionClass::GcWrite);

    fn geometry() -> Geometry {
        Geometry { planes_per_die: 4, ..SmallDrive::new(1, 1).geometry }
    }

    /// Creates a relocation on a plane, with the page at `offset` or without an allocated page.
    fn a_move(geometry: &Geometry, plane: u32, offset: Option<u32>, is_guest: bool) -> Transaction {
        let clock = StageClock::start(SimTime::ZERO);
        let block = geometry.block(PlaneId(plane), 1);
        let ppn = geometry.ppn(block, offset.unwrap_or(0));
        let given = PageState::Given { ppn, turn: 0, waits_for_read: false };
        let page = if offset.is_some() { given } else { PageState::From(ppn) };
        let collected = PlaneId(if is_guest { plane + 4 } else { plane });
        let new = Transaction::new(Purpose::GcWrite, PlaneId(plane), clock);
        Transaction { collected, page, ..new }
    }

    fn is_kin(geometry: &Geometry, transaction: &Transaction, plane: u32, partner_key: PartnerKey) -> bool {
        let of_plane = transaction.plane == PlaneId(plane);
        of_plane
            && match partner_key {
                PartnerKey::Page(offset) => {
                    transaction.is_placed()
                        && transaction.ppn().map(|ppn| geometry.page_offset(ppn)) == Some(offset)
                }
                PartnerKey::Stream(stream) => {
                    let is_guest = transaction.plane != transaction.collected;
                    !transaction.is_placed() && is_guest == (stream == 1)
                }
            }
    }

    proptest! {
        #[test]
        fn chains_agree_with_a_linear_search_in_order(
            steps in prop::collection::vec((0_u32..4, prop::option::of(0_u32..3), any::<bool>(), any::<u8>()), 40..200),
        ) {
            let geometry = geometry();
            let (mut all, mut queues) = (Transactions::default(), DieQueues::new(&geometry, MappingUnits::PAGES, 1, true));
            for (plane, offset, is_guest, leaving) in steps {
                let id = all.insert(a_move(&geometry, plane, offset, is_guest));
                queues.push(&mut all, DIE, MOVES, id);
                let length = queues.iter(&all, DIE, MOVES).count();
                if leaving < 100 && length > WALKED as usize {
                    let leaves = queues.iter(&all, DIE, MOVES).nth(usize::from(leaving) % length);
                    if let Some(leaves) = leaves {
                        queues.remove(&mut all, DIE, leaves);
                        all.remove(leaves);
                    }
                }
            }
            prop_assert!(queues.has_chains(DIE, MOVES));
            let kinships = [0, 1, 2].map(PartnerKey::Page).into_iter().chain([0, 1].map(PartnerKey::Stream));
            for (plane, partner_key) in (0..4).flat_map(|plane| kinships.clone().map(move |partner_key| (plane, partner_key))) {
                let chain: Vec<_> = queues.kin(DIE, MOVES, plane, partner_key).collect();
                let walk: Vec<_> =
                    queues.iter(&all, DIE, MOVES).filter(|&id| is_kin(&geometry, all.get(id), plane, partner_key)).collect();
                prop_assert_eq!(chain, walk, "{:?} of plane {}", partner_key, plane);
            }
        }
    }

    #[test]
    fn pages_of_all_offsets_are_kin_where_offsets_need_not_agree() {
        let geometry = geometry();
        let (mut all, mut queues) =
            (Transactions::default(), DieQueues::new(&geometry, MappingUnits::PAGES, 1, false));
        for offset in 0..=WALKED {
            let id = all.insert(a_move(&geometry, 0, Some(offset % geometry.pages_per_block), false));
            queues.push(&mut all, DIE, MOVES, id);
        }
        assert_eq!(queues.kin(DIE, MOVES, 0, PartnerKey::Page(1)).count(), WALKED as usize + 1);
    }

    #[test]
    fn a_queue_has_no_chains_before_it_is_long() {
        let geometry = geometry();
        let (mut all, mut queues) =
            (Transactions::default(), DieQueues::new(&geometry, MappingUnits::PAGES, 1, true));
        for length in 1..=WALKED + 1 {
            let id = all.insert(a_move(&geometry, 0, Some(0), false));
            queues.push(&mut all, DIE, MOVES, id);
            assert_eq!(queues.has_chains(DIE, MOVES), length > WALKED);
        }
    }
}
