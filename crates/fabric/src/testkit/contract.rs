//! Checks of the contract that every fabric must satisfy. The [crate documentation](crate) states it as
//! numbered rules.
//!
//! [`check`] generates its cases from seeds, builds a new fabric for each case, and panics with the violated
//! rule. The tests of the fabrics in the catalogue call the checks one by one, with further cases.

#![allow(clippy::missing_panics_doc, reason = "a check fails by panicking")]

use std::collections::BTreeSet;
use std::ops::Range;

use venice_kernel::{RandomStream, SimSpan, SimTime};
use venice_nand::geometry::{ChipId, DieId};

use crate::testkit::{DeliveredTransfer, FabricBench, paper_settings};
use crate::{
    Capabilities, Direction, Fabric, FabricError, FabricSettings, Hints, Hold, Offer, Outbox, RelocatedData,
    Transfer, named_paths,
};

/// Rows and columns of the tested arrays.
pub const ARRAYS: [(u32, u32); 6] = [(1, 1), (2, 2), (4, 4), (8, 8), (4, 16), (16, 4)];

/// Number of random transfer lists for each array in [`check`].
const LISTS: u64 = 4;

/// Fabric in a test bench, with its name and settings.
#[derive(Clone)]
pub struct ContractBench {
    /// Name of the fabric in messages.
    pub name: String,
    /// Settings of the fabric.
    pub settings: FabricSettings,
    /// Test bench of the fabric, at time zero.
    pub bench: FabricBench,
}

impl ContractBench {
    /// Creates a bench for a fabric with these settings, at time zero.
    pub fn new(name: &str, settings: &FabricSettings, fabric: impl Fabric + Clone + 'static) -> Self {
        let name = format!("{name} over {} × {}", settings.array.rows, settings.array.cols);
        Self { name, settings: settings.clone(), bench: FabricBench::new(fabric) }
    }
}

/// Checks the contract of fabrics on each array that the fabric supports. `make` builds the fabric from given
/// settings.
///
/// The checks run with `hold = "transfer"`, and on small arrays also with paths held for operations and for requests.
/// Chip-to-chip copies (rule 9) and faults (rule 10) are not checked.
///
/// # Panics
/// Panics if the fabric violates the contract, or supports no array.
pub fn check<F>(name: &str, make: impl Fn(&FabricSettings) -> Result<F, FabricError>)
where
    F: Fabric + Clone + 'static,
{
    let mut built = 0;
    for (rows, cols) in ARRAYS {
        let is_small = rows * cols <= 16;
        let holds = [Hold::Transfer, Hold::Operation, Hold::Request];
        for hold in holds.into_iter().take(if is_small { holds.len() } else { 1 }) {
            let settings = FabricSettings { hold, ..paper_settings(rows, cols) };
            let rig = || Some(ContractBench::new(name, &settings, make(&settings).ok()?));
            if rig().is_some() {
                check_over(&|| rig().expect("it was built over these settings before"));
                built += 1;
            }
        }
    }
    assert!(built > 0, "{name} can be built over none of these arrays: {ARRAYS:?}");
}

fn check_over(rig: &impl Fn() -> ContractBench) {
    on_an_idle_fabric_every_transfer_takes_exactly_the_idle_time(rig());
    domains_are_contiguous_in_order_and_cover_every_chip(rig());
    a_new_fabric_is_quiet_and_has_used_no_path(rig());
    for seed in 0..LISTS {
        let (jobs, probe) = (drawn(seed), drawn(LISTS + seed)[0]);
        every_transfer_is_delivered_exactly_once_and_then_all_is_quiet(rig(), &jobs);
        the_same_offers_get_the_same_answers(rig(), rig(), &jobs);
        the_use_of_a_path_never_grows_faster_than_the_clock(rig(), &jobs);
        a_fabric_that_has_become_idle_is_as_good_as_new(rig(), &jobs, probe.chip);
        a_refusal_stands_until_the_domain_is_woken(rig(), &jobs);
        domain_busy_means_that_no_chip_of_the_domain_can_be_reached(rig(), &jobs);
        a_full_domain_refuses_every_offer(rig(), &jobs);
        a_refused_chip_gets_no_path(rig(), &jobs);
        capabilities_are_constant(rig(), &jobs);
        occupied_paths_are_named(rig(), &jobs);
        a_held_path_is_reserved_for_its_die(rig(), &jobs);
        an_offer_never_affects_another_domain(rig(), &jobs, &probe);
    }
}

/// Returns random transfers of all kinds, generated from `seed`.
fn drawn(seed: u64) -> Vec<TransferOffer> {
    let mut random = RandomStream::new(seed, "testkit.jobs");
    let count = 1 + random.below(60);
    (0..count).map(|_| drawn_job(&mut random)).collect()
}

fn drawn_job(random: &mut RandomStream) -> TransferOffer {
    let sizes = [4096, 16384, 1 + random.below(20_000) as u32];
    let bytes = sizes[random.below(3) as usize];
    let (direction, command, bytes) = match random.below(3) {
        0 => (Direction::ToChip, SimSpan::from_ns(10), 0),
        1 => (Direction::ToChip, SimSpan::from_ns(10), bytes),
        _ => (Direction::FromChip, SimSpan::ZERO, bytes),
    };
    TransferOffer {
        chip: random.next_u64() as u32,
        die: random.below(u64::from(DIES)) as u32,
        direction,
        command,
        bytes,
        moved_from: random.chance(0.5).then(|| random.next_u64() as u32),
        gap: SimSpan::from_ps(if random.chance(0.5) { 0 } else { random.below(2_000_000) }),
        array: random.chance(0.5).then(|| SimSpan::from_ps(random.below(4_000_000))),
    }
}

/// Number of dies per chip in these checks. It is two because a die, not a chip, identifies a transfer.
pub const DIES: u32 = 2;

/// Description of a transfer, suitable for arrays of any size.
#[derive(Clone, Copy, Debug)]
pub struct TransferOffer {
    /// Chip number. On an array with fewer chips, the remainder of a division by the number of chips is used.
    pub chip: u32,
    /// Die number within the chip, below [`DIES`].
    pub die: u32,
    /// Direction of the transfer.
    pub direction: Direction,
    /// Channel time of the command.
    pub command: SimSpan,
    /// Bytes of data that the transfer carries.
    pub bytes: u32,
    /// Source chip if the data is a relocated page, `None` otherwise. Two thirds of all data are relocated
    /// pages.
    pub moved_from: Option<u32>,
    /// Time between the instants at which the previous transfer and this one become ready.
    pub gap: SimSpan,
    /// Array time of a two-plane read, which consists of a command, the array operation and the data of both
    /// planes. `None` for a single transfer. For a transfer with data to the chip, any value means that its
    /// path is held during the [array time of the bench](FabricBench::array_time).
    pub array: Option<SimSpan>,
}

impl TransferOffer {
    fn moved(&self, chip: ChipId, chips: u32) -> Option<RelocatedData> {
        let from = match self.direction {
            Direction::FromChip => chip,
            Direction::ToChip => ChipId(self.moved_from? % chips),
        };
        self.moved_from.map(|_| RelocatedData { bytes: self.bytes - self.bytes / 3, from })
    }

    fn transfer(&self, chips: u32) -> Transfer {
        let chip = ChipId(self.chip % chips);
        Transfer {
            die: DieId(chip.0 * DIES + self.die),
            chip,
            direction: self.direction,
            command: self.command,
            bytes: self.bytes,
            keeps_path: false,
            moved: self.moved(chip, chips),
            waiting_since: None,
        }
    }

    /// Returns the transfers of the described operation. Each one has a delay, counted from the end of the
    /// previous one.
    pub fn operation(&self, chips: u32) -> Vec<(SimSpan, Transfer)> {
        let last = self.transfer(chips);
        let (Some(array), Direction::FromChip) = (self.array, self.direction) else {
            let keeps_path = self.array.is_some();
            return vec![(SimSpan::ZERO, Transfer { keeps_path, ..last })];
        };
        let command = Transfer {
            direction: Direction::ToChip,
            command: SimSpan::from_ns(10),
            bytes: 0,
            keeps_path: true,
            moved: None,
            ..last
        };
        let first_plane = Transfer { keeps_path: true, ..last };
        vec![(SimSpan::ZERO, command), (array, first_plane), (SimSpan::ZERO, last)]
    }
}

fn submit(bench: &mut FabricBench, jobs: &[TransferOffer], settings: &FabricSettings) {
    let mut at = bench.now();
    for job in jobs {
        at = at + job.gap;
        bench.submit_operation(job.operation(settings.array.chips()), at);
    }
}

fn transfers(jobs: &[TransferOffer]) -> usize {
    jobs.iter().map(|job| job.operation(1).len()).sum()
}

/// Returns one transfer of each kind to or from `chip`.
fn each_transfer(chip: ChipId) -> [Transfer; 7] {
    let job = |direction, command_ns, bytes, moved_from| {
        let (command, gap) = (SimSpan::from_ns(command_ns), SimSpan::ZERO);
        TransferOffer { chip: chip.0, die: 1, direction, command, bytes, moved_from, gap, array: None }
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

/// Returns the response to an offer, which is made to a copy of the fabric.
fn probe_offer(bench: &FabricBench, transfer: &Transfer) -> Offer {
    bench.fabric.clone().offer(transfer, bench.now(), &mut Outbox::default())
}

/// Returns a transfer of `chip` that the fabric would accept, if there is one. Dies with a held path are
/// excluded.
///
/// All kinds of transfers are offered one after another to a single copy of the fabric. More copies would be
/// slow, since copying takes most of the time of these checks. The order of the kinds differs between chips.
fn would_be_accepted(bench: &FabricBench, chip: ChipId) -> Option<Transfer> {
    let mut transfers = each_transfer(chip);
    let first = chip.index() % transfers.len();
    transfers.rotate_left(first);
    let mut fabric = bench.fabric.clone();
    let mut offers = transfers.into_iter().filter(|transfer| !bench.holds_path(transfer.die));
    offers.find(|transfer| fabric.offer(transfer, bench.now(), &mut Outbox::default()) == Offer::Accepted)
}

fn others_of_the_domain(bench: &FabricBench, settings: &FabricSettings, chip: ChipId) -> Vec<Transfer> {
    let domain = bench.domain_of(chip);
    chips(settings)
        .filter(|&other| bench.domain_of(other) == domain && !bench.is_in_flight(other))
        .map(|other| each_transfer(other)[0])
        .collect()
}

/// Returns the dies for which the fabric holds a path.
fn holders<'a>(bench: &'a FabricBench, settings: &'a FabricSettings) -> impl Iterator<Item = DieId> + 'a {
    (0..settings.array.chips() * DIES).map(DieId).filter(|&die| bench.holds_path(die))
}

/// Returns one transfer for each domain in which the fabric responds with [`Offer::DomainBusy`].
fn busy_domain_transfers(bench: &FabricBench) -> Vec<Transfer> {
    let idle = |domain: Range<u32>| domain.map(ChipId).filter(|&chip| !bench.is_in_flight(chip));
    let says_so = |chip: ChipId| {
        let transfer = each_transfer(chip)[0];
        let is_busy = !bench.holds_path(transfer.die) && probe_offer(bench, &transfer) == Offer::DomainBusy;
        is_busy.then_some(transfer)
    };
    bench.fabric.domains().into_iter().filter_map(|domain| idle(domain).find_map(says_so)).collect()
}

/// Offers a transfer on an idle fabric; asserts acceptance and delivery after exactly the idle time.
#[track_caller]
fn assert_idle_delivery(bench: &mut FabricBench, transfer: &Transfer) {
    let (offered, already) = (bench.now(), bench.ended.len());
    assert_eq!(bench.offer(transfer, offered), Offer::Accepted, "{transfer:?}");
    assert!(!bench.fabric.is_quiet(), "quiet while it carries {transfer:?}");
    bench.run_to_end();
    assert_eq!(bench.ended.len(), already + 1);
    let DeliveredTransfer { took, delivery, .. } = bench.ended[already];
    assert_eq!(took, bench.fabric.idle_time(transfer), "{transfer:?}");
    assert_eq!(delivery.path_wait, SimSpan::ZERO, "nothing can block {transfer:?}");
}

/// Checks rules 1, 2, 3 and 5 of the contract. Each accepted transfer must end exactly once and not too
/// early. A refused transfer must not be delivered, and its domain must be woken later. At the end the fabric
/// must be quiet.
pub fn every_transfer_is_delivered_exactly_once_and_then_all_is_quiet(
    rig: ContractBench,
    jobs: &[TransferOffer],
) {
    let ContractBench { name: kind, settings, mut bench } = rig;
    submit(&mut bench, jobs, &settings);
    bench.run_to_end();
    assert_eq!(bench.ended.len(), transfers(jobs), "{} on {:?}", kind, settings.array);
}

/// Checks rule 7 of the contract, determinism. Both benches must have the same settings.
pub fn the_same_offers_get_the_same_answers(
    rig: ContractBench,
    again: ContractBench,
    jobs: &[TransferOffer],
) {
    let ContractBench { name, settings, mut bench } = rig;
    let mut again = again.bench;
    for bench in [&mut bench, &mut again] {
        submit(bench, jobs, &settings);
        bench.run_to_end();
    }
    assert_eq!(bench.ended, again.ended, "{name}");
    assert_eq!(bench.bounced, again.bounced, "{name}");
    assert_eq!(bench.woken, again.woken, "{name}");
}

/// Checks that the busy time of [`Fabric::path_busy`] never grows faster than the clock.
pub fn the_use_of_a_path_never_grows_faster_than_the_clock(rig: ContractBench, jobs: &[TransferOffer]) {
    let ContractBench { name: kind, settings, mut bench } = rig;
    let (mut since, mut before) = (SimTime::ZERO, bench.fabric.path_busy(SimTime::ZERO));
    submit(&mut bench, jobs, &settings);
    loop {
        let (now, busy) = (bench.now(), bench.fabric.path_busy(bench.now()));
        assert_eq!(busy.len(), before.len());
        for (&busy, &before) in busy.iter().zip(&before) {
            let grown = busy.as_ps().checked_sub(before.as_ps());
            let is_possible = grown.is_some_and(|grown| grown <= now.since(since).as_ps());
            assert!(
                is_possible,
                "{kind} {:?}: from {before:?} at {since} to {busy:?} at {now}",
                settings.array
            );
        }
        (since, before) = (now, busy);
        if !bench.step() {
            return;
        }
    }
}

/// Checks rules 5 and 6 of the contract after a run of transfers: a fabric that has become idle behaves like
/// a new one.
pub fn a_fabric_that_has_become_idle_is_as_good_as_new(
    rig: ContractBench,
    jobs: &[TransferOffer],
    chip: u32,
) {
    let ContractBench { name: _, settings, mut bench } = rig;
    submit(&mut bench, jobs, &settings);
    bench.run_to_end();
    for transfer in each_transfer(ChipId(chip % settings.array.chips())) {
        assert_idle_delivery(&mut bench, &transfer);
    }
}

/// Checks rule 3 of the contract: a refused offer is refused again until its domain is woken. Fabrics with
/// scouts are exempt, since a scout with random choices can succeed at a second attempt.
pub fn a_refusal_stands_until_the_domain_is_woken(rig: ContractBench, jobs: &[TransferOffer]) {
    let ContractBench { name: kind, settings, mut bench } = rig;
    submit(&mut bench, jobs, &settings);
    while bench.step() && bench.counters().scouts == 0 {
        let found = bench.refused().find(|transfer| probe_offer(&bench, transfer) == Offer::Accepted);
        assert!(found.is_none(), "{} {:?} was not woken for {:?}", kind, settings.array, found);
    }
}

/// Checks that after [`Offer::DomainBusy`] no chip of the domain can be reached.
pub fn domain_busy_means_that_no_chip_of_the_domain_can_be_reached(
    rig: ContractBench,
    jobs: &[TransferOffer],
) {
    let ContractBench { name: kind, settings, mut bench } = rig;
    for job in jobs {
        let transfer = job.transfer(settings.array.chips());
        bench.run_until(bench.now() + job.gap);
        if bench.is_in_flight(transfer.chip) || bench.offer(&transfer, bench.now()) != Offer::DomainBusy {
            continue;
        }
        for other in others_of_the_domain(&bench, &settings, transfer.chip) {
            assert_ne!(probe_offer(&bench, &other), Offer::Accepted, "{kind} {other:?}");
        }
    }
}

/// Checks [`Hints::is_full`]: no offer succeeds in a full domain, except for dies with a held path.
pub fn a_full_domain_refuses_every_offer(rig: ContractBench, jobs: &[TransferOffer]) {
    let ContractBench { name: kind, settings, mut bench } = rig;
    submit(&mut bench, jobs, &settings);
    while bench.step() {
        let found = chips(&settings)
            .filter(|&chip| bench.is_full_at(chip))
            .filter(|&chip| !bench.is_in_flight(chip))
            .find_map(|chip| would_be_accepted(&bench, chip));
        assert!(found.is_none(), "{kind} {found:?}");
    }
}

/// Checks [`Hints::refuses`]: a chip that is reported as refused gets no path.
pub fn a_refused_chip_gets_no_path(rig: ContractBench, jobs: &[TransferOffer]) {
    let ContractBench { name: kind, settings, mut bench } = rig;
    submit(&mut bench, jobs, &settings);
    while bench.step() {
        let refused: Vec<ChipId> =
            chips(&settings).filter(|&chip| bench.is_refused(chip) && !bench.is_in_flight(chip)).collect();
        let found = refused.into_iter().find_map(|chip| would_be_accepted(&bench, chip));
        assert!(found.is_none(), "{kind} {found:?}");
    }
}

/// Checks that capabilities do not change, and that [`Fabric::copies_mut`] agrees with
/// [`Fabric::capabilities`].
pub fn capabilities_are_constant(rig: ContractBench, jobs: &[TransferOffer]) {
    let ContractBench { name: kind, settings, mut bench } = rig;
    submit(&mut bench, jobs, &settings);
    let has = |bench: &FabricBench| {
        let Capabilities { holds, hints, copies, topology } = bench.fabric.capabilities();
        let prefers_old_data = hints.map(Hints::prefers_old_data);
        (holds.is_some(), prefers_old_data, copies.is_some(), topology.is_some())
    };
    let at_start = has(&bench);
    while bench.step() {
        assert_eq!(has(&bench), at_start, "{kind}");
        assert_eq!(bench.fabric.copies_mut().is_some(), at_start.2, "{kind}");
    }
}

/// Checks [`Topology`](crate::Topology). The first paths must be those of [`Fabric::path_busy`], names must
/// be unique, and a transfer in flight must occupy paths that exist.
pub fn occupied_paths_are_named(rig: ContractBench, jobs: &[TransferOffer]) {
    let ContractBench { name: kind, settings, mut bench } = rig;
    let paths = named_paths(&*bench.fabric);
    let names: BTreeSet<&str> = paths.iter().map(|path| path.name.as_str()).collect();
    assert_eq!(names.len(), paths.len(), "{kind}: names are unique");
    assert!(paths.len() >= bench.fabric.path_busy(SimTime::ZERO).len(), "{kind}");
    submit(&mut bench, jobs, &settings);
    while bench.step() {
        let Some(topology) = bench.fabric.capabilities().topology else { return };
        let mut occupied = Vec::new();
        for transfer in bench.in_flight() {
            topology.occupied_by(transfer.chip, transfer.die, &mut occupied);
        }
        assert!(occupied.iter().all(|&path| (path as usize) < paths.len()), "{kind}: {occupied:?}");
    }
}

/// Checks rule 8 of the contract: a path that is held for a die is given to no other die. The bench itself
/// checks that an offer of this die succeeds.
pub fn a_held_path_is_reserved_for_its_die(rig: ContractBench, jobs: &[TransferOffer]) {
    let ContractBench { name: kind, settings, mut bench } = rig;
    submit(&mut bench, jobs, &settings);
    while bench.step() {
        if bench.fabric.is_quiet() {
            assert!(holders(&bench, &settings).next().is_none(), "{kind}: quiet, and holds");
            continue;
        }
        let busy: Vec<Transfer> = busy_domain_transfers(&bench);
        for transfer in busy.iter().flat_map(|busy| others_of_the_domain(&bench, &settings, busy.chip)) {
            let told = probe_offer(&bench, &transfer);
            let holds = bench.holds_path(transfer.die);
            assert_eq!(told == Offer::Accepted, holds, "{kind} {transfer:?}");
        }
    }
    assert!(holders(&bench, &settings).next().is_none(), "{kind} holds a path without a transfer");
}

/// Checks rule 4 of the contract: an offer in one domain does not affect another domain.
pub fn an_offer_never_affects_another_domain(
    rig: ContractBench,
    jobs: &[TransferOffer],
    probe: &TransferOffer,
) {
    let ContractBench { name: kind, settings, mut bench } = rig;
    let probe = probe.transfer(settings.array.chips());
    for job in jobs {
        let transfer = job.transfer(settings.array.chips());
        bench.run_until(bench.now() + job.gap);
        let same = bench.domain_of(transfer.chip) == bench.domain_of(probe.chip);
        if same || bench.is_in_flight(transfer.chip) || bench.is_in_flight(probe.chip) {
            continue;
        }
        let before = probe_offer(&bench, &probe);
        bench.offer(&transfer, bench.now());
        assert_eq!(probe_offer(&bench, &probe), before, "{kind}");
    }
}

/// Checks rule 6 of the contract: on an idle fabric, each transfer takes exactly [`Fabric::idle_time`].
pub fn on_an_idle_fabric_every_transfer_takes_exactly_the_idle_time(rig: ContractBench) {
    let ContractBench { name: _, settings, mut bench } = rig;
    for transfer in chips(&settings).flat_map(each_transfer) {
        assert_idle_delivery(&mut bench, &transfer);
    }
}

/// Checks rule 4 of the contract: domains are contiguous ranges of chips.
pub fn domains_are_contiguous_in_order_and_cover_every_chip(rig: ContractBench) {
    let ContractBench { name: kind, settings, bench } = rig;
    let domains: Vec<Range<u32>> = bench.fabric.domains();
    assert!(domains.iter().all(|domain| !domain.is_empty()), "{kind}: {domains:?}");
    let covered: Vec<u32> = domains.iter().cloned().flatten().collect();
    assert_eq!(covered, (0..settings.array.chips()).collect::<Vec<_>>(), "{kind}");
    for chip in chips(&settings) {
        let domain = bench.domain_of(chip);
        assert!(domains[domain.0 as usize].contains(&chip.0), "{kind}: {chip:?} in {domain:?}");
    }
}

/// Checks rule 5 of the contract at time zero: a new fabric is quiet.
pub fn a_new_fabric_is_quiet_and_has_used_no_path(rig: ContractBench) {
    let ContractBench { name: kind, settings, bench } = rig;
    assert!(bench.fabric.is_quiet(), "{kind}");
    let busy = bench.fabric.path_busy(SimTime::ZERO);
    assert!(busy.iter().all(|path| path.is_zero()), "{kind} on {:?}: {busy:?}", settings.array);
}
