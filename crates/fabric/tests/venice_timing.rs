//! Exact times of Venice: Equation 1, scouts, dead ends, and retries after failures.

use venice_fabric::venice::Venice;
use venice_fabric::{
    Attachment, ControllerChoice, ControllerPorts, Delivery, DomainId, Fabric, FabricCounters, FabricEvent,
    FabricSettings, Hints, Hold, MeshLink, Offer, Outbox, PortChoice, Reservation, Retry, Routing, Transfer,
    VeniceSettings,
};
use venice_kernel::{EventQueue, SimSpan, SimTime};
use venice_nand::geometry::{ChipId, DieId};

use crate::venice_rig::{LINK, PAPER, settings, transfer};

const RESERVATIONS: [Reservation; 2] = [Reservation::Atomic, Reservation::CycleLevel];
/// Settings with deterministic port choice, so that a test knows the path of a scout.
const FIXED: VeniceSettings = VeniceSettings { port_choice: PortChoice::Fixed, ..PAPER };

fn ns(ns: u64) -> SimTime {
    SimTime::ZERO + SimSpan::from_ns(ns)
}

/// Outputs of the fabric at one instant.
#[derive(Debug, Default, PartialEq, Eq)]
struct Said {
    delivered: Vec<(u32, u32)>,
    bounced: Vec<u32>,
    woke: bool,
}

fn delivered(chip: u32, hops: u32) -> Said {
    Said { delivered: vec![(chip, hops)], bounced: vec![], woke: true }
}

const WOKE: Said = Said { delivered: vec![], bounced: vec![], woke: true };

/// Fabric with an event queue that the test controls.
struct Script {
    fabric: Venice,
    future: EventQueue<FabricEvent>,
    out: Outbox,
}

impl Script {
    fn new(settings: &FabricSettings) -> Self {
        Self { fabric: Venice::new(settings), future: EventQueue::new(), out: Outbox::default() }
    }

    fn offer(&mut self, transfer: Transfer, now: SimTime) -> Offer {
        let answer = self.fabric.offer(&transfer, now, &mut self.out);
        self.schedule();
        answer
    }

    fn counters(&self) -> FabricCounters {
        self.fabric.counters(self.future.now())
    }

    fn schedule(&mut self) {
        for (at, event) in self.out.scheduled.drain() {
            self.future.schedule(at, event);
        }
    }

    /// Returns the next outputs of the fabric with their time.
    fn next(&mut self) -> Option<(SimTime, Said)> {
        while !self.future.is_empty() {
            let (now, said) = self.one_event();
            if said != Said::default() {
                return Some((now, said));
            }
        }
        None
    }

    /// Processes the next event. Returns the outputs of the fabric, which may be empty.
    fn one_event(&mut self) -> (SimTime, Said) {
        let (now, event) = self.future.pop().expect("something is to happen");
        self.fabric.handle(event, now, &mut self.out);
        self.schedule();
        (now, self.said())
    }

    fn said(&mut self) -> Said {
        let pair = |delivery: Delivery| (delivery.die.0, delivery.hops);
        let delivered = self.out.delivered.drain(..).map(pair).collect();
        let bounced = self.out.bounced.drain(..).map(|die| die.0).collect();
        Said { delivered, bounced, woke: self.out.woken.drain(..).count() > 0 }
    }

    /// Returns the end of the next transfer, and the time that its failed scouts took.
    fn next_delivery(&mut self) -> (SimTime, SimSpan) {
        loop {
            let (now, event) = self.future.pop().expect("something is to happen");
            self.fabric.handle(event, now, &mut self.out);
            self.schedule();
            if let Some(delivery) = self.out.delivered.drain(..).next() {
                return (now, delivery.path_wait);
            }
        }
    }

    /// Asserts the next outputs of the fabric and their time.
    #[track_caller]
    fn assert_next(&mut self, at: SimTime, said: Said) {
        assert_eq!(self.next(), Some((at, said)));
    }
}

fn with(venice: VeniceSettings, reservation: Reservation) -> VeniceSettings {
    VeniceSettings { reservation, ..venice }
}

#[test]
fn equation_1_holds_for_every_distance_of_an_8x8_mesh() {
    let (bytes, command) = (4096, SimSpan::from_ns(10));
    let mut distances = vec![];
    for (reservation, chip) in RESERVATIONS.into_iter().flat_map(|r| (0..8).map(move |chip| (r, 56 + chip))) {
        let mut script = Script::new(&settings(8, 8, with(PAPER, reservation)));
        // Chips in column 0 keep all controllers except number 0 busy, without any mesh link.
        for row in (1..8).filter(|row| row * 8 != chip) {
            assert_eq!(
                script.offer(transfer(row * 8, SimSpan::ZERO, 1 << 20), SimTime::ZERO),
                Offer::Accepted
            );
        }
        let distance = if chip == 56 { 0 } else { 7 + u64::from(chip % 8) };
        assert_eq!(script.offer(transfer(chip, command, bytes), SimTime::ZERO), Offer::Accepted);
        let (scout_ns, equation_1_ns) = (2 * 2 * distance, distance + u64::from(bytes));
        let at = ns(scout_ns + equation_1_ns + 10);
        script.assert_next(at, delivered(chip, distance as u32));
        distances.push(distance);
    }
    assert_eq!(distances.len(), 16);
    assert_eq!(distances.iter().max(), Some(&14));
}

#[test]
fn on_an_idle_mesh_every_chip_is_served_in_exactly_the_idle_time() {
    let odd = MeshLink { width_bits: 12, latency: SimSpan::from_ps(833) };
    for reservation in RESERVATIONS {
        for (rows, cols, link, flit_beats) in [
            (8, 8, LINK, 1),
            (4, 16, LINK, 1),
            (16, 4, LINK, 1),
            (16, 16, LINK, 2),
            (1, 9, odd, 1),
            (9, 1, odd, 1),
        ] {
            let settings =
                FabricSettings { mesh_link: link, ..settings(rows, cols, with(PAPER, reservation)) };
            for chip in 0..rows * cols {
                for (command_ps, bytes) in [(10_000, 0), (0, 1), (10_000, 4096), (7, 16_384)] {
                    let mut script = Script::new(&settings);
                    let asked = transfer(chip, SimSpan::from_ps(command_ps), bytes);
                    let (hops, beats) =
                        (chip % cols, (u64::from(bytes) * 8).div_ceil(link.width_bits.into()));
                    let scout = 2 * 2 * flit_beats * u64::from(hops);
                    let expected = link.latency.as_ps() * (scout + u64::from(hops) + beats) + command_ps;
                    assert_eq!(script.fabric.idle_time(&asked), SimSpan::from_ps(expected), "chip {chip}");
                    assert_eq!(script.offer(asked, ns(5)), Offer::Accepted);
                    script.assert_next(ns(5) + SimSpan::from_ps(expected), delivered(chip, hops));
                    assert!(script.fabric.is_quiet());
                }
            }
        }
    }
}

/// Creates a 2×2 mesh. Controller 0 is free, controller 1 uses the link 0–2 for a long time, and the
/// destination is chip 2.
fn up_is_taken(venice: VeniceSettings) -> Script {
    let mut script = Script::new(&settings(2, 2, venice));
    // While controller 0 serves chip 1, chip 0 is served by controller 1.
    assert_eq!(script.offer(transfer(1, SimSpan::ZERO, 0), SimTime::ZERO), Offer::Accepted);
    assert_eq!(script.offer(transfer(0, SimSpan::ZERO, 994), SimTime::ZERO), Offer::Accepted);
    script.assert_next(ns(5), delivered(1, 1));
    script
}

/// Release time of controller 1 of [`up_is_taken`]: 2 × 2 ns for its scout, 1 + 994 for its transfer.
const RELEASE_NS: u64 = 999;

#[test]
fn a_detour_is_paid_for_by_scout_and_circuit() {
    for reservation in RESERVATIONS {
        let mut script = up_is_taken(with(FIXED, reservation));
        assert_eq!(script.offer(transfer(2, SimSpan::ZERO, 100), ns(10)), Offer::Accepted);
        // Right, up, left: 3 links forward and 3 back at 2 ns each, then 3 + 100 ns.
        script.assert_next(ns(10 + 12 + 103), delivered(2, 3));
        assert_eq!(script.counters().detour_hops, 2);
        assert_eq!(script.counters().scouts, 3);
    }
}

/// Creates a 3×2 mesh. Controllers 1 and 2 are busy, and controller 1 uses the links 2–3 and 3–1. The right
/// port of router 0 leads to a dead end.
fn right_is_a_dead_end(venice: VeniceSettings) -> Script {
    let mut script = Script::new(&settings(3, 2, venice));
    assert_eq!(script.offer(transfer(0, SimSpan::ZERO, 10), SimTime::ZERO), Offer::Accepted);
    assert_eq!(script.offer(transfer(1, SimSpan::ZERO, 990), SimTime::ZERO), Offer::Accepted);
    assert_eq!(script.offer(transfer(4, SimSpan::ZERO, 5000), SimTime::ZERO), Offer::Accepted);
    script.assert_next(ns(10), delivered(0, 0));
    script
}

#[test]
fn a_dead_end_costs_its_hops_there_and_back() {
    for reservation in RESERVATIONS {
        let mut script = right_is_a_dead_end(with(FIXED, reservation));
        assert_eq!(script.offer(transfer(5, SimSpan::ZERO, 100), ns(20)), Offer::Accepted);
        // Right, back, up, up, right: 5 links, then 3 back, all at 2 ns each; then 3 + 100 ns.
        script.assert_next(ns(20 + 16 + 103), delivered(5, 3));
        assert_eq!(script.counters().detour_hops, 0);
    }
}

#[test]
fn a_failed_scout_keeps_its_controller_for_as_long_as_it_travelled() {
    let xy = VeniceSettings { routing: Routing::DimensionOrder, retry: Retry::OnRelease, ..FIXED };
    let mut script = right_is_a_dead_end(xy);
    // Right and back: 2 links at 2 ns each.
    assert_eq!(script.offer(transfer(5, SimSpan::ZERO, 100), ns(20)), Offer::PathBusy);
    assert_eq!(script.offer(transfer(3, SimSpan::ZERO, 100), ns(20)), Offer::DomainBusy);
    script.assert_next(ns(24), WOKE);
    assert_eq!(script.counters().scout_failures, 1);
}

#[test]
fn a_failed_scout_in_flight_bounces_its_transfer_where_the_controller_gives_it_back() {
    let xy = VeniceSettings { routing: Routing::DimensionOrder, retry: Retry::NextTransfer, ..FIXED };
    let mut script = right_is_a_dead_end(with(xy, Reservation::CycleLevel));
    assert_eq!(script.offer(transfer(5, SimSpan::ZERO, 100), ns(20)), Offer::Accepted);
    script.assert_next(ns(24), Said { delivered: vec![], bounced: vec![5], woke: true });
}

/// Controller 1 of [`right_is_a_dead_end`] is released at 8 + 2 + 990 ns; until then each scout takes 4 ns.
#[test]
fn to_the_letter_a_controller_sends_scout_after_scout_until_one_arrives() {
    let xy = VeniceSettings { routing: Routing::DimensionOrder, ..FIXED };
    for (reservation, offered, sent) in [
        (Reservation::Atomic, 20, 1000),
        (Reservation::Atomic, 21, 1001),
        (Reservation::CycleLevel, 20, 1000),
    ] {
        let mut script = right_is_a_dead_end(with(xy, reservation));
        assert_eq!(script.offer(transfer(5, SimSpan::ZERO, 100), ns(offered)), Offer::Accepted);
        assert_eq!(script.offer(transfer(3, SimSpan::ZERO, 100), ns(offered)), Offer::DomainBusy, "it stays");
        script.assert_next(ns(1000), delivered(1, 2));
        let failed = (sent - offered) / 4;
        // Three links forward and back at 2 ns each, then 3 + 100 ns.
        assert_eq!(script.next_delivery(), (ns(sent + 12 + 103), SimSpan::from_ns(sent - offered)));
        let counters = script.counters();
        assert_eq!((counters.scouts, counters.scout_failures), (3 + failed + 1, failed), "{reservation:?}");
        assert_eq!(counters.scout_hops, 4 + 2 * failed + 6, "two links each, one of three links and back");
    }
}

#[test]
fn a_chip_known_to_be_out_of_reach_gets_no_scout_before_a_link_that_stopped_one_is_released() {
    let next = VeniceSettings { routing: Routing::MinimalAdaptive, retry: Retry::NextTransfer, ..FIXED };
    for reservation in RESERVATIONS {
        let mut script = up_is_taken(with(next, reservation));
        let asked = transfer(2, SimSpan::ZERO, 100);
        if script.offer(asked, ns(10)) == Offer::Accepted {
            script.assert_next(ns(11), Said { delivered: vec![], bounced: vec![2], woke: true });
        } else {
            script.assert_next(ns(11), WOKE);
        }
        let early = ns(RELEASE_NS - 1);
        assert!(script.fabric.refuses(ChipId(2), early) && !script.fabric.refuses(ChipId(1), early));
        assert_eq!(script.offer(asked, early), Offer::PathBusy);
        assert_eq!(script.counters().scouts, 3, "refused without a scout");
        script.assert_next(ns(RELEASE_NS), delivered(0, 1));
        assert!(!script.fabric.refuses(ChipId(2), ns(RELEASE_NS)));
        assert_eq!(script.offer(asked, ns(RELEASE_NS)), Offer::Accepted);
    }
}

#[test]
fn transfer_waits_for_a_path_until_its_scout_has_found_one() {
    let (routing, retry) = (Routing::MinimalAdaptive, Retry::AtOnce);
    let mut script = up_is_taken(VeniceSettings { routing, retry, ..FIXED });
    let has_waiting = |script: &Script| script.fabric.has_waiting(DomainId(0));
    assert!(!has_waiting(&script), "both transfers have their paths");
    assert_eq!(script.offer(transfer(2, SimSpan::ZERO, 100), ns(10)), Offer::Accepted);
    assert!(has_waiting(&script));
    script.assert_next(ns(RELEASE_NS), delivered(0, 1));
    assert!(has_waiting(&script), "the next scout has not departed");
    script.one_event();
    assert!(!has_waiting(&script));
}

#[test]
fn a_scout_that_gets_nowhere_still_takes_one_link_latency() {
    for scout_takes_time in [true, false] {
        let (routing, retry) = (Routing::MinimalAdaptive, Retry::NextTransfer);
        let minimal = VeniceSettings { routing, retry, scout_takes_time, ..FIXED };
        let mut script = Script::new(&settings(2, 2, minimal));
        assert_eq!(script.offer(transfer(1, SimSpan::ZERO, 0), SimTime::ZERO), Offer::Accepted);
        assert_eq!(script.offer(transfer(0, SimSpan::ZERO, 994), SimTime::ZERO), Offer::Accepted);
        script.next();
        assert_eq!(script.offer(transfer(2, SimSpan::ZERO, 100), ns(10)), Offer::PathBusy);
        script.assert_next(ns(11), WOKE);
    }
}

#[test]
fn scouts_that_take_no_time_leave_equation_1_alone() {
    for reservation in RESERVATIONS {
        let free = VeniceSettings { scout_takes_time: false, ..with(FIXED, reservation) };
        let mut script = Script::new(&settings(8, 8, free));
        assert_eq!(script.offer(transfer(7, SimSpan::ZERO, 4096), SimTime::ZERO), Offer::Accepted);
        script.assert_next(ns(7 + 4096), delivered(7, 7));
    }
}

#[test]
fn after_a_back_off_and_not_before_the_next_scout_is_sent() {
    let (retry, back_off) = (Retry::BackOff, SimSpan::from_ns(50));
    for reservation in RESERVATIONS {
        let venice =
            VeniceSettings { routing: Routing::MinimalAdaptive, retry, back_off, ..with(FIXED, reservation) };
        let mut script = up_is_taken(venice);
        let asked = transfer(2, SimSpan::ZERO, 100);
        let is_atomic = reservation == Reservation::Atomic;
        assert_eq!(script.offer(asked, ns(10)), if is_atomic { Offer::PathBusy } else { Offer::Accepted });
        let bounced = if is_atomic { vec![] } else { vec![2] };
        assert_eq!(script.one_event(), (ns(11), Said { delivered: vec![], bounced, woke: true }));
        let early = ns(60) + SimSpan::from_ps(999);
        assert_eq!(script.fabric.offer(&asked, early, &mut Outbox::default()), Offer::PathBusy);
        assert_eq!(script.counters().scouts, 3, "refused without a scout");
        script.assert_next(ns(61), WOKE);
        script.offer(asked, ns(61));
        assert_eq!(script.counters().scouts, 4);
    }
}

#[test]
fn on_release_the_next_scout_waits_for_a_release() {
    for reservation in RESERVATIONS {
        let venice = VeniceSettings {
            routing: Routing::MinimalAdaptive,
            retry: Retry::OnRelease,
            ..with(FIXED, reservation)
        };
        let mut script = up_is_taken(venice);
        let asked = transfer(2, SimSpan::ZERO, 100);
        if script.offer(asked, ns(10)) == Offer::Accepted {
            script.assert_next(ns(11), Said { delivered: vec![], bounced: vec![2], woke: true });
        } else {
            script.assert_next(ns(11), WOKE);
        }
        assert_eq!(script.counters().scouts, 3);
        script.assert_next(ns(RELEASE_NS), delivered(0, 1));
        assert_eq!(script.offer(asked, ns(RELEASE_NS)), Offer::Accepted);
        script.assert_next(ns(RELEASE_NS + 100), delivered(2, 0));
        assert!(script.fabric.is_quiet());
    }
}

#[test]
fn after_a_release_the_next_scout_still_waits_for_the_delay_of_retries() {
    for reservation in RESERVATIONS {
        let venice = VeniceSettings {
            routing: Routing::MinimalAdaptive,
            retry: Retry::NextTransfer,
            retry_delay: SimSpan::from_ns(RELEASE_NS + 50 - 11),
            ..with(FIXED, reservation)
        };
        let mut script = up_is_taken(venice);
        let asked = transfer(2, SimSpan::ZERO, 100);
        script.offer(asked, ns(10));
        assert_eq!(script.one_event().0, ns(11), "the failed scout is back");
        script.assert_next(ns(RELEASE_NS), delivered(0, 1));
        let early = ns(RELEASE_NS + 49) + SimSpan::from_ps(999);
        assert_eq!(script.fabric.offer(&asked, early, &mut Outbox::default()), Offer::PathBusy);
        script.assert_next(ns(RELEASE_NS + 50), WOKE);
        assert_eq!(script.offer(asked, ns(RELEASE_NS + 50)), Offer::Accepted);
        script.assert_next(ns(RELEASE_NS + 50 + 100), delivered(2, 0));
    }
}

#[test]
fn transfers_refused_without_a_free_controller_are_woken_when_a_failed_scout_returns() {
    let venice = VeniceSettings { routing: Routing::MinimalAdaptive, retry: Retry::OnRelease, ..FIXED };
    let mut script = up_is_taken(venice);
    assert_eq!(script.offer(transfer(2, SimSpan::ZERO, 100), ns(10)), Offer::PathBusy);
    assert_eq!(script.offer(transfer(1, SimSpan::ZERO, 100), ns(10)), Offer::DomainBusy);
    script.assert_next(ns(11), WOKE);
    assert_eq!(script.offer(transfer(2, SimSpan::ZERO, 100), ns(11)), Offer::PathBusy, "still barred");
    assert_eq!(script.offer(transfer(1, SimSpan::ZERO, 100), ns(11)), Offer::Accepted);
    script.assert_next(ns(11 + 4 + 101), delivered(1, 1));
    assert_eq!(script.offer(transfer(2, SimSpan::ZERO, 100), ns(116)), Offer::PathBusy);
    script.assert_next(ns(117), WOKE);
}

#[test]
fn at_home_a_busy_controller_refuses_its_row_only() {
    let home = VeniceSettings { controller: ControllerChoice::Home, ..PAPER };
    let mut script = Script::new(&settings(2, 2, home));
    assert_eq!(script.offer(transfer(0, SimSpan::ZERO, 100), SimTime::ZERO), Offer::Accepted);
    assert_eq!(script.offer(transfer(1, SimSpan::ZERO, 100), SimTime::ZERO), Offer::PathBusy);
    assert_eq!(script.offer(transfer(3, SimSpan::ZERO, 200), SimTime::ZERO), Offer::Accepted);
    assert_eq!(script.offer(transfer(1, SimSpan::ZERO, 100), SimTime::ZERO), Offer::DomainBusy);
    script.assert_next(ns(100), delivered(0, 0));
    assert_eq!(script.offer(transfer(1, SimSpan::ZERO, 100), ns(100)), Offer::Accepted);
}

fn joined(ports: ControllerPorts, circuits: u32, column_0_links: u32) -> VeniceSettings {
    VeniceSettings { attachment: Attachment { ports, circuits, column_0_links }, ..FIXED }
}

#[test]
fn a_controller_of_two_circuits_serves_two_chips_of_its_row_at_once_and_one_of_one_circuit_does_not() {
    use ControllerPorts::{One, Two};
    for (ports, circuits, second) in
        [(One, 1, Offer::DomainBusy), (Two, 1, Offer::DomainBusy), (Two, 2, Offer::Accepted)]
    {
        let mut script = Script::new(&settings(1, 2, joined(ports, circuits, 1)));
        assert_eq!(script.offer(transfer(1, SimSpan::ZERO, 100), SimTime::ZERO), Offer::Accepted);
        assert_eq!(
            script.offer(transfer(0, SimSpan::ZERO, 40), SimTime::ZERO),
            second,
            "{ports:?} {circuits}"
        );
        if second == Offer::Accepted {
            script.assert_next(ns(40), delivered(0, 0));
        }
        // A scout of two flits forward and back, and Equation 1.
        script.assert_next(ns(2 * 2 + 101), delivered(1, 1));
    }
}

#[test]
fn two_circuits_from_column_0_share_the_one_link_to_the_right_so_that_a_row_gains_nothing() {
    let mut script = Script::new(&settings(1, 3, joined(ControllerPorts::Two, 2, 1)));
    assert_eq!(script.offer(transfer(1, SimSpan::ZERO, 100), SimTime::ZERO), Offer::Accepted);
    // The second port's scout finds no path, and its controller sends further scouts until the first circuit
    // is released.
    assert_eq!(script.offer(transfer(2, SimSpan::ZERO, 100), SimTime::ZERO), Offer::Accepted);
    script.assert_next(ns(105), delivered(1, 1));
    script.assert_next(ns(105 + 2 * 2 * 2 + 102), delivered(2, 2));
}

#[test]
fn with_ports_at_both_sides_both_ends_of_a_row_are_near() {
    let mut script = Script::new(&settings(1, 8, joined(ControllerPorts::BothSides, 2, 1)));
    assert_eq!(script.offer(transfer(1, SimSpan::ZERO, 100), SimTime::ZERO), Offer::Accepted);
    assert_eq!(script.offer(transfer(6, SimSpan::ZERO, 100), SimTime::ZERO), Offer::Accepted);
    script.assert_next(ns(105), delivered(1, 1));
    script.assert_next(ns(105), delivered(6, 1));
}

/// Returns a read command, or the data that follow it, of a die of chip 1.
fn part_of_read(die: u32, bytes: u32) -> Transfer {
    let (die, keeps_path) = (DieId(die), bytes == 0);
    Transfer { die, chip: ChipId(1), keeps_path, ..transfer(1, SimSpan::ZERO, bytes) }
}

#[test]
fn a_kept_circuit_serves_its_die_without_a_scout_and_no_one_else() {
    for reservation in RESERVATIONS {
        let hold = Hold::Operation;
        let mut script = Script::new(&FabricSettings { hold, ..settings(1, 4, with(PAPER, reservation)) });
        assert_eq!(script.offer(part_of_read(2, 0), SimTime::ZERO), Offer::Accepted);
        assert_eq!(script.offer(transfer(3, SimSpan::ZERO, 8), SimTime::ZERO), Offer::DomainBusy);
        // A scout over one link and back, 4 ns, and the link once more. Callers with [`Offer::DomainBusy`]
        // are woken, since one chip now has a path.
        script.assert_next(ns(5), Said { delivered: vec![(2, 1)], bounced: vec![], woke: true });
        assert_eq!(script.offer(part_of_read(3, 0), ns(6)), Offer::PathBusy, "the chip's other die");
        assert_eq!(script.offer(transfer(3, SimSpan::ZERO, 8), ns(6)), Offer::PathBusy, "another chip");
        assert!(!script.fabric.is_quiet());
        assert_eq!(script.fabric.idle_time(&part_of_read(2, 100)), SimSpan::from_ns(101));
        assert_eq!(script.offer(part_of_read(2, 100), ns(3000)), Offer::Accepted);
        script.assert_next(ns(3101), Said { delivered: vec![(2, 1)], bounced: vec![], woke: true });
        assert!(script.fabric.is_quiet());
        assert_eq!(script.counters().scouts, 1);
        assert_eq!(script.counters().paths_kept, SimSpan::from_ns(3000 - 5), "one link");
    }
}

#[test]
fn per_transfer_a_read_reserves_twice() {
    let mut script = Script::new(&settings(1, 4, PAPER));
    assert_eq!(script.offer(part_of_read(2, 0), SimTime::ZERO), Offer::Accepted);
    script.assert_next(ns(5), Said { delivered: vec![(2, 1)], bounced: vec![], woke: true });
    assert!(script.fabric.is_quiet());
    assert_eq!(script.offer(part_of_read(2, 100), ns(3000)), Offer::Accepted);
    script.assert_next(ns(3105), Said { delivered: vec![(2, 1)], bounced: vec![], woke: true });
    assert_eq!(script.counters().scouts, 2);
}

#[test]
fn links_are_busy_from_reservation_to_release() {
    let busy_ns = |reservation| {
        let mut script = Script::new(&settings(1, 3, with(PAPER, reservation)));
        assert_eq!(script.offer(transfer(2, SimSpan::ZERO, 100), ns(7)), Offer::Accepted);
        script.assert_next(ns(7 + 8 + 102), delivered(2, 2));
        script
            .fabric
            .path_busy(ns(7 + 8 + 102))
            .into_iter()
            .map(|busy| busy.as_ps() / 1000)
            .collect::<Vec<_>>()
    };
    assert_eq!(busy_ns(Reservation::Atomic), [110, 110], "from the offer");
    assert_eq!(busy_ns(Reservation::CycleLevel), [110, 108], "from when the scout sets out over it");
}

/// Creates a 3×2 mesh with XY routing. Controller 2's scout starts to chip 1 at 9 ns, over 4–5, 5–3 and 3–1;
/// controller 0's to chip 3 at 10 ns, over 0–1 and 1–3: one hop less, so it arrives first.
fn two_scouts_want_one_link(reservation: Reservation) -> (Script, Offer) {
    let retry = Retry::OnRelease;
    let xy = VeniceSettings { routing: Routing::DimensionOrder, retry, ..with(PAPER, reservation) };
    let mut script = Script::new(&settings(3, 2, xy));
    assert_eq!(script.offer(transfer(0, SimSpan::ZERO, 10), SimTime::ZERO), Offer::Accepted);
    assert_eq!(script.offer(transfer(2, SimSpan::ZERO, 5000), SimTime::ZERO), Offer::Accepted);
    assert_eq!(script.offer(transfer(1, SimSpan::ZERO, 500), ns(9)), Offer::Accepted);
    script.assert_next(ns(10), delivered(0, 0));
    let answer = script.offer(transfer(3, SimSpan::ZERO, 100), ns(10));
    (script, answer)
}

#[test]
fn at_one_instant_the_scout_that_sets_out_first_wins() {
    let (mut script, answer) = two_scouts_want_one_link(Reservation::Atomic);
    assert_eq!(answer, Offer::PathBusy, "it gives the transfer back");
    // Right, and back: 2 links.
    script.assert_next(ns(14), WOKE);
    script.assert_next(ns(9 + 12 + 503), delivered(1, 3));
}

#[test]
fn hop_by_hop_the_scout_that_is_there_first_wins() {
    let (mut script, answer) = two_scouts_want_one_link(Reservation::CycleLevel);
    assert_eq!(answer, Offer::Accepted);
    // Two hops forward, two back.
    script.assert_next(ns(17), Said { delivered: vec![], bounced: vec![1], woke: true });
    script.assert_next(ns(10 + 8 + 102), delivered(3, 2));
}
