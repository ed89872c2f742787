//! Physically addressed queueing (PAQ): starts groups of transactions that use as many planes as possible.
//!
//! # What it models
//! The addresses of queued transactions are already translated, so the controller knows the page of each read
//! and the plane of each write. It selects groups that can be executed together without a conflict (a
//! *clump*). No two transactions of a clump use the same plane, and those for one die are packed into one
//! multi-plane command, regardless of their requests. Transactions for busy dies are skipped. Host reads and
//! host writes have equal precedence.
//!
//! # How
//! Dies share only paths, and the fabric arbitrates these. A clump is therefore formed die by die: an idle
//! die starts its next group immediately. The paper does not state this; waiting for a whole clump would
//! leave dies idle.
//!
//! The startable host transactions of a die are examined in order of age. Each can be the lead of a group,
//! which contains the first transactions that fit into the same command. The group that uses the most planes
//! is started. On a tie, this is the group with the oldest lead. The oldest `most_passes` + 1 transactions
//! can be leads, and twice as many are examined. After the oldest transaction has been overtaken by
//! `most_passes` groups, its own group is started, so that no transaction starves. The paper does not state
//! this, either. Mapping reads and writes and urgent garbage collection precede host transactions.
//!
//! # What is left out
//! Conflicts on channels are not considered. A command without a path is offered again later, and other
//! commands in the meantime.
//!
//! # Source
//! Jung, Wilson, Kandemir: "Physically Addressed Queueing (PAQ): Improving Parallelism in Solid State Disks",
//! ISCA 2012: physical addresses, clumping, packing.
//!
//! # Parameters
//! `ftl.scheduling`, `ftl.paq_most_passes`

use arrayvec::ArrayVec;
use venice_nand::geometry::{DieId, TransactionId};
use venice_params::{declare, whole};

use super::{HostOrder, HostQueues, Packing, SchedulingPolicy, SchedulingSettings, TransactionKind};

/// Maximum number of transactions examined for a group, regardless of `ftl.paq_most_passes`. The value is an
/// assumed depth of a hardware queue.
const MAX_EXAMINED: usize = 64;

declare! {
    /// Parameters of the scheduling policy `paq`.
    pub struct PaqParameters in "ftl." {
        /// Maximum number of commands that overtake the oldest transaction of a die, for `paq`.
        ///
        /// With N, the first transaction of a command is one of the N + 1 oldest transactions of the die. The
        /// command's transactions for other planes are among the 2 (N + 1) oldest ones, but always among the
        /// 64 oldest.
        paq_most_passes: u32 = whole(0, 65_535), unit "commands", default "7",
            source "ours: larger groups have priority without starvation";
    }
}

/// Group of transactions that could form one command.
#[derive(Clone, Copy, Debug)]
struct CommandGroup {
    packing: Packing,
    lead: TransactionId,
    /// Bit set of the planes that the group uses.
    planes: u32,
}

/// Groups of transactions that could form one command, ordered by the age of their lead transactions, oldest
/// first.
type CommandGroups = ArrayVec<CommandGroup, MAX_EXAMINED>;

/// Adds a transaction to the first group that it fits. If it fits none and `may_lead` is `Some`, it becomes
/// the lead of a new group.
fn add_to_groups(groups: &mut CommandGroups, packing: Packing, plane: u32, may_lead: Option<TransactionId>) {
    if let Some(group) = groups.iter_mut().find(|group| group.packing == packing) {
        group.planes |= plane;
    } else if let Some(lead) = may_lead {
        groups.push(CommandGroup { packing, lead, planes: plane });
    }
}

/// Number of groups that have overtaken a transaction while it was the oldest transaction of its die. The
/// transaction is identified by its position in the order of arrival.
#[derive(Clone, Copy, Debug, Default)]
struct Passes {
    arrival: u64,
    times: u32,
}

/// Physically addressed queueing policy.
#[derive(Clone, Debug)]
pub struct Paq {
    most_passes: u32,
    /// Number of groups that have overtaken each transaction, indexed by transaction.
    passes: Vec<Passes>,
}

impl SchedulingPolicy for Paq {
    type Parameters = PaqParameters;

    const HOST_ORDER: HostOrder = HostOrder::Together;
    const CHOOSES_LANES: bool = false;

    fn new(own: &PaqParameters, _settings: &SchedulingSettings, _dies: u32) -> Self {
        Self { most_passes: own.paq_most_passes, passes: Vec::new() }
    }

    fn choose(
        &mut self,
        _server: u32,
        _kind: TransactionKind,
        queues: &impl HostQueues,
    ) -> Option<(DieId, TransactionId)> {
        let oldest = |die| Some((die, oldest_of(die, queues)?));
        let (die, oldest) = queues.dies().filter_map(oldest).min_by_key(|&(_, id)| queues.arrival(id))?;
        Some((die, self.lead(die, oldest, queues)))
    }

    /// Counts the started group as one that overtakes the oldest transaction of the die, unless it contains
    /// this transaction.
    fn started(&mut self, die: DieId, group: &[TransactionId], queues: &impl HostQueues) {
        if !group.iter().any(|&id| queues.kind(id).is_some()) {
            return;
        }
        if let Some(oldest) = oldest_of(die, queues)
            && !group.contains(&oldest)
        {
            self.passes_over(oldest, queues.arrival(oldest));
        }
    }
}

/// Returns the oldest startable transaction of a die.
fn oldest_of(die: DieId, queues: &impl HostQueues) -> Option<TransactionId> {
    let firsts = [TransactionKind::Read, TransactionKind::Write].map(|kind| queues.first_ready(die, kind, 0));
    firsts.into_iter().flatten().min_by_key(|&id| queues.arrival(id))
}

impl Paq {
    fn passes_over(&mut self, id: TransactionId, arrival: u64) {
        if self.passes.len() <= id.index() {
            self.passes.resize(id.index() + 1, Passes::default());
        }
        let passes = &mut self.passes[id.index()];
        let before = if passes.arrival == arrival { passes.times } else { 0 };
        *passes = Passes { arrival, times: before + 1 };
    }

    fn passes_of(&self, id: TransactionId, arrival: u64) -> u32 {
        let passes = self.passes.get(id.index()).filter(|passes| passes.arrival == arrival);
        passes.map_or(0, |passes| passes.times)
    }

    /// Returns the lead transaction of the group that uses the most planes of a die.
    fn lead(&self, die: DieId, oldest: TransactionId, queues: &impl HostQueues) -> TransactionId {
        let is_bound = self.passes_of(oldest, queues.arrival(oldest)) >= self.most_passes;
        if is_bound || queues.planes_of_a_command() == 1 || queues.is_alone(die, oldest) {
            return oldest;
        }
        let groups = self.groups(die, queues);
        let most = groups.iter().map(|group| group.planes.count_ones()).max();
        let best = groups.iter().find(|group| Some(group.planes.count_ones()) == most);
        best.map_or(oldest, |group| group.lead)
    }

    /// Returns the candidate commands for a die: each is a group of transactions formed around one of the
    /// die's oldest transactions. Stops at the first group if it uses every plane.
    fn groups(&self, die: DieId, queues: &impl HostQueues) -> CommandGroups {
        let all = u32::MAX >> (32 - queues.planes_of_a_command());
        let mut groups = CommandGroups::new();
        let mut next = [TransactionKind::Read, TransactionKind::Write].map(|kind| queues.first(die, kind, 0));
        let mut found = 0;
        for _ in 0..(2 * self.most_passes as usize + 2).min(MAX_EXAMINED) {
            let Some(id) = take_older(&mut next, queues) else { break };
            if queues.can_start(id) {
                let may_lead = (found <= self.most_passes).then_some(id);
                add_to_groups(&mut groups, queues.packing(id), queues.plane(id), may_lead);
                found += 1;
            }
            if groups.first().is_some_and(|oldest| oldest.planes == all) {
                break;
            }
        }
        groups
    }
}

/// Removes and returns the older of the next read and the next write in the queues.
fn take_older(next: &mut [Option<TransactionId>; 2], queues: &impl HostQueues) -> Option<TransactionId> {
    let place = match *next {
        [Some(read), Some(write)] => usize::from(queues.arrival(write) < queues.arrival(read)),
        [read, _] => usize::from(read.is_none()),
    };
    let id = next[place]?;
    next[place] = queues.after(id);
    Some(id)
}

#[cfg(test)]
mod tests {
    use super::super::mock::MockHostQueues;
    use super::super::{AnyScheduling, Scheduling, SchedulingParameters};
    use super::*;

    const READ: bool = true;

    fn policy(paq_most_passes: u32) -> AnyScheduling {
        let parameters =
            SchedulingParameters { paq: PaqParameters { paq_most_passes }, ..Default::default() };
        AnyScheduling::new(&SchedulingSettings { kind: Scheduling::Paq, weights: [4, 2, 1], parameters }, 1)
    }

    fn lead(policy: &mut AnyScheduling, queues: &MockHostQueues) -> Option<u32> {
        policy.choose(0, TransactionKind::Read, queues).map(|(_, id)| id.0)
    }

    /// Transactions of a test: a read on plane 0, followed by two writes on two planes.
    const PAIR_BEHIND: [(bool, u8, u32, bool); 3] =
        [(READ, 1, 0, true), (!READ, 1, 0, true), (!READ, 1, 1, true)];

    #[test]
    fn the_group_of_most_planes_leads_until_the_oldest_was_passed_over_often_enough() {
        let mut policy = policy(2);
        let queues = MockHostQueues::new(&policy, &PAIR_BEHIND);
        let group = [TransactionId(1), TransactionId(2)];
        for _ in 0..2 {
            assert_eq!(lead(&mut policy, &queues), Some(1));
            policy.started(DieId(0), &group, &queues);
        }
        assert_eq!(lead(&mut policy, &queues), Some(0));
    }

    #[test]
    fn what_cannot_be_done_now_neither_leads_nor_counts() {
        let mut policy = policy(7);
        let mut waiting = PAIR_BEHIND;
        waiting[2].3 = false;
        let queues = MockHostQueues::new(&policy, &waiting);
        assert_eq!(lead(&mut policy, &queues), Some(0), "one plane each: the oldest");
        waiting[0].3 = false;
        let queues = MockHostQueues::new(&policy, &waiting);
        assert_eq!(lead(&mut policy, &queues), Some(1));
    }
}
