//! Tests of the recorded activity of resources: agreement with the report, no overlap, and no effect on the
//! run.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::{BTreeMap, BTreeSet};

use venice_drive::observe::{ResourceActivity, ResourceKind, Slice, SliceSettings};
use venice_fabric::{FabricKind, Hold, NamedPath, PathStop, Reservation, Retry, Sender, named_paths};
use venice_host::testkit::{Script, pages};
use venice_kernel::{Progress, RandomStream, SimSpan, SimTime};
use venice_nand::chip::{DieWork, Suspension, SuspensionRule};
use venice_requests::{Flow, HostRequest, LoopMode, Op};
use venice_sim::assembly::{DriveSettings, RunOptions, Simulation};
use venice_sim::report::{Provenance, Report};
use venice_sim::testkit::drive::{small_drive, whole_flash};

const ALL: SliceSettings = SliceSettings { from: SimTime::ZERO, to: SimTime::MAX, most: u32::MAX };

/// Creates overwrites of a full drive with reads between them, so that garbage collection runs.
fn mixed(count: u64) -> Vec<HostRequest> {
    let mut random = RandomStream::new(7, "mixed");
    let page = |random: &mut RandomStream| (random.below(300), 1 + random.below(3) as u32);
    (0..count)
        .map(|_| {
            let op = if random.chance(0.4) { Op::Read } else { Op::Write };
            let (first, pages_) = page(&mut random);
            pages(op, first, pages_, SimTime::ZERO)
        })
        .collect()
}

fn begun(settings: &DriveSettings, slices: Option<SliceSettings>) -> Simulation {
    let flow = Flow::new(Box::new(Script::new(mixed(900))), LoopMode::Closed { depth: 8 });
    let options = RunOptions { slices, ..RunOptions::default() };
    Simulation::new(settings, vec![flow], options).unwrap()
}

fn simulation(settings: &DriveSettings, slices: Option<SliceSettings>) -> Simulation {
    let mut simulation = begun(settings, slices);
    simulation.run().unwrap();
    simulation
}

fn report(simulation: &mut Simulation) -> Report {
    simulation.report(Provenance { config: serde_json::Value::Null, seed: 1, wall_s: 0.0 })
}

fn count(slices: &[Slice], row: ResourceKind, of: impl Fn(ResourceActivity) -> bool) -> u64 {
    slices.iter().filter(|slice| slice.row == row && of(slice.what)).count() as u64
}

/// Returns the total time of the slices of a row.
fn time(slices: &[Slice], row: ResourceKind, index: u32) -> SimSpan {
    slices.iter().filter(|slice| (slice.row, slice.index) == (row, index)).map(|slice| slice.span).sum()
}

/// Asserts that slices of one row do not overlap, for rows of these kinds.
fn assert_one_at_a_time(slices: &[Slice], rows: &[ResourceKind]) {
    let mut ends: BTreeMap<(ResourceKind, u32), SimTime> = BTreeMap::new();
    let mut sorted: Vec<_> = slices.iter().filter(|slice| rows.contains(&slice.row)).collect();
    sorted.sort_by_key(|slice| (slice.begin, slice.end()));
    for slice in sorted {
        let end = ends.insert((slice.row, slice.index), slice.end());
        assert!(end.is_none_or(|end| end <= slice.begin), "{slice:?} begins before {end:?}");
    }
}

fn suspends(drive: &mut DriveSettings) {
    let yielding = Some(SuspensionRule {
        suspend: SimSpan::from_us(5),
        pulses: 0,
        for_read: SimSpan::ZERO,
        for_write: None,
    });
    drive.flash.suspension = Some(Suspension {
        erase: yielding,
        program: yielding,
        resume: SimSpan::from_us(7),
        most_times: 3,
        most_commands: 4,
    });
}

fn drives() -> Vec<(String, DriveSettings)> {
    let plain = FabricKind::ALL.iter().map(|&kind| (kind.name().to_owned(), small_drive(kind, 2, 2)));
    let changed = |name: &str, kind, change: fn(&mut DriveSettings)| {
        let mut drive = small_drive(kind, 4, 4);
        change(&mut drive);
        (name.to_owned(), drive)
    };
    let more = vec![
        changed("venice, 4 × 4", FabricKind::Venice, |_| {}),
        changed("venice, held", FabricKind::Venice, |drive| drive.fabric.hold = Hold::Operation),
        changed("venice, next transfer", FabricKind::Venice, |drive| {
            drive.fabric.own.venice.retry = Retry::NextTransfer;
        }),
        changed("venice, hop by hop", FabricKind::Venice, |drive| {
            drive.fabric.own.venice.reservation = Reservation::CycleLevel;
        }),
        changed("bus, suspended", FabricKind::Bus, suspends),
        changed("venice, suspended", FabricKind::Venice, |drive| {
            suspends(drive);
            drive.geometry.dies_per_chip = 2;
        }),
        changed("bus, dies that take turns", FabricKind::Bus, |drive| {
            drive.geometry.dies_per_chip = 2;
            drive.flash.die_work = DieWork::OneAtATime;
        }),
    ];
    plain.chain(more).collect()
}

#[test]
fn there_are_as_many_slices_as_the_report_counts() {
    for (name, settings) in drives() {
        let mut simulation = simulation(&settings, Some(ALL));
        let report = report(&mut simulation);
        let slices = simulation.slices().unwrap().kept();
        let requests = [ResourceActivity::Read, ResourceActivity::Write]
            .map(|what| count(slices, ResourceKind::Queue, |it| it == what));
        assert_eq!(requests, [report.requests.reads, report.requests.writes], "{name}: requests");
        let flash = &whole_flash(&report);
        let [suspended_programs, suspended_erases] = [flash.suspended_programs, flash.suspended_erases];
        assert_eq!(
            count(slices, ResourceKind::Plane, |it| it == ResourceActivity::Read),
            flash.reads,
            "{name}: reads"
        );
        if suspended_programs + suspended_erases == 0 {
            let found = [ResourceActivity::Program, ResourceActivity::Erase]
                .map(|what| count(slices, ResourceKind::Plane, |it| it == what));
            assert_eq!(found, [flash.programs, flash.erases], "{name}: programs and erases");
        }
        let put_aside = count(slices, ResourceKind::Die, |it| it == ResourceActivity::Suspended);
        assert_eq!(put_aside, suspended_programs + suspended_erases, "{name}: suspensions");
        let transfers = report.path.transfers + report.after_last_completion.transfers;
        assert_eq!(count(slices, ResourceKind::Pins, |_| true), transfers, "{name}: transfers");
        let collections = count(slices, ResourceKind::Collection, |_| true);
        assert!(collections > 0 || flash.erases == 0, "{name}: collection");
        assert!(settings.geometry.array.rows > 2 || flash.erases > 0, "{name}: it collects");
        // A scout to the chip beside its controller takes no time.
        assert!(
            slices.iter().all(|it| !it.span.is_zero() || it.what == ResourceActivity::Scout),
            "{name}: lengths"
        );
        assert_one_at_a_time(
            slices,
            &[
                ResourceKind::Plane,
                ResourceKind::Die,
                ResourceKind::Pins,
                ResourceKind::Controller,
                ResourceKind::Collection,
            ],
        );
    }
}

#[test]
fn the_time_of_a_row_is_the_time_that_is_measured() {
    for (name, settings) in drives() {
        let simulation = simulation(&settings, Some(ALL));
        let (device, slices) = (simulation.device(), simulation.slices().unwrap().kept());
        let planes: SimSpan =
            (0..settings.geometry.planes()).map(|plane| time(slices, ResourceKind::Plane, plane)).sum();
        assert_eq!(planes, device.recorder().drive.arrays.total(), "{name}: arrays");
        let pins: SimSpan =
            (0..settings.geometry.array.chips()).map(|chip| time(slices, ResourceKind::Pins, chip)).sum();
        assert_eq!(pins, device.recorder().drive.transfer_time, "{name}: transfers");
        let by_place =
            ["bus", "pssd", "pnssd", "ideal", "venice", "venice, 4 × 4", "venice, next transfer", "nossd"];
        if by_place.contains(&name.as_str()) {
            let busy = device.meters().path_busy(simulation.now());
            let found: Vec<_> =
                (0..busy.len() as u32).map(|place| time(slices, ResourceKind::Place, place)).collect();
            assert_eq!(found, busy, "{name}: places");
        }
    }
}

/// Returns true if consecutive failed scouts are counted instead of simulated.
fn is_counted(settings: &DriveSettings) -> bool {
    let venice = &settings.fabric.own.venice;
    (venice.retry, venice.reservation) == (Retry::AtOnce, Reservation::Atomic)
}

#[test]
fn every_scout_is_recorded_with_its_path() {
    for (name, settings) in drives().into_iter().filter(|(name, _)| name.starts_with("venice")) {
        let simulation = simulation(&settings, Some(ALL));
        let (device, slices) = (simulation.device(), simulation.slices().unwrap());
        let (counters, trips) = (device.meters().fabric_counters(simulation.now()), slices.trips());
        let found: Vec<_> =
            trips.iter().filter_map(|trip| trip.path.as_ref().map(|path| (trip, path))).collect();
        let failures = (trips.len() - found.len()) as u64;
        let is_counted = is_counted(&settings);
        if !is_counted {
            assert_eq!(trips.len() as u64, counters.scouts, "{name}");
            assert_eq!(failures, counters.scout_failures, "{name}");
        }
        assert_eq!(
            found.iter().map(|(trip, _)| u64::from(trip.detour)).sum::<u64>(),
            counters.detour_hops,
            "{name}"
        );
        for (trip, path) in &found {
            let Sender::Controller(row) = trip.sender else { panic!("{name}: {trip:?}") };
            let ends = (path[0], path[path.len() - 1]);
            assert_eq!(ends, (row * settings.geometry.array.cols, trip.chip.0), "{name}");
            assert!(path.windows(2).all(|hop| hop[0].abs_diff(hop[1]) == 1
                || hop[0].abs_diff(hop[1]) == 4
                || hop[0].abs_diff(hop[1]) == 2));
        }
        let circuits = count(slices.kept(), ResourceKind::Controller, |it| {
            matches!(it, ResourceActivity::Circuit | ResourceActivity::Detour)
        });
        assert_eq!(circuits, device.recorder().drive.transfers(), "{name}: circuits");
        if is_counted {
            assert!(
                count(slices.kept(), ResourceKind::Controller, |it| it == ResourceActivity::FailedScouts) > 0
            );
        }
    }
}

#[test]
fn looking_changes_nothing() {
    for (name, settings) in drives() {
        let [plain, looked_at] = [None, Some(ALL)].map(|slices| report(&mut simulation(&settings, slices)));
        let venice = settings.fabric.own.venice;
        // A run with slices simulates every scout; without them, repeated periods of failing scouts are skipped.
        let may_skip = (venice.retry, venice.reservation) == (Retry::AtOnce, Reservation::CycleLevel);
        let events = |report: &Report| if may_skip { 0 } else { report.events };
        let text = |report: &Report| {
            serde_json::to_string(&Report { events: events(report), ..report.clone() }).unwrap()
        };
        assert_eq!(text(&plain), text(&looked_at), "{name}");
    }
}

#[test]
fn a_window_contains_overlapping_slices_up_to_the_limit() {
    let settings = small_drive(FabricKind::Venice, 2, 2);
    let at = |us| SimTime::ZERO + SimSpan::from_us(us);
    let whole = simulation(&settings, Some(ALL));
    let all = whole.slices().unwrap().kept();
    let (from, to) = (at(2_000), at(5_000));
    let part = simulation(&settings, Some(SliceSettings { from, to, ..ALL }));
    let expected: Vec<_> = all.iter().filter(|it| it.begin < to && it.end() > from).copied().collect();
    assert_eq!(part.slices().unwrap().kept(), expected);
    assert!((100..all.len() / 2).contains(&expected.len()), "{} of {}", expected.len(), all.len());
    assert_eq!(part.slices().unwrap().full_at(), None);
    let few = simulation(&settings, Some(SliceSettings { most: 50, ..ALL }));
    assert_eq!(few.slices().unwrap().kept(), &all[..50]);
    assert_eq!(few.slices().unwrap().full_at(), Some(all[50].end()));
}

#[test]
fn requests_of_the_host_are_known_where_flash_works_for_them() {
    let simulation = simulation(&small_drive(FabricKind::Venice, 2, 2), Some(ALL));
    let slices = simulation.slices().unwrap().kept();
    let mut spans: BTreeMap<u32, (SimTime, SimTime)> = BTreeMap::new();
    for slice in slices.iter().filter(|slice| slice.row == ResourceKind::Queue) {
        spans.insert(slice.request, (slice.begin, slice.end()));
    }
    let of_flash: Vec<_> =
        slices.iter().filter(|it| it.row == ResourceKind::Plane && it.request != Slice::NONE).collect();
    assert!(of_flash.len() > 900);
    for slice in of_flash {
        let (begin, end) = spans[&slice.request];
        assert!(begin <= slice.begin && slice.end() <= end, "{slice:?} is not within {begin:?} to {end:?}");
    }
}

#[test]
fn places_begin_with_the_paths_that_are_measured_and_join_every_chip() {
    for (name, settings) in drives() {
        let simulation = simulation(&settings, None);
        let fabric = simulation.device().fabric();
        let (places, array) = (named_paths(fabric), settings.geometry.array);
        assert!(places.len() >= fabric.path_busy(SimTime::from_ps(u64::MAX / 2)).len(), "{name}");
        let names: BTreeSet<_> = places.iter().map(|place| place.name.as_str()).collect();
        assert_eq!(names.len(), places.len(), "{name}: names");
        let stops = places.iter().flat_map(|place| &place.stops);
        let chips: BTreeSet<_> = stops
            .filter_map(|&stop| if let PathStop::Chip(chip) = stop { Some(chip.0) } else { None })
            .collect();
        assert_eq!(chips, (0..array.chips()).collect(), "{name}: chips");
    }
}

/// Returns the ends of a path: chip numbers, or -1 - n for controller n.
fn ends(place: &NamedPath) -> Vec<i64> {
    let number = |stop: &PathStop| match *stop {
        PathStop::Chip(chip) => i64::from(chip.0),
        PathStop::Controller(controller) => -1 - i64::from(controller),
    };
    place.stops.iter().map(number).collect()
}

#[test]
fn places_lie_where_the_fabric_has_them() {
    let of = |kind, place: usize| {
        let simulation = simulation(&small_drive(kind, 3, 3), None);
        let place = named_paths(simulation.device().fabric()).swap_remove(place);
        (place.name.clone(), ends(&place))
    };
    let named = |name: &str, ends: &[i64]| (name.to_owned(), ends.to_vec());
    assert_eq!(of(FabricKind::Bus, 1), named("channel 1", &[-2, 3, 4, 5]));
    assert_eq!(of(FabricKind::Ideal, 4), named("channel 4", &[-2, 4]));
    assert_eq!(of(FabricKind::PnSsd, 4), named("column bus 1", &[-2, 1, 4, 7]));
    assert_eq!(of(FabricKind::Venice, 1), named("link 1-2", &[1, 2]));
    assert_eq!(of(FabricKind::Venice, 6), named("link 0-3", &[0, 3]));
    assert_eq!(of(FabricKind::NoSsd, 3), named("link 2-1", &[2, 1]));
    assert_eq!(of(FabricKind::HlNand, 0), named("ring 0 link 0", &[-1, 0]));
    assert_eq!(of(FabricKind::HlNand, 7), named("ring 1 link 3", &[5, -2]));
}

#[test]
fn a_window_ends_with_the_slices_that_began_in_it() {
    let window = SliceSettings {
        from: SimTime::from_ps(100_000_000),
        to: SimTime::from_ps(900_000_000),
        most: u32::MAX,
    };
    for (name, settings) in drives() {
        let whole = simulation(&settings, Some(window));
        let mut cut = begun(&settings, Some(window));
        while !cut.slices_are_over() {
            assert_eq!(cut.step(1).unwrap(), Progress::BudgetSpent, "{name}: the run ends before");
        }
        let of_array = |of: &Simulation| -> Vec<Slice> {
            let kept = of.slices().unwrap().kept().iter();
            let mut kept: Vec<Slice> =
                kept.filter(|slice| slice.row != ResourceKind::Queue).copied().collect();
            kept.sort_by_key(|slice| (slice.begin, slice.row, slice.index, slice.end()));
            kept
        };
        assert_eq!(of_array(&cut), of_array(&whole), "{name}");
        assert!(cut.now_us() < whole.now_us(), "{name}: it is over before the run is");
    }
}
