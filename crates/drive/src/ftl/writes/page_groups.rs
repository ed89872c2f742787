//! Groups of full pages: programs of host data that wait until several planes of their die have data.
//!
//! # What it models
//! A controller programs all planes of a die together, so that it collects a page of data for each of them
//! before the program starts. A full page of host data waits for full pages in other planes of its die, until
//! `ftl.program_min_planes` planes have one. The pages are then queued for the die together.
//!
//! If a page is written for each plane of an idle die, one after another, the die needs one program. Without
//! groups it needs two: the first page is programmed alone, and the others follow together.
//!
//! # How
//! Each die has a group for each stream of host writes. A group that does not reach its planes in
//! `ftl.page_fill_wait_us` after its first page is queued as it is. Flushes and writes with forced unit access
//! queue all groups. Writes of translation pages and of garbage collection do not wait.
//!
//! # Parameters
//! `ftl.program_min_planes`, `ftl.page_fill_wait_us`

use std::collections::VecDeque;
use std::mem;

use venice_kernel::{SimSpan, SimTime};
use venice_nand::geometry::{Geometry, PlaneId, TransactionId};
use venice_nand::transactions::{Transaction, Transactions};

use crate::ftl::settings::FtlSettings;

/// Group of full pages of a die and a write stream. They wait until enough planes of the die have a page.
#[derive(Clone, Debug, Default)]
struct PageGroup {
    pages: Vec<TransactionId>,
    /// Bit mask of the planes of the die that have a page in the group.
    planes: u32,
    /// Number of groups of this die and stream that have been queued so far.
    number: u64,
}

/// Time at which a group is queued even if too few planes have a page.
#[derive(Clone, Copy, Debug)]
struct GroupDeadline {
    at: SimTime,
    group: usize,
    number: u64,
}

/// Groups of full pages of all dies and streams.
#[derive(Clone, Debug)]
pub(super) struct PageGroups {
    min_planes: u32,
    wait: SimSpan,
    planes_per_die: u32,
    streams: usize,
    /// Groups, indexed by die, then by stream. Empty if pages do not wait.
    groups: Vec<PageGroup>,
    /// Deadlines of the waiting groups, in ascending order.
    deadlines: VecDeque<GroupDeadline>,
    /// Pages that are to be queued for their dies.
    ready: VecDeque<TransactionId>,
}

impl PageGroups {
    /// Creates empty groups.
    pub(super) fn new(geometry: &Geometry, settings: &FtlSettings) -> Self {
        let streams = usize::from(settings.write_streams);
        let is_used = settings.program_min_planes > 1 && !settings.page_fill_wait.is_zero();
        let dies = geometry.dies() as usize * usize::from(is_used);
        Self {
            min_planes: settings.program_min_planes.min(geometry.planes_per_die),
            wait: settings.page_fill_wait,
            planes_per_die: geometry.planes_per_die,
            streams,
            groups: vec![PageGroup::default(); dies * streams],
            deadlines: VecDeque::new(),
            ready: VecDeque::new(),
        }
    }

    /// Returns true if full pages wait for pages in other planes of their die.
    #[inline]
    pub(super) fn are_used(&self) -> bool {
        !self.groups.is_empty()
    }

    /// Adds a full page of host data to the group of its die and stream.
    pub(super) fn add(&mut self, page: TransactionId, transaction: &Transaction, now: SimTime) {
        let (die, plane) = self.place_of(transaction.plane);
        let index = die * self.streams + usize::from(transaction.stream);
        let group = &mut self.groups[index];
        if group.pages.is_empty() {
            self.deadlines.push_back(GroupDeadline {
                at: now + self.wait,
                group: index,
                number: group.number,
            });
        }
        group.pages.push(page);
        group.planes |= 1 << plane;
        if group.planes.count_ones() >= self.min_planes {
            self.queue(index);
        }
    }

    /// Returns the index of the die of a plane, and the index of the plane in this die.
    const fn place_of(&self, plane: PlaneId) -> (usize, u32) {
        ((plane.0 / self.planes_per_die) as usize, plane.0 % self.planes_per_die)
    }

    fn queue(&mut self, index: usize) {
        let group = &mut self.groups[index];
        group.number += 1;
        group.planes = 0;
        self.ready.extend(group.pages.drain(..));
    }

    /// Queues the pages of all groups for their dies.
    pub(super) fn queue_all(&mut self) {
        for deadline in mem::take(&mut self.deadlines) {
            self.queue_if_current(deadline);
        }
    }

    /// Queues the pages of the groups whose deadline has passed.
    pub(super) fn queue_due(&mut self, now: SimTime) {
        while let Some(&deadline) = self.deadlines.front() {
            if deadline.at > now && self.is_current(deadline) {
                return;
            }
            self.deadlines.pop_front();
            self.queue_if_current(deadline);
        }
    }

    fn is_current(&self, deadline: GroupDeadline) -> bool {
        let group = &self.groups[deadline.group];
        group.number == deadline.number && !group.pages.is_empty()
    }

    fn queue_if_current(&mut self, deadline: GroupDeadline) {
        if self.is_current(deadline) {
            self.queue(deadline.group);
        }
    }

    /// Removes and returns the next page that is to be queued for its die.
    #[inline]
    pub(super) fn next_ready(&mut self) -> Option<TransactionId> {
        self.ready.pop_front()
    }

    /// Returns the next deadline of a group.
    #[inline]
    pub(super) fn next_deadline(&self) -> Option<SimTime> {
        self.deadlines.front().map(|deadline| deadline.at)
    }

    /// Removes and returns a waiting page of a lost plane. The page then no longer counts for its group.
    pub(super) fn take(&mut self, all: &Transactions, plane: PlaneId) -> Option<TransactionId> {
        let (die, plane_in_die) = self.place_of(plane);
        let first = die * self.streams;
        let own = self.groups.get_mut(first..first + self.streams)?;
        own.iter_mut().find_map(|group| {
            let position = group.pages.iter().position(|&page| all.get(page).plane == plane)?;
            let page = group.pages.remove(position);
            group.planes &= !(1 << plane_in_die);
            if group.pages.is_empty() {
                (group.number, group.planes) = (group.number + 1, 0);
            }
            Some(page)
        })
    }
}

#[cfg(test)]
mod tests {
    use venice_nand::latency::StageClock;
    use venice_nand::transactions::Purpose;

    use super::*;
    use crate::testkit::settings::SmallDrive;

    /// Test bench: groups of full pages, on a drive with two planes for each die.
    struct Bench {
        all: Transactions,
        groups: PageGroups,
    }

    impl Bench {
        fn new(min_planes: u32, wait_us: u64) -> Self {
            let mut drive = SmallDrive::new(1, 2);
            drive.geometry.planes_per_die = 2;
            drive.ftl.program_min_planes = min_planes;
            drive.ftl.page_fill_wait = SimSpan::from_us(wait_us);
            Self { all: Transactions::default(), groups: PageGroups::new(&drive.geometry, &drive.ftl) }
        }

        fn add(&mut self, plane: u32, at_us: u64) -> TransactionId {
            let clock = StageClock::start(SimTime::ZERO);
            let id = self.all.insert(Transaction::new(Purpose::MappingWrite, PlaneId(plane), clock));
            self.groups.add(id, self.all.get(id), SimTime::ZERO + SimSpan::from_us(at_us));
            id
        }

        fn ready(&mut self) -> Vec<TransactionId> {
            std::iter::from_fn(|| self.groups.next_ready()).collect()
        }

        fn due(&mut self, at_us: u64) -> Vec<TransactionId> {
            self.groups.queue_due(SimTime::ZERO + SimSpan::from_us(at_us));
            self.ready()
        }
    }

    #[test]
    fn pages_are_queued_together_when_enough_planes_of_a_die_have_one() {
        let mut bench = Bench::new(2, 50);
        let first = [bench.add(0, 0), bench.add(0, 1), bench.add(2, 2)];
        assert_eq!(bench.ready(), [], "each die has pages in one plane");
        let last = bench.add(1, 3);
        assert_eq!(bench.ready(), [first[0], first[1], last]);
        assert_eq!(bench.due(51), [], "the group of the deadline has been queued");
        assert_eq!(bench.due(52), [first[2]]);
    }

    #[test]
    fn flush_queues_all_groups() {
        let mut bench = Bench::new(2, 50);
        let waiting = [bench.add(0, 0), bench.add(3, 0)];
        bench.groups.queue_all();
        assert_eq!(bench.ready(), waiting);
        assert_eq!(bench.groups.next_deadline(), None);
    }

    #[test]
    fn lost_plane_gives_its_pages_back() {
        let mut bench = Bench::new(2, 50);
        let page = bench.add(1, 0);
        assert_eq!(bench.groups.take(&bench.all, PlaneId(0)), None);
        assert_eq!(bench.groups.take(&bench.all, PlaneId(1)), Some(page));
        assert_eq!(bench.due(50), []);
        let later = bench.add(1, 20);
        assert_eq!(bench.due(60), [], "the deadline of the page that was taken is not that of the next");
        assert_eq!(bench.due(70), [later]);
    }

    #[test]
    fn pages_do_not_wait_without_a_time_or_for_one_plane() {
        assert!(!Bench::new(2, 0).groups.are_used() && !Bench::new(1, 50).groups.are_used());
        assert!(Bench::new(2, 50).groups.are_used());
    }
}
