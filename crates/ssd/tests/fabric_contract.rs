//! The eight points of the fabric contract, checked for every fabric of the registry.

use std::ops::Range;

use proptest::prelude::*;
use venice_kernel::{SimSpan, SimTime};
use venice_ssd::fabric::{
    Attachment, ControllerPorts, Direction, Fabric, FabricSettings, Hold, Moved, Offer, Outbox, Transfer,
};
use venice_ssd::geometry::{ChipId, DieId};
use venice_ssd::registry::{AnyFabric, FABRIC_NAMES, FabricKind};
use venice_ssd::testkit::{Ended, FabricBench, paper_settings};

const ARRAYS: [(u32, u32); 6] = [(1, 1), (2, 2), (4, 4), (8, 8), (4, 16), (16, 4)];

/// Dies of a chip in these tests: two, since a fabric hears of dies and must keep chips apart.
const DIES: u32 = 2;

type Bench = (FabricKind, FabricSettings, FabricBench<AnyFabric>);

/// Every fabric over every array that it allows, with paths held for transfers; with paths held for operations over the
/// arrays of at most sixteen chips, which is all that time allows.
fn benches() -> impl Iterator<Item = Bench> {
    let is_small = |(rows, cols): &(u32, u32)| rows * cols <= 16;
    let held = ARRAYS.into_iter().filter(is_small).flat_map(|array| benches_over(array, Hold::Operation));
    ARRAYS.into_iter().flat_map(|array| benches_over(array, Hold::Transfer)).chain(held)
}

fn benches_over((rows, cols): (u32, u32), hold: Hold) -> impl Iterator<Item = Bench> {
    let paper = FabricSettings { hold, ..paper_settings(rows, cols) };
    let drawn = FabricKind::ALL.iter().map(|&kind| (kind, Attachment::PAPER));
    let others = if rows * cols <= 16 { &ATTACHMENTS[..] } else { &[] };
    drawn.chain(others.iter().map(|&other| (FabricKind::Venice, other))).filter_map(
        move |(kind, attachment)| {
            let mut settings = paper.clone();
            settings.own.venice.attachment = attachment;
            let fabric = kind.build(&settings).ok()?;
            Some((kind, settings, FabricBench::new(fabric)))
        },
    )
}

/// Other ways to join controllers to Venice's mesh than the paper's.
const ATTACHMENTS: [Attachment; 4] = [
    Attachment { ports: ControllerPorts::One, circuits: 1, column_0_links: 2 },
    Attachment { ports: ControllerPorts::Two, circuits: 2, column_0_links: 2 },
    Attachment { ports: ControllerPorts::BothSides, circuits: 2, column_0_links: 1 },
    Attachment { ports: ControllerPorts::BothSides, circuits: 1, column_0_links: 1 },
];

/// Those that hold paths between transfers, over all arrays: all fabrics but the packets' mesh.
fn holding_benches() -> impl Iterator<Item = Bench> {
    ARRAYS.into_iter().flat_map(|array| benches_over(array, Hold::Operation)).filter(holds_paths)
}

fn holds_paths((kind, settings, _): &Bench) -> bool {
    settings.hold == Hold::Operation && *kind != FabricKind::NoSsd
}

/// A transfer that fits any array, and how long after the previous one it becomes ready.
#[derive(Clone, Debug)]
struct Job {
    chip: u32,
    die: u32,
    direction: Direction,
    command: SimSpan,
    bytes: u32,
    /// The chip whose page two thirds of its data are, if they are no data of the host.
    moved_from: Option<u32>,
    gap: SimSpan,
    /// For data from a chip: whether a command and the array's work come first, and the second plane's data after.
    read: Option<SimSpan>,
}

impl Job {
    fn moved(&self, chip: ChipId, chips: u32) -> Option<Moved> {
        let from = match self.direction {
            Direction::FromChip => chip,
            Direction::ToChip => ChipId(self.moved_from? % chips),
        };
        self.moved_from.map(|_| Moved { bytes: self.bytes - self.bytes / 3, from })
    }

    fn transfer(&self, chips: u32) -> Transfer {
        let chip = ChipId(self.chip % chips);
        Transfer {
            die: DieId(chip.0 * DIES + self.die),
            chip,
            direction: self.direction,
            command: self.command,
            bytes: self.bytes,
            more_follows: false,
            moved: self.moved(chip, chips),
        }
    }

    /// The transfers of the operation, each with how long after the one before it is ready.
    fn operation(&self, chips: u32) -> Vec<(SimSpan, Transfer)> {
        let last = self.transfer(chips);
        let (Some(array), Direction::FromChip) = (self.read, self.direction) else {
            return vec![(SimSpan::ZERO, last)];
        };
        let command = Transfer {
            direction: Direction::ToChip,
            command: SimSpan::from_ns(10),
            bytes: 0,
            more_follows: true,
            moved: None,
            ..last
        };
        let first_plane = Transfer { more_follows: true, ..last };
        vec![(SimSpan::ZERO, command), (array, first_plane), (SimSpan::ZERO, last)]
    }
}

fn job() -> impl Strategy<Value = Job> {
    let what = prop_oneof![
        Just((Direction::ToChip, SimSpan::from_ns(10), 0)),
        (1_u32..20_000).prop_map(|bytes| (Direction::ToChip, SimSpan::from_ns(10), bytes)),
        prop_oneof![Just(4096), Just(16384), 1_u32..20_000].prop_map(|bytes| (
            Direction::FromChip,
            SimSpan::ZERO,
            bytes
        )),
    ];
    let gap = prop_oneof![Just(0), 0_u64..2_000_000].prop_map(SimSpan::from_ps);
    let moved_from = prop::option::of(any::<u32>());
    let read = prop::option::of((0_u64..4_000_000).prop_map(SimSpan::from_ps));
    (any::<u32>(), 0..DIES, what, moved_from, gap, read).prop_map(
        |(chip, die, (direction, command, bytes), moved_from, gap, read)| Job {
            chip,
            die,
            direction,
            command,
            bytes,
            moved_from,
            gap,
            read,
        },
    )
}

fn jobs() -> impl Strategy<Value = Vec<Job>> {
    prop::collection::vec(job(), 1..120)
}

fn submit(bench: &mut FabricBench<AnyFabric>, jobs: &[Job], settings: &FabricSettings) {
    let mut at = bench.now();
    for job in jobs {
        at = at + job.gap;
        bench.submit_operation(job.operation(settings.array.chips()), at);
    }
}

fn transfers(jobs: &[Job]) -> usize {
    jobs.iter().map(|job| job.operation(1).len()).sum()
}

/// One of each kind of transfer, to or from a chip.
fn each_transfer(chip: ChipId) -> [Transfer; 7] {
    let job = |direction, command_ns, bytes, moved_from| {
        let (command, gap) = (SimSpan::from_ns(command_ns), SimSpan::ZERO);
        Job { chip: chip.0, die: 1, direction, command, bytes, moved_from, gap, read: None }
            .transfer(u32::MAX)
    };
    [
        job(Direction::ToChip, 10, 0, None),
        job(Direction::ToChip, 10, 4096, None),
        job(Direction::ToChip, 0, 16384, None),
        job(Direction::ToChip, 10, 4096, Some(0)),
        job(Direction::FromChip, 0, 4096, None),
        job(Direction::FromChip, 0, 16384, None),
        job(Direction::FromChip, 0, 4096, Some(chip.0)),
    ]
}

fn chips(settings: &FabricSettings) -> impl Iterator<Item = ChipId> + use<> {
    (0..settings.array.chips()).map(ChipId)
}

#[test]
fn there_are_fabrics_to_check_and_each_allows_the_paper_s_array() {
    assert!(!FABRIC_NAMES.is_empty());
    let on_8x8: Vec<&str> = benches()
        .filter(|(_, settings, _)| settings.array.rows == 8 && settings.hold == Hold::Transfer)
        .map(|(kind, _, _)| kind.name())
        .collect();
    assert_eq!(on_8x8, FABRIC_NAMES);
}

// Points 1, 2, 3 and 5: the bench panics when a refused transfer is delivered, an accepted one ends
// twice, never or too early, a refused one is never woken, or the fabric is not quiet at the end.
proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn every_transfer_is_delivered_exactly_once_and_then_all_is_quiet(jobs in jobs()) {
        for (kind, settings, mut bench) in benches() {
            submit(&mut bench, &jobs, &settings);
            bench.run_to_end();
            prop_assert_eq!(bench.ended.len(), transfers(&jobs), "{} on {:?}", kind, settings.array);
        }
    }

    #[test]
    fn the_same_offers_get_the_same_answers(jobs in jobs()) {
        for (kind, settings, mut bench) in benches() {
            let mut again = FabricBench::new(kind.build(&settings).unwrap());
            for bench in [&mut bench, &mut again] {
                submit(bench, &jobs, &settings);
                bench.run_to_end();
            }
            prop_assert_eq!(&bench.ended, &again.ended);
            prop_assert_eq!(&bench.bounced, &again.bounced);
            prop_assert_eq!(&bench.woken, &again.woken);
        }
    }

    #[test]
    fn no_path_is_in_use_for_longer_than_the_run(jobs in jobs()) {
        for (kind, settings, mut bench) in benches() {
            let paths = bench.fabric.path_busy().len();
            submit(&mut bench, &jobs, &settings);
            bench.run_to_end();
            let busy = bench.fabric.path_busy();
            let run = bench.now().since(SimTime::ZERO);
            prop_assert_eq!(busy.len(), paths);
            prop_assert!(busy.iter().all(|&path| path <= run), "{} {:?}: {:?}", kind, settings.array, busy);
        }
    }

    #[test]
    fn a_fabric_that_has_become_idle_is_as_good_as_new(jobs in jobs(), chip in any::<u32>()) {
        for (_, settings, mut bench) in benches() {
            submit(&mut bench, &jobs, &settings);
            bench.run_to_end();
            for transfer in each_transfer(ChipId(chip % settings.array.chips())) {
                assert_idle_delivery(&mut bench, &transfer);
            }
        }
    }

    /// Point 3, exactly: what was refused stays refused until the domain is named. Scouts that draw
    /// at random may fare better at a second try, so fabrics that send them are not held to this.
    #[test]
    fn a_refusal_stands_until_the_domain_is_woken(jobs in jobs()) {
        for (kind, settings, mut bench) in benches() {
            submit(&mut bench, &jobs, &settings);
            while bench.step() && bench.fabric.counters().scouts == 0 {
                let found = bench.refused().find(|transfer| would_be_told(&bench, transfer) == Offer::Accepted);
                prop_assert!(found.is_none(), "{} {:?} was not woken for {:?}", kind, settings.array, found);
            }
        }
    }

    #[test]
    fn domain_busy_means_that_no_chip_of_the_domain_can_be_reached(jobs in jobs()) {
        for (kind, settings, mut bench) in benches() {
            for job in &jobs {
                let transfer = job.transfer(settings.array.chips());
                bench.run_until(bench.now() + job.gap);
                if bench.is_in_flight(transfer.chip) || bench.offer(&transfer, bench.now()) != Offer::DomainBusy {
                    continue;
                }
                for other in others_of_the_domain(&bench, &settings, transfer.chip) {
                    prop_assert_ne!(would_be_told(&bench, &other), Offer::Accepted, "{} {:?}", kind, other);
                }
            }
        }
    }

    /// A path that is held for a die is no part of what the fabric is asked there.
    #[test]
    fn a_domain_that_takes_nothing_refuses_every_offer(jobs in jobs()) {
        for (kind, settings, mut bench) in benches() {
            submit(&mut bench, &jobs, &settings);
            while bench.step() {
                let found = chips(&settings)
                    .filter(|&chip| bench.fabric.takes_nothing(bench.fabric.domain_of(chip)))
                    .filter(|&chip| !bench.is_in_flight(chip))
                    .find_map(|chip| would_be_accepted(&bench, chip));
                prop_assert!(found.is_none(), "{} {:?}", kind, found);
            }
        }
    }

    #[test]
    fn a_chip_that_is_refused_gets_no_path_and_is_so_only_by_a_fabric_that_says_it_refuses_chips(jobs in jobs()) {
        for (kind, settings, mut bench) in benches() {
            submit(&mut bench, &jobs, &settings);
            while bench.step() {
                let refused: Vec<ChipId> = chips(&settings)
                    .filter(|&chip| bench.fabric.refuses(chip, bench.now()) && !bench.is_in_flight(chip))
                    .collect();
                prop_assert!(refused.is_empty() || bench.fabric.features().refuses_chips, "{}", kind);
                let found = refused.into_iter().find_map(|chip| would_be_accepted(&bench, chip));
                prop_assert!(found.is_none(), "{} {:?}", kind, found);
            }
        }
    }

    /// Who serves a fabric asks it nothing that its features exclude.
    #[test]
    fn a_fabric_does_nothing_that_its_features_exclude(jobs in jobs()) {
        for (kind, settings, mut bench) in benches() {
            submit(&mut bench, &jobs, &settings);
            let features = bench.fabric.features();
            while bench.step() {
                for chip in chips(&settings) {
                    prop_assert!(features.puts_off_chips || !bench.fabric.puts_off(chip), "{}", kind);
                    let joins = chips(&settings).any(|other| bench.fabric.joins(chip, other));
                    prop_assert!(features.copies || !joins, "{}", kind);
                }
                prop_assert_eq!(bench.fabric.features(), features, "{}", kind);
            }
        }
    }

    /// Point 8. That an offer of the die itself succeeds, the bench sees to.
    #[test]
    fn what_is_held_for_a_die_is_nobody_elses(jobs in jobs()) {
        for (kind, settings, mut bench) in benches().filter(holds_paths) {
            submit(&mut bench, &jobs, &settings);
            while bench.step() {
                if bench.fabric.is_quiet() {
                    prop_assert!(holders(&bench, &settings).next().is_none(), "{}: quiet, and holds", kind);
                    continue;
                }
                let busy: Vec<Transfer> = domains_said_to_be_busy(&bench);
                for transfer in busy.iter().flat_map(|busy| others_of_the_domain(&bench, &settings, busy.chip)) {
                    let told = would_be_told(&bench, &transfer);
                    let holds = bench.fabric.holds_path(transfer.die);
                    prop_assert_eq!(told == Offer::Accepted, holds, "{} {:?}", kind, transfer);
                }
            }
            prop_assert!(holders(&bench, &settings).next().is_none(), "{} holds what nobody needs", kind);
        }
    }

    /// Point 4.
    #[test]
    fn an_offer_never_changes_what_another_domain_is_told(jobs in jobs(), probe in job()) {
        for (kind, settings, mut bench) in benches() {
            let probe = probe.transfer(settings.array.chips());
            for job in &jobs {
                let transfer = job.transfer(settings.array.chips());
                bench.run_until(bench.now() + job.gap);
                let same = bench.fabric.domain_of(transfer.chip) == bench.fabric.domain_of(probe.chip);
                if same || bench.is_in_flight(transfer.chip) || bench.is_in_flight(probe.chip) {
                    continue;
                }
                let before = would_be_told(&bench, &probe);
                bench.offer(&transfer, bench.now());
                prop_assert_eq!(would_be_told(&bench, &probe), before, "{}", kind);
            }
        }
    }
}

/// The answer to an offer that is not really made.
fn would_be_told(bench: &FabricBench<AnyFabric>, transfer: &Transfer) -> Offer {
    bench.fabric.clone().offer(transfer, bench.now(), &mut Outbox::default())
}

/// A transfer for a chip that would be accepted, but for that of a die that a path is held for. Each kind is offered in turn to
/// one copy of the fabric, since copies are what these tests spend their time on; which comes first differs from chip to chip.
fn would_be_accepted(bench: &FabricBench<AnyFabric>, chip: ChipId) -> Option<Transfer> {
    let mut transfers = each_transfer(chip);
    let first = chip.index() % transfers.len();
    transfers.rotate_left(first);
    let mut fabric = bench.fabric.clone();
    let mut offers = transfers.into_iter().filter(|transfer| !bench.fabric.holds_path(transfer.die));
    offers.find(|transfer| fabric.offer(transfer, bench.now(), &mut Outbox::default()) == Offer::Accepted)
}

fn others_of_the_domain(
    bench: &FabricBench<AnyFabric>,
    settings: &FabricSettings,
    chip: ChipId,
) -> Vec<Transfer> {
    let domain = bench.fabric.domain_of(chip);
    chips(settings)
        .filter(|&other| bench.fabric.domain_of(other) == domain && !bench.is_in_flight(other))
        .map(|other| each_transfer(other)[0])
        .collect()
}

/// Dies for which a path is held.
fn holders<'a>(
    bench: &'a FabricBench<AnyFabric>,
    settings: &'a FabricSettings,
) -> impl Iterator<Item = DieId> + 'a {
    (0..settings.array.chips() * DIES).map(DieId).filter(|&die| bench.fabric.holds_path(die))
}

/// For each domain in which some offer would be told that nothing succeeds, one such.
fn domains_said_to_be_busy(bench: &FabricBench<AnyFabric>) -> Vec<Transfer> {
    let idle = |domain: Range<u32>| domain.map(ChipId).filter(|&chip| !bench.is_in_flight(chip));
    let says_so = |chip: ChipId| {
        let transfer = each_transfer(chip)[0];
        let is_busy =
            !bench.fabric.holds_path(transfer.die) && would_be_told(bench, &transfer) == Offer::DomainBusy;
        is_busy.then_some(transfer)
    };
    bench.fabric.domains().into_iter().filter_map(|domain| idle(domain).find_map(says_so)).collect()
}

/// Offers on an idle fabric and demands acceptance and delivery after exactly the idle time.
#[track_caller]
fn assert_idle_delivery(bench: &mut FabricBench<AnyFabric>, transfer: &Transfer) {
    let kind = bench.fabric.kind();
    let (offered, already) = (bench.now(), bench.ended.len());
    assert_eq!(bench.offer(transfer, offered), Offer::Accepted, "{kind}: {transfer:?}");
    assert!(!bench.fabric.is_quiet(), "{kind} is quiet while it carries {transfer:?}");
    bench.run_to_end();
    assert_eq!(bench.ended.len(), already + 1);
    let Ended { took, delivery, .. } = bench.ended[already];
    assert_eq!(took, bench.fabric.idle_time(transfer), "{kind}: {transfer:?}");
    assert_eq!(delivery.path_wait, SimSpan::ZERO, "{kind}: nothing can block {transfer:?}");
}

/// Point 6.
#[test]
fn on_an_idle_fabric_every_transfer_takes_exactly_the_idle_time() {
    for (_, settings, mut bench) in benches() {
        for transfer in chips(&settings).flat_map(each_transfer) {
            assert_idle_delivery(&mut bench, &transfer);
        }
    }
}

/// Point 4.
#[test]
fn domains_are_contiguous_in_order_and_cover_every_chip() {
    for (kind, settings, bench) in benches() {
        let domains: Vec<Range<u32>> = bench.fabric.domains();
        assert!(domains.iter().all(|domain| !domain.is_empty()), "{kind}: {domains:?}");
        let covered: Vec<u32> = domains.iter().cloned().flatten().collect();
        assert_eq!(covered, (0..settings.array.chips()).collect::<Vec<_>>(), "{kind}");
        for chip in chips(&settings) {
            let domain = bench.fabric.domain_of(chip);
            assert!(domains[domain.0 as usize].contains(&chip.0), "{kind}: {chip:?} in {domain:?}");
        }
    }
}

#[test]
fn a_new_fabric_is_quiet_and_has_used_no_path() {
    for (kind, settings, bench) in benches() {
        assert!(bench.fabric.is_quiet(), "{kind}");
        let busy = bench.fabric.path_busy();
        assert!(busy.iter().all(|path| path.is_zero()), "{kind} on {:?}: {busy:?}", settings.array);
    }
}

/// Points 6 and 8, in closed form: a read of two planes takes its parts' idle times and the array's, whatever is held, and
/// a second one of the chip's other die, or of another chip of the path, begins when the first has ended.
#[test]
fn a_read_that_holds_its_path_takes_the_sum_of_its_parts_and_so_does_the_next() {
    for (kind, settings, mut bench) in holding_benches() {
        let array = SimSpan::from_us(3);
        let read = |die| {
            let gap = SimSpan::ZERO;
            let (direction, command, bytes) = (Direction::FromChip, SimSpan::ZERO, 4096);
            let read = Some(array);
            Job { chip: 0, die, direction, command, bytes, moved_from: None, gap, read }.operation(1)
        };
        let [command, _, data] = [0, 1, 2].map(|part| bench.fabric.idle_time(&read(0)[part].1));
        for die in 0..DIES {
            bench.submit_operation(read(die), SimTime::ZERO);
        }
        bench.run_to_end();
        let ends: Vec<(DieId, SimTime)> = bench.ended.iter().map(|end| (end.transfer.die, end.at)).collect();
        let first = command + array + data * 2;
        // pnSSD's other die has the other bus, and its array works meanwhile; they share the chip's pins.
        let expected = match kind {
            FabricKind::PnSsd => [command + array + data * 3, command + array + data * 4],
            _ => [first, first * 2],
        };
        let expected = expected.map(|span| SimTime::ZERO + span);
        let lasts = [0, 1].map(|die| ends.iter().rfind(|(of, _)| of.0 == die).map(|end| end.1));
        assert_eq!(lasts, expected.map(Some), "{kind} {:?}: {ends:?}", settings.array);
    }
}
