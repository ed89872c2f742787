//! Mock of the queues of one die, for tests of scheduling policies.

use venice_nand::geometry::Priority;

use super::{AnyScheduling, DieId, HostQueues, LANES, LaneSet, Packing, TransactionId, TransactionKind};

/// Queues of die 0 with host transactions. Each tuple in `all` describes a transaction, in order of arrival:
/// true for a read; the priority class; the plane; true if the transaction can be started.
#[derive(Clone, Debug)]
pub struct MockHostQueues {
    all: Vec<(bool, u8, u32, bool)>,
    /// Lane of each transaction, by its position in the order of arrival.
    lanes: Vec<u8>,
    /// Transactions that are still queued for the die.
    pub left: Vec<TransactionId>,
}

impl MockHostQueues {
    /// Queues all transactions, each in the lane that the policy assigns to its priority class.
    pub fn new(policy: &AnyScheduling, all: &[(bool, u8, u32, bool)]) -> Self {
        let lane = |&(_, class, ..): &(bool, u8, u32, bool)| policy.lane(Priority::ALL[usize::from(class)]);
        Self {
            all: all.to_vec(),
            lanes: all.iter().map(lane).collect(),
            left: (0..all.len() as u32).map(TransactionId).collect(),
        }
    }

    /// Returns the type (read or write) and the lane of a transaction.
    pub fn lane_of(&self, id: TransactionId) -> (TransactionKind, u8) {
        (self.kind(id).expect("all are the host's"), self.lanes[id.index()])
    }

    fn lane(&self, kind: TransactionKind, lane: u8) -> impl Iterator<Item = TransactionId> {
        let is_there =
            move |id: &TransactionId| self.kind(*id) == Some(kind) && self.lanes[id.index()] == lane;
        self.left.iter().copied().filter(is_there)
    }
}

impl HostQueues for MockHostQueues {
    fn dies(&self) -> impl Iterator<Item = DieId> {
        std::iter::once(DieId(0))
    }

    fn waiting(&self, kind: TransactionKind) -> LaneSet {
        let lanes = (0..LANES as u8).filter(|&lane| self.lane(kind, lane).next().is_some());
        LaneSet(lanes.fold(0, |set, lane| set | 1 << lane))
    }

    fn first(&self, _die: DieId, kind: TransactionKind, lane: u8) -> Option<TransactionId> {
        self.lane(kind, lane).next()
    }

    fn after(&self, id: TransactionId) -> Option<TransactionId> {
        let kind = self.kind(id)?;
        self.lane(kind, self.lanes[id.index()]).find(|other| other.0 > id.0)
    }

    fn can_start(&self, id: TransactionId) -> bool {
        self.all[id.index()].3
    }

    fn first_ready(&self, _die: DieId, kind: TransactionKind, lane: u8) -> Option<TransactionId> {
        self.lane(kind, lane).find(|&id| self.can_start(id))
    }

    fn arrival(&self, id: TransactionId) -> u64 {
        u64::from(id.0)
    }

    fn kind(&self, id: TransactionId) -> Option<TransactionKind> {
        Some(if self.all[id.index()].0 { TransactionKind::Read } else { TransactionKind::Write })
    }

    fn plane(&self, id: TransactionId) -> u32 {
        1 << self.all[id.index()].2
    }

    fn packing(&self, id: TransactionId) -> Packing {
        (!self.all[id.index()].0, None)
    }

    fn planes_of_a_command(&self) -> u32 {
        4
    }

    fn is_alone(&self, _die: DieId, _id: TransactionId) -> bool {
        self.left.len() == 1
    }
}
