//! Tests of state files: a loaded state equals the saved one, and any other file is rejected.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use tempfile::TempDir;
use venice_drive::cache::CacheMode;
use venice_drive::ftl::{
    CachedMapping, FilledSectors, Mapping, MappingWriteBack, PageRegion, PreconditionMode,
    PreconditionSettings, TableSharing, UnwrittenData, WritePattern,
};
use venice_drive::observe::LogRows;
use venice_fabric::FabricKind;
use venice_host::testkit::Script;
use venice_kernel::{RandomStream, SimSpan, SimTime};
use venice_requests::{Flow, HostRequest, LoopMode, Op};
use venice_sim::assembly::{DriveSettings, RunOptions, Simulation, SimulationError};
use venice_sim::report::Provenance;
use venice_sim::state::StateError;
use venice_sim::testkit::drive::small_drive;

fn options() -> RunOptions {
    RunOptions { audit: true, log_rows: LogRows::WithCauses, ..RunOptions::default() }
}

fn drive(mode: PreconditionMode) -> DriveSettings {
    let mut settings = small_drive(FabricKind::Bus, 2, 2);
    settings.ftl.unwritten_data = UnwrittenData::Absent;
    settings.ftl.gc_yields_to_host = false;
    let all = (Simulation::capacity_sectors(&settings) / 8) as u32;
    let region = PageRegion {
        pages: 0..all,
        working_set: all,
        occupancy: 0.9,
        pattern: WritePattern::Uniform,
        drawn: None,
        traffic: 1.0,
    };
    settings.precondition = PreconditionSettings {
        mode,
        filled: FilledSectors::WholePage,
        regions: vec![region],
        settling_turns: 4.0,
        gc_pace: venice_drive::ftl::GcPace::AtOnce,
        seed: 2,
    };
    settings
}

fn with_cached_map(mut settings: DriveSettings) -> DriveSettings {
    settings.ftl.mapping = Mapping::Cached(CachedMapping {
        table_entries: 20,
        entries_per_page: 16,
        page_entry_bytes: 6,
        write_back: MappingWriteBack::Flash,
        sharing: TableSharing::Shared,
    });
    settings
}

fn requests(settings: &DriveSettings, seed: u64, count: u64) -> Vec<HostRequest> {
    let capacity = Simulation::capacity_sectors(settings);
    let mut random = RandomStream::new(seed, "requests");
    let request = |n: u64| HostRequest {
        arrival: SimTime::ZERO + SimSpan::from_us(n * 30),
        op: if random.chance(0.3) { Op::Read } else { Op::Write },
        start_sector: random.below(capacity - 12),
        sectors: 1 + random.below(12) as u32,
        queue: 0,
        pattern_set: 0,
    };
    (0..count).map(request).collect()
}

fn flow(requests: Vec<HostRequest>) -> Vec<Flow> {
    vec![Flow::new(Box::new(Script::new(requests)), LoopMode::Closed { depth: 8 })]
}

/// Runs a simulation; returns its complete output.
fn outcome(mut simulation: Simulation) -> (String, Simulation) {
    simulation.run().unwrap();
    let provenance = Provenance { config: serde_json::Value::Null, seed: 0, wall_s: 0.0 };
    let rows = format!("{:?}", simulation.take_log());
    (serde_json::to_string(&simulation.report(provenance)).unwrap() + &rows, simulation)
}

/// Runs `count` requests and saves the resulting state.
fn saved(settings: &DriveSettings, count: u64, folder: &TempDir) -> PathBuf {
    let path = folder.path().join("drive.state");
    let fresh = Simulation::new(settings, flow(requests(settings, 1, count)), options()).unwrap();
    outcome(fresh).1.save_state(&path).unwrap();
    path
}

fn loaded(settings: &DriveSettings, path: &Path, count: u64) -> Result<Simulation, SimulationError> {
    Simulation::from_state(settings, flow(requests(settings, 2, count)), options(), path)
}

fn refusal(settings: &DriveSettings, path: &Path) -> String {
    match loaded(settings, path, 0) {
        Err(SimulationError::State(error)) => error.to_string(),
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("the state was accepted"),
    }
}

#[test]
fn a_run_on_a_preconditioned_drive_is_the_same_run_on_that_drive_saved_and_loaded() {
    for mode in [PreconditionMode::Fill, PreconditionMode::SteadyState, PreconditionMode::Mqsim] {
        for settings in [drive(mode), with_cached_map(drive(mode))] {
            let folder = TempDir::new().unwrap();
            let path = saved(&settings, 0, &folder);
            let here = Simulation::new(&settings, flow(requests(&settings, 2, 1500)), options()).unwrap();
            let there = loaded(&settings, &path, 1500).unwrap();
            assert_eq!(outcome(here).0, outcome(there).0, "{mode:?}");
        }
    }
}

#[test]
fn a_state_after_a_run_loads_and_is_saved_again_as_the_same_bytes() {
    for settings in [
        drive(PreconditionMode::None),
        drive(PreconditionMode::SteadyState),
        with_cached_map(drive(PreconditionMode::None)),
    ] {
        let folder = TempDir::new().unwrap();
        let path = saved(&settings, 2000, &folder);
        let first = fs::read(&path).unwrap();
        outcome(loaded(&settings, &path, 0).unwrap()).1.save_state(&path).unwrap();
        assert_eq!(first, fs::read(&path).unwrap());
        // The loaded drive continues with the audit enabled, and two runs from it are equal.
        let [one, other] = [(); 2].map(|()| outcome(loaded(&settings, &path, 800).unwrap()).0);
        assert_eq!(one, other);
        assert!(one.contains("\"programs\""));
    }
}

#[test]
fn what_only_the_data_cache_has_is_on_flash_when_the_state_is_loaded() {
    let mut settings = drive(PreconditionMode::None);
    settings.cache.mode = CacheMode::Write;
    let folder = TempDir::new().unwrap();
    let path = saved(&settings, 60, &folder);
    let mut without = settings.clone();
    without.cache.mode = CacheMode::Off;
    // All written pages are found; a lost page would count as unwritten.
    let written = requests(&settings, 1, 60).into_iter().filter(|request| request.op == Op::Write);
    let mut pages: Vec<u64> = written
        .flat_map(|request| {
            request.start_sector / 8..(request.start_sector + u64::from(request.sectors)).div_ceil(8)
        })
        .collect();
    pages.sort_unstable();
    pages.dedup();
    let simulation = loaded(&without, &path, 0).unwrap();
    assert_eq!(simulation.device().ftl().translation().mapped_pages(), pages.len() as u64);
}

#[test]
fn a_state_of_another_drive_is_refused_with_the_first_difference() {
    let settings = drive(PreconditionMode::Fill);
    let folder = TempDir::new().unwrap();
    let path = saved(&settings, 0, &folder);
    let mut larger = settings.clone();
    larger.geometry.blocks_per_plane = 17;
    let said = refusal(&larger, &path);
    assert!(
        said.contains("another drive: `flash.blocks_per_plane` is 16 in the state and 17 in this drive"),
        "{said}"
    );
    let said = refusal(&with_cached_map(settings.clone()), &path);
    assert!(said.contains("`ftl.mapping` is ideal in the state and cached in this drive"), "{said}");
    let mut other_fabric = settings;
    other_fabric.fabric_kind = FabricKind::Ideal;
    assert!(loaded(&other_fabric, &path, 100).is_ok(), "what joins the chips is not part of the state");
}

#[test]
fn other_files_and_damaged_states_are_distinguished() {
    let settings = drive(PreconditionMode::Fill);
    let folder = TempDir::new().unwrap();
    let path = saved(&settings, 0, &folder);
    let whole = fs::read(&path).unwrap();
    let said_of = |bytes: &[u8]| {
        fs::write(&path, bytes).unwrap();
        refusal(&settings, &path)
    };
    assert!(said_of(b"").contains("the file does not contain a drive state"));
    assert!(said_of(b"time,device,offset\n1,2,3\n").contains("the file does not contain a drive state"));
    assert!(said_of(&whole[..20]).contains("is damaged: it has 20 bytes"));
    let short = said_of(&whole[..whole.len() - 1]);
    assert!(short.contains(&format!("has {} bytes instead of {}", whole.len() - 1, whole.len())));
    let mut newer = whole.clone();
    newer[8] = 200;
    assert!(said_of(&newer).contains("has format 200\n"));
    let mut flipped = whole;
    *flipped.last_mut().unwrap() ^= 1;
    assert!(said_of(&flipped).contains("its checksum is wrong"));
    fs::remove_file(&path).unwrap();
    assert!(refusal(&settings, &path).contains("cannot read the drive's state"));
}

#[cfg(unix)]
#[test]
fn a_state_goes_through_links_and_into_pipes_and_replaces_neither() {
    use std::os::unix::fs::{FileTypeExt, symlink};

    let folder = TempDir::new().unwrap();
    let settings = drive(PreconditionMode::None);
    let plain = fs::read(saved(&settings, 100, &folder)).unwrap();
    let place = |name| folder.path().join(name);
    let save = |path: &Path| {
        let fresh = Simulation::new(&settings, flow(requests(&settings, 1, 100)), options()).unwrap();
        outcome(fresh).1.save_state(path).unwrap();
    };
    for (link, target) in [("to old", "old"), ("to new", "new")] {
        if target == "old" {
            fs::write(place(target), "old").unwrap();
        }
        symlink(target, place(link)).unwrap();
        save(&place(link));
        assert!(place(link).is_symlink(), "{link}");
        assert!(fs::read(place(target)).unwrap() == plain, "{link}");
    }
    let pipe = place("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let reader = std::thread::spawn({
        let pipe = pipe.clone();
        move || fs::read(pipe).unwrap()
    });
    save(&pipe);
    assert!(reader.join().unwrap() == plain);
    assert!(pipe.metadata().unwrap().file_type().is_fifo());
}

#[test]
fn a_failed_save_leaves_the_old_state_and_no_other_file() {
    let settings = drive(PreconditionMode::Fill);
    let folder = TempDir::new().unwrap();
    let path = saved(&settings, 0, &folder);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "no temporary file is left");
    let mut simulation = loaded(&settings, &path, 0).unwrap();
    simulation.run().unwrap();
    let nowhere = folder.path().join("missing").join("drive.state");
    assert!(matches!(simulation.save_state(&nowhere), Err(StateError::Unwritable { .. })));
    assert!(loaded(&settings, &path, 0).is_ok());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn a_damaged_state_is_always_refused(
        cut in prop::option::of(0.0..1.0_f64),
        flips in prop::collection::vec((0.0..1.0_f64, 0_u8..8), 1..4),
        more in prop::collection::vec(any::<u8>(), 0..3),
    ) {
        let settings = drive(PreconditionMode::SteadyState);
        let folder = TempDir::new().unwrap();
        let path = saved(&settings, 0, &folder);
        let mut bytes = fs::read(&path).unwrap();
        let whole = bytes.clone();
        if let Some(share) = cut {
            bytes.truncate((bytes.len() as f64 * share) as usize);
        } else {
            for (place, bit) in flips {
                let place = (bytes.len() as f64 * place) as usize;
                bytes[place] ^= 1 << bit;
            }
            bytes.extend(more);
        }
        prop_assume!(bytes != whole);
        fs::write(&path, bytes).unwrap();
        refusal(&settings, &path);
    }
}
