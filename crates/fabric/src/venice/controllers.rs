//! States of the flash controllers, and the choice of the controller that serves a transfer.
//!
//! # What it models
//! A controller has at most one circuit or one scout at a time. With two ports it has one circuit through
//! each port, or one through either port if only one circuit is allowed. The nearest free controller serves a
//! transfer (by number of links to the chip; the lower number on a tie). As alternatives for comparison, the
//! controller of the chip's row or the one with the fewest transfers can serve it.
//!
//! # How
//! Controller *i* enters row *i* at column 0, so its distance to a chip is the chip's column plus the number
//! of rows between them. The search for the nearest controller therefore starts at the chip's row.
//!
//! # What is left out
//! Queues: a transfer without a free controller is refused and offered again.
//!
//! # Source
//! Nadig et al., "Venice", ISCA 2023, §4. The paper does not define ties.
//!
//! # Parameters
//! `controller`.

use venice_kernel::{SimSpan, SimTime};
use venice_nand::geometry::DieId;

use super::ControllerId;
use super::controller_set::ControllerSet;
use super::controller_state::{Circuit, ControllerState, PathWait};
use crate::noc::Mesh;
use crate::{ControllerChoice, ControllerPorts};

/// Second ports of all controllers.
#[derive(Clone, Copy, Debug)]
struct SecondPorts {
    /// Column of the second ports.
    column: u32,
    /// True if a controller uses only one of its ports at a time.
    take_turns: bool,
}

/// States of all controllers. If a controller has two ports, each port has its own state; first ports precede
/// second ports.
#[derive(Clone, Debug)]
pub(super) struct Controllers {
    choice: ControllerChoice,
    second_ports: Option<SecondPorts>,
    activities: Vec<ControllerState>,
    free: ControllerSet,
    /// Controllers that wait for a path, except those whose next scout is known to succeed.
    waiting: ControllerSet,
    /// Members of `waiting` for which the hop count of failed scouts must be recomputed, because a link has
    /// changed at a router that these scouts had entered.
    stale: ControllerSet,
    /// Instant before which no member of `stale` sends its next scout.
    stale_from: SimTime,
    counts: [u32; ControllerState::COUNT],
    /// Number of transfers that each controller has carried so far.
    carried: Vec<u64>,
}

impl Controllers {
    /// Creates `count` free controllers.
    pub(super) fn new(choice: ControllerChoice, count: u32) -> Self {
        let mut counts = [0; ControllerState::COUNT];
        counts[ControllerState::Free.index()] = count;
        let (activities, carried) = (vec![ControllerState::Free; count as usize], vec![0; count as usize]);
        let mut free = ControllerSet::none(count);
        (0..count).for_each(|number| free.put(ControllerId(number), true));
        let (waiting, stale) = (ControllerSet::none(count), ControllerSet::none(count));
        let stale_from = SimTime::MAX;
        Self { choice, second_ports: None, activities, free, waiting, stale, stale_from, counts, carried }
    }

    pub(super) fn of(mesh: Mesh, choice: ControllerChoice, circuits: u32) -> Self {
        let has_second = mesh.controller_ports() != ControllerPorts::One;
        let second = SecondPorts { column: mesh.second_column(), take_turns: circuits < 2 };
        Self { second_ports: has_second.then_some(second), ..Self::new(choice, mesh.entrances()) }
    }

    #[inline]
    pub(super) fn activity(&self, controller: ControllerId) -> &ControllerState {
        &self.activities[controller.index()]
    }

    /// Returns the controllers that wait for a path, except those whose next scout is known to succeed.
    #[inline]
    pub(super) const fn waiting(&self) -> &ControllerSet {
        &self.waiting
    }

    /// Returns the waiting controllers for which the hop count of failed scouts must be recomputed.
    #[inline]
    pub(super) const fn stale(&self) -> &ControllerSet {
        &self.stale
    }

    /// Returns the instant before which no stale controller sends its next scout.
    #[inline]
    pub(super) const fn stale_from(&self) -> SimTime {
        self.stale_from
    }

    /// Marks a waiting controller as stale: the hop count of its failed scouts must be recomputed.
    #[inline]
    pub(super) fn set_stale(&mut self, who: ControllerId) {
        self.stale.put(who, true);
        self.stale_from = self.stale_from.min(self.wait_of(who).polls.next);
    }

    /// Marks a waiting controller as not stale: the hop count of its failed scouts has been recomputed.
    #[inline]
    pub(super) fn set_found(&mut self, who: ControllerId) {
        self.stale.put(who, false);
    }

    /// Sets the instant before which no stale controller sends its next scout.
    #[inline]
    pub(super) const fn set_stale_from(&mut self, from: SimTime) {
        self.stale_from = from;
    }

    /// Removes a controller from the set of waiting controllers, because its next scout will succeed and is
    /// simulated.
    pub(super) fn set_due(&mut self, who: ControllerId) {
        self.waiting.put(who, false);
        self.stale.put(who, false);
    }

    /// Returns the state of a controller that waits for a path.
    ///
    /// # Panics
    /// Panics if the controller does not wait.
    #[inline]
    pub(super) fn wait_of(&self, who: ControllerId) -> &PathWait {
        match &self.activities[who.index()] {
            ControllerState::Waiting(waiting) => waiting,
            other => unreachable!("controller {} does not wait: it is {other:?}", who.0),
        }
    }

    /// Returns the state of a controller that waits for a path, for modification.
    #[inline]
    pub(super) fn wait_of_mut(&mut self, who: ControllerId) -> &mut PathWait {
        match &mut self.activities[who.index()] {
            ControllerState::Waiting(waiting) => waiting,
            other => unreachable!("controller {} does not wait: it is {other:?}", who.0),
        }
    }

    /// True if a controller holds a circuit for the next transfer of `die`.
    pub(super) fn hold_circuit_for(&self, die: DieId) -> bool {
        self.held().any(|circuit| circuit.die == die)
    }

    /// Returns the circuits that are held for the next transfer of their die.
    pub(super) fn held(&self) -> impl Iterator<Item = &Circuit> {
        self.activities.iter().filter_map(|activity| match activity {
            ControllerState::Holding(circuit) => Some(circuit),
            _ => None,
        })
    }

    /// Returns the controllers whose scouts are in flight.
    pub(super) fn with_scouts(&self) -> impl Iterator<Item = ControllerId> {
        let all = (0..).map(ControllerId).zip(&self.activities);
        all.filter(|(_, activity)| activity.has_scout()).map(|(who, _)| who)
    }

    /// Copies the states of all controllers to `states`.
    pub(super) fn copy_activities(&self, states: &mut Vec<ControllerState>) {
        states.clone_from(&self.activities);
    }

    /// Postpones the departures of all scouts in flight.
    pub(super) fn postpone_scouts(&mut self, span: SimSpan) {
        for activity in &mut self.activities {
            *activity = activity.postponed(span);
        }
    }

    /// Changes the state of a controller.
    #[inline]
    pub(super) fn set(&mut self, controller: ControllerId, activity: ControllerState) {
        if self.second_ports.is_some_and(|second| second.take_turns) {
            self.let_other_rest(controller, matches!(activity, ControllerState::Free));
        }
        self.put(controller, activity);
    }

    /// Makes the other port of a controller with two ports available if `may_work` is true, and unavailable
    /// otherwise. A port in use does not change.
    fn let_other_rest(&mut self, controller: ControllerId, may_work: bool) {
        let (all, half) = (self.activities.len() as u32, self.activities.len() as u32 / 2);
        let other = ControllerId((controller.0 + half) % all);
        match self.activity(other) {
            ControllerState::Free if !may_work => self.put(other, ControllerState::Resting),
            ControllerState::Resting if may_work => self.put(other, ControllerState::Free),
            _ => {}
        }
    }

    #[inline]
    fn put(&mut self, controller: ControllerId, activity: ControllerState) {
        self.counts[self.activities[controller.index()].index()] -= 1;
        self.counts[activity.index()] += 1;
        self.carried[controller.index()] += u64::from(matches!(activity, ControllerState::Transferring(_)));
        self.free.put(controller, matches!(activity, ControllerState::Free));
        self.waiting.put(controller, matches!(activity, ControllerState::Waiting(_)));
        self.stale.put(controller, false);
        self.activities[controller.index()] = activity;
    }

    /// True if every controller is free.
    pub(super) fn all_free(&self) -> bool {
        self.counts[0] as usize == self.activities.len()
    }

    /// True if a controller has a scout in flight, or waits for a path.
    pub(super) fn have_waiting(&self) -> bool {
        use ControllerState::{Returning, Searching, Waiting};
        self.activities.iter().any(|activity| matches!(activity, Searching(_) | Returning(_) | Waiting(_)))
    }

    /// True if no controller is free and none holds a circuit.
    #[inline]
    pub(super) const fn all_taken(&self) -> bool {
        self.counts[0] == 0 && self.counts[4] == 0
    }

    /// Iterates over the free controllers in ascending order.
    #[inline]
    pub(super) fn free(&self) -> impl Iterator<Item = ControllerId> {
        self.free.iter()
    }

    /// True if a controller port of `row` is free.
    #[inline]
    pub(super) fn has_free_in_row(&self, row: u32) -> bool {
        let second = self.activities.len() as u32 / 2;
        self.when_free(row).is_some() || self.second_ports.is_some() && self.when_free(row + second).is_some()
    }

    /// Returns the configured choice of controller.
    pub(super) const fn choice(&self) -> ControllerChoice {
        self.choice
    }

    /// True if a circuit exists.
    #[inline]
    pub(super) const fn have_circuit(&self) -> bool {
        self.counts[3] + self.counts[4] + self.counts[6] > 0
    }

    /// True if a circuit exists or may be established by a scout in flight. A release of a circuit will then
    /// follow.
    pub(super) const fn will_release(&self) -> bool {
        self.counts[1] + self.counts[3] + self.counts[4] + self.counts[6] > 0
    }

    /// Returns the free controller that should serve a chip at (`row`, `column`). Considers only controllers
    /// for which `can` is true.
    #[inline]
    pub(super) fn choose(
        &self,
        (row, column): (u32, u32),
        can: impl Fn(ControllerId) -> bool,
    ) -> Option<ControllerId> {
        if let Some(second) = self.second_ports {
            return self.choose_of_two(second, (row, column), can);
        }
        match self.choice {
            ControllerChoice::Home => self.when_free(row).filter(|&own| can(own)),
            ControllerChoice::NearestFree => self.free.nearest(row, can),
            ControllerChoice::LeastLoaded => (0..self.activities.len() as u32)
                .filter_map(|other| self.when_free(other).filter(|&it| can(it)))
                .min_by_key(|it| (self.carried[it.index()], row.abs_diff(it.0))),
        }
    }

    /// Returns the free controller port that should serve a chip if controllers have two ports. On a tie,
    /// returns the first port of the controller with the lower number.
    fn choose_of_two(
        &self,
        second: SecondPorts,
        (row, column): (u32, u32),
        can: impl Fn(ControllerId) -> bool,
    ) -> Option<ControllerId> {
        let count = self.activities.len() as u32 / 2;
        let key = |it: &ControllerId| {
            let (controller, is_second) = (it.0 % count, it.0 >= count);
            let across = if is_second { column.abs_diff(second.column) } else { column };
            let carried = self.carried[controller as usize] + self.carried[(controller + count) as usize];
            let load = if self.choice == ControllerChoice::LeastLoaded { carried } else { 0 };
            (load, row.abs_diff(controller) + across, controller, is_second)
        };
        let serves = |it: &ControllerId| self.choice != ControllerChoice::Home || it.0 % count == row;
        self.free().filter(|it| serves(it) && can(*it)).min_by_key(key)
    }

    fn when_free(&self, row: u32) -> Option<ControllerId> {
        let it = ControllerId(row);
        self.free.contains(it).then_some(it)
    }
}

#[cfg(test)]
mod tests {
    use venice_nand::geometry::ChipId;

    use super::super::controller_state::{FailedScout, OnFailure, ScoutJob, ScoutSearch};
    use super::super::{LfsrClock, Scout};
    use super::*;
    use crate::noc::{Port, RouterId};
    use crate::{Direction, Transfer};

    const BUSY: ControllerState = ControllerState::Returning(FailedScout { then: OnFailure::Refused });

    fn with_busy(choice: ControllerChoice, busy: &[u32]) -> Controllers {
        let mut controllers = Controllers::new(choice, 8);
        for &row in busy {
            controllers.set(ControllerId(row), BUSY);
        }
        controllers
    }

    fn in_flight() -> ControllerState {
        let transfer = Transfer {
            die: DieId(5),
            chip: ChipId(5),
            direction: Direction::ToChip,
            command: SimSpan::ZERO,
            bytes: 0,
            keeps_path: false,
            moved: None,
            waiting_since: None,
        };
        let scout =
            Scout::new(ControllerId(7), RouterId(5), (RouterId(56), Port::Controller), LfsrClock::default());
        let job = ScoutJob { transfer, accepted: SimTime::ZERO, since: SimTime::ZERO, releases: 0 };
        ControllerState::Searching(ScoutSearch { scout, job })
    }

    #[test]
    fn the_nearest_free_controller_serves_and_ties_go_to_the_lower_number() {
        let cases: [(&[u32], u32, Option<u32>); 6] = [
            (&[], 3, Some(3)),
            (&[3], 3, Some(2)),
            (&[3, 2], 3, Some(4)),
            (&[0], 0, Some(1)),
            (&[7, 6, 5], 7, Some(4)),
            (&[0, 1, 2, 3, 4, 5, 6, 7], 4, None),
        ];
        for (busy, row, expected) in cases {
            let controllers = with_busy(ControllerChoice::NearestFree, busy);
            assert_eq!(
                controllers.choose((row, 0), |_| true),
                expected.map(ControllerId),
                "{busy:?} busy, row {row}"
            );
        }
    }

    #[test]
    fn the_least_loaded_controller_is_the_one_that_carried_least_and_of_two_the_nearest() {
        let mut controllers = Controllers::new(ControllerChoice::LeastLoaded, 4);
        let circuit =
            Circuit { chip: ChipId(0), die: DieId(0), hops: 1, keep: false, path_wait: SimSpan::ZERO };
        for row in [3, 3, 0] {
            controllers.set(ControllerId(row), ControllerState::Transferring(circuit));
            controllers.set(ControllerId(row), ControllerState::Free);
        }
        assert_eq!(controllers.choose((3, 0), |_| true), Some(ControllerId(2)));
        controllers.set(ControllerId(1), BUSY);
        controllers.set(ControllerId(2), BUSY);
        assert_eq!(controllers.choose((3, 0), |_| true), Some(ControllerId(0)));
    }

    #[test]
    fn a_controller_that_cannot_is_passed_over() {
        let controllers = with_busy(ControllerChoice::NearestFree, &[2]);
        assert_eq!(controllers.choose((3, 0), |it| it.0 != 3), Some(ControllerId(4)));
        assert_eq!(controllers.choose((3, 0), |_| false), None);
        let at_home = with_busy(ControllerChoice::Home, &[]);
        assert_eq!(at_home.choose((3, 0), |it| it.0 != 3), None);
    }

    #[test]
    fn at_home_only_the_own_row_serves() {
        let controllers = with_busy(ControllerChoice::Home, &[3]);
        assert_eq!(controllers.choose((3, 0), |_| true), None);
        assert_eq!(controllers.choose((4, 0), |_| true), Some(ControllerId(4)));
    }

    #[test]
    fn controllers_are_counted_by_activity() {
        let mut controllers = with_busy(ControllerChoice::NearestFree, &[0, 1, 2, 3, 4, 5, 6]);
        assert!(!controllers.all_taken() && !controllers.all_free() && !controllers.will_release());
        let kept = Circuit { chip: ChipId(0), die: DieId(0), hops: 0, keep: true, path_wait: SimSpan::ZERO };
        controllers.set(ControllerId(7), ControllerState::Transferring(kept));
        assert!(controllers.all_taken() && controllers.will_release());
        controllers.set(ControllerId(7), ControllerState::Holding(kept));
        assert!(!controllers.all_taken() && controllers.will_release());
        controllers.set(ControllerId(7), in_flight());
        assert!(controllers.all_taken() && controllers.will_release(), "it may become a circuit");
        for row in 0..8 {
            controllers.set(ControllerId(row), ControllerState::Free);
        }
        assert!(controllers.all_free());
    }

    fn with_two_ports(ports: ControllerPorts, circuits: u32) -> Controllers {
        let attachment = crate::Attachment { ports, circuits, column_0_links: 1 };
        let mesh = Mesh::with(venice_nand::geometry::Array { rows: 4, cols: 4 }, attachment);
        Controllers::of(mesh, ControllerChoice::NearestFree, circuits)
    }

    #[test]
    fn with_ports_at_both_sides_the_nearer_one_serves_and_at_equal_distance_that_of_the_lower_controller() {
        let mut controllers = with_two_ports(ControllerPorts::BothSides, 2);
        let serving = |controllers: &Controllers, place| controllers.choose(place, |_| true).map(|it| it.0);
        assert_eq!(serving(&controllers, (2, 1)), Some(2));
        assert_eq!(serving(&controllers, (2, 2)), Some(6));
        controllers.set(ControllerId(6), BUSY);
        assert_eq!(
            serving(&controllers, (2, 3)),
            Some(5),
            "the next row's far port before the own row's near one"
        );
        assert_eq!(serving(&controllers, (2, 2)), Some(5), "as near as the own row's first port");
    }

    #[test]
    fn the_second_port_is_idle_during_a_circuit_unless_a_controller_may_have_two() {
        for (circuits, expected) in [(1, Some(1)), (2, Some(6))] {
            let mut controllers = with_two_ports(ControllerPorts::Two, circuits);
            controllers.set(ControllerId(2), BUSY);
            assert_eq!(controllers.choose((2, 0), |_| true).map(|it| it.0), expected);
            controllers.set(ControllerId(2), ControllerState::Free);
            assert!(controllers.all_free());
            assert_eq!(controllers.choose((2, 0), |_| true), Some(ControllerId(2)));
        }
    }
}
