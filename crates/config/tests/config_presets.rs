//! Tests of built-in drives, and of the combination of layers.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on stops")]

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;
use venice_config::{self as config, ResolvedDrive, parameters};
use venice_drive::ftl::{Allocation, HierarchyLevel, UnwrittenData, VictimPolicy};
use venice_fabric::{
    ControllerChoice, FabricKind, FabricSettings, Hold, MeshLink, PathLoops, PortChoice, Reservation, Retry,
    Routing, ServiceOrder,
};
use venice_host::HostLink;
use venice_kernel::{Rate, SimSpan, SimTime};
use venice_nand::chip::{PageTypeOrder, Suspension, SuspensionRule};
use venice_nand::geometry::{Array, Geometry};

const CWDP: [HierarchyLevel; 4] =
    [HierarchyLevel::Channel, HierarchyLevel::Way, HierarchyLevel::Die, HierarchyLevel::Plane];

fn load(drive: &str, sets: &[&str]) -> ResolvedDrive {
    let sets: Vec<String> = sets.iter().map(|&set| set.to_owned()).collect();
    config::load(drive, None, &sets, None).unwrap_or_else(|error| panic!("{error}"))
}

/// Returns the built-in TOML files of a folder under `presets`.
fn preset_files(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../presets").join(folder);
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let files: Vec<PathBuf> = entries.filter(|path| path.extension().is_some_and(|e| e == "toml")).collect();
    assert!(!files.is_empty(), "presets were found");
    files
}

fn stems(files: &[PathBuf]) -> Vec<&str> {
    let mut stems: Vec<&str> = files.iter().map(|path| path.file_stem().unwrap().to_str().unwrap()).collect();
    stems.sort_unstable();
    stems
}

#[test]
fn the_built_in_presets_are_exactly_the_files_in_the_preset_folders() {
    for (folder, mut names) in [("drives", config::drive_names()), ("chips", config::chip_names())] {
        names.sort_unstable();
        assert_eq!(names, stems(&preset_files(folder)), "presets/{folder}");
    }
}

#[test]
fn every_drive_loads_under_its_own_name() {
    assert!(!config::drive_names().is_empty());
    for name in config::drive_names() {
        assert_eq!(load(name, &[]).config().drive.name, name);
    }
}

#[test]
fn the_paper_s_drives_load_with_every_fabric() {
    for (drive, name) in ["venice-performance", "venice-cost"]
        .iter()
        .flat_map(|d| FabricKind::NAMES.iter().map(move |f| (d, f)))
    {
        let loaded = config::load(drive, Some(name), &[], None).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(loaded.settings().fabric_kind.name(), *name);
        assert!(loaded.settings().fabric_kind.build(&loaded.settings().fabric).is_ok(), "{drive} {name}");
    }
}

#[test]
fn every_chip_can_be_put_into_a_drive() {
    assert!(!config::chip_names().is_empty());
    for name in config::chip_names() {
        load("venice-performance", &[&format!("chip={name}")]);
    }
}

#[test]
fn every_value_of_a_preset_cites_a_source() {
    for name in config::drive_names() {
        let drive = load(name, &[]);
        let shipped = parameters().filter(|parameter| !parameter.section().is_empty());
        let origins = shipped.map(|parameter| (parameter.key, drive.origin(parameter.key).unwrap()));
        let said: Vec<_> = origins.filter(|(_, origin)| origin.place.is_some()).collect();
        assert!(said.len() > 20, "{name} says its numbers");
        for (key, origin) in said {
            assert!(origin.cited.is_some_and(|source| source.len() > 3), "{name}: {key}");
        }
    }
}

#[test]
fn a_resolved_drive_written_as_toml_loads_to_the_same_settings() {
    let sets = [
        "host.link_rate_mb_per_s=unlimited",
        "flash.t_read_us=[1.5, 2]",
        "flash.t_register_us=1",
        "flash.t_prog_us=[3, 4]",
        "flash.program_pages=1",
    ];
    for name in config::drive_names() {
        for sets in [&[][..], &sets] {
            let drive = load(name, sets);
            let again = config::load_text("resolved.toml", &drive.to_toml(), &[]).unwrap();
            assert_eq!(again.settings(), drive.settings(), "{name}");
            assert_eq!(again.to_json(), drive.to_json(), "{name}");
        }
    }
}

#[test]
fn a_written_drive_remembers_sources_and_layers() {
    let text = load("venice-cost", &["array.cols=4"]).to_toml();
    for line in [
        "cols = 4 # --set array.cols=4",
        "t_read_us = { value = 45, source = \"Nadig et al., Venice, ISCA 2023, Table 1\" } # presets/chips/tlc-venice.toml:11",
        "t_cs_ns = 20 # default",
    ] {
        assert!(text.lines().any(|written| written == line), "{line}\n{text}");
    }
}

#[test]
fn json_has_the_shape_of_the_file_and_plain_values() {
    let json = load("venice-cost", &["host.link_rate_mb_per_s=unlimited"]).to_json();
    assert_eq!(json["name"], "venice-cost");
    assert_eq!(json["array"]["rows"], 8);
    assert_eq!(json["flash"]["command"]["t_cmd_ns"], 10);
    assert_eq!(json["fabric"]["hold"], "transfer");
    assert_eq!(json["host"]["link_rate_mb_per_s"], "unlimited");
    assert_eq!(json["flash"]["multiplane"], true);
}

#[test]
fn the_performance_drive_has_the_numbers_of_table_1() {
    let drive = load("venice-performance", &[]);
    let settings = drive.settings();
    let geometry = Geometry {
        array: Array { rows: 8, cols: 8 },
        dies_per_chip: 1,
        planes_per_die: 2,
        blocks_per_plane: 1024,
        pages_per_block: 768,
        page_bytes: 4096,
    };
    assert_eq!(settings.geometry, geometry);
    assert_eq!(settings.geometry.raw_bytes(), 412_316_860_416);
    assert_eq!(settings.flash.array.read, [SimSpan::from_us(3)]);
    assert_eq!(settings.flash.array.program, [SimSpan::from_us(100)]);
    assert_eq!(settings.flash.array.erase, SimSpan::from_us(1000));
    assert_eq!(settings.flash.commands.read, [SimSpan::from_ns(10); 2]);
    assert_eq!(settings.flash.commands.data_out, SimSpan::ZERO);
    assert_eq!(settings.fabric.array, geometry.array);
    assert_eq!(settings.fabric.bus.rate, Rate::from_ps_per_bytes(2500, 3));
    assert_eq!(settings.fabric.mesh_link, MeshLink { width_bits: 8, latency: SimSpan::from_ns(1) });
    assert_eq!(settings.fabric.own.nossd.port_buffer_bytes, 16 * 1024);
    assert_eq!(settings.host.link.rate, Rate::from_ps_per_bytes(125, 1));
    assert_eq!(settings.seed, settings.fabric.seed);
}

#[test]
fn venice_s_policies_are_those_of_the_paper_where_it_has_any_and_to_the_letter_in_a_drive_of_their_own() {
    let letter = load("venice-letter", &[]).settings().fabric.own.venice;
    assert_eq!((letter.retry, letter.port_choice), (Retry::AtOnce, PortChoice::Random));
    assert_eq!((letter.path_loops, letter.order), (PathLoops::Kept, ServiceOrder::FirstCome));
    let drive = load("venice-performance", &[]);
    let (hold, venice) = (drive.settings().fabric.hold, drive.settings().fabric.own.venice);
    assert_eq!((venice.routing, venice.retry), (Routing::NonMinimalAdaptive, Retry::NextTransfer));
    assert_eq!((hold, venice.controller), (Hold::Transfer, ControllerChoice::NearestFree));
    assert_eq!((venice.reservation, venice.scout_takes_time), (Reservation::Atomic, true));
    let other =
        load("venice-performance", &["fabric.venice.retry=back_off", "fabric.venice.back_off_ns=2.5"]);
    let venice = other.settings().fabric.own.venice;
    assert_eq!((venice.retry, venice.back_off), (Retry::BackOff, SimSpan::from_ps(2500)));
}

#[test]
fn the_open_router_s_drive_differs_in_what_a_router_takes_only() {
    let (open, paper) = (load("venice-open-router", &[]), load("venice-performance", &[]));
    let (ours, theirs) = (open.settings().power, paper.settings().power);
    assert_eq!((ours.router_static_mw, theirs.router_static_mw), (6.13, 0.0));
    assert_eq!((ours.router_pj_per_byte, theirs.router_pj_per_byte), (2.1, 0.241));
    // Rule of the paper: square arrays of pads of 0.4 mm, 9 × 9 for 70 pins and 7 × 7 for 40 pins.
    let (ours, theirs) = (open.settings().area, paper.settings().area);
    assert_eq!((ours.router_mm2, theirs.router_mm2), (12.96, 8.0));
    assert_eq!((ours.link_per_channel, theirs.link_per_channel), (0.05, 0.04));
    assert_eq!(open.settings().fabric, paper.settings().fabric);
    assert_eq!(open.settings().flash, paper.settings().flash);
}

#[test]
fn the_cost_drive_differs_in_its_chips_only() {
    let (cost, performance) = (load("venice-cost", &[]), load("venice-performance", &[]));
    let geometry = cost.settings().geometry;
    assert_eq!(
        (geometry.blocks_per_plane, geometry.pages_per_block, geometry.page_bytes),
        (512, 1024, 16384)
    );
    assert_eq!(cost.settings().flash.array.erase, SimSpan::from_us(3500));
    assert_eq!(cost.settings().host, performance.settings().host);
    assert_eq!(cost.settings().fabric, performance.settings().fabric);
}

#[test]
fn mqsim_s_drive_takes_the_times_that_mqsim_charges() {
    let drive = load("mqsim-default", &[]);
    let settings = drive.settings();
    assert_eq!(settings.geometry.raw_bytes(), 512 << 30);
    assert_eq!(settings.flash.array.read, [SimSpan::from_ns(75_020)]);
    assert_eq!(settings.flash.commands.read[..2], [SimSpan::from_ns(290), SimSpan::from_ns(940)]);
    assert_eq!(settings.flash.commands.program[1], SimSpan::from_ns(1177));
    assert_eq!(settings.flash.commands.data_out, SimSpan::ZERO);
    assert_eq!(settings.fabric.bus.rate.time_for(8192), SimSpan::from_ns(24_576));
    let mut link = HostLink::new(settings.host.link);
    assert_eq!(link.send(4096, SimTime::ZERO), SimTime::from_ps(1_248_000), "MQSim's figure");
    assert_eq!(settings.ftl.unwritten_data, UnwrittenData::Absent);
    assert_eq!(settings.ftl.gc_start_free_blocks, 102, "5 % of 2048 blocks");
    assert_eq!((settings.ftl.allocation, settings.ftl.victim), (Allocation::Static(CWDP), VictimPolicy::Rga));
    assert_eq!((settings.ftl.dynamic_wear_levelling, settings.ftl.static_wear_levelling), (true, Some(100)));
}

#[test]
fn the_drive_of_piq_has_its_geometry_and_ssdsim_s_times() {
    let drive = load("piq-128gb", &["host.scheduler.scheme=piq_plus", "host.scheduler.level=plane"]);
    let settings = drive.settings();
    assert_eq!(settings.geometry.raw_bytes(), 128 << 30);
    assert_eq!(settings.fabric.bus.rate.time_for(4096), SimSpan::from_ns(4096 * 25));
    assert_eq!(settings.flash.array.program, [SimSpan::from_us(200)]);
    assert_eq!(
        (settings.ftl.allocation, settings.ftl.victim),
        (Allocation::Static(CWDP), VictimPolicy::Greedy)
    );
    let scheduler = settings.host.scheduler.unwrap();
    assert_eq!((scheduler.units.units(), scheduler.queue_length), (256, 64));
    assert_eq!(
        SimSpan::from_us_f64(scheduler.parameters.reads_first.write_threshold_us),
        SimSpan::from_us(1000)
    );
    assert_eq!(load("piq-128gb", &[]).settings().host.scheduler, None);
}

#[test]
fn the_threshold_of_static_wear_levelling_counts_only_while_it_is_on() {
    let threshold = |sets: &[&str]| load("venice-performance", sets).settings().ftl.static_wear_levelling;
    assert_eq!(threshold(&["ftl.static_wear_levelling_threshold=7"]), Some(7));
    assert_eq!(threshold(&["ftl.static_wear_levelling=false"]), None);
}

#[test]
fn the_run_s_seed_is_that_of_the_layer_s_choices() {
    assert_eq!(load("venice-performance", &["run.seed=77"]).settings().ftl.seed, 77);
}

#[test]
fn collection_starts_at_the_share_or_at_the_stated_minimum() {
    let start = |sets: &[&str]| load("venice-performance", sets).settings().ftl.gc_start_free_blocks;
    assert_eq!(
        start(&["flash.blocks_per_plane=100", "ftl.gc_start_free_blocks_pct=29"]),
        29,
        "not 28.99 cut"
    );
    assert_eq!(start(&["flash.blocks_per_plane=100", "ftl.gc_start_free_blocks_pct=29.9"]), 29);
    assert_eq!(start(&[]), 6, "what covers a burst does not grow with the drive");
    assert_eq!(start(&["ftl.gc_start_free_blocks_pct=0", "ftl.gc_start_free_blocks_min=7"]), 7);
}

#[test]
fn collection_goes_first_below_the_share_or_the_stated_minimum() {
    let hard = |sets: &[&str]| load("venice-performance", sets).settings().ftl.gc_hard_free_blocks;
    assert_eq!(hard(&["flash.blocks_per_plane=1000", "ftl.gc_hard_free_blocks_pct=0.7"]), 7);
    assert_eq!(hard(&["flash.blocks_per_plane=1000", "ftl.gc_hard_free_blocks_pct=0.79"]), 7);
    assert_eq!(hard(&[]), 3);
    assert_eq!(hard(&["ftl.gc_hard_free_blocks_pct=0", "ftl.gc_hard_free_blocks_min=9"]), 9);
}

#[test]
fn suspension_has_the_times_of_the_operations_that_are_suspended() {
    let settings = |operations: &str| {
        let operations = format!("flash.suspend.operations={operations}");
        let sets = [
            operations.as_str(),
            "flash.suspend.t_espd_us=1",
            "flash.suspend.t_pspd_us=2",
            "flash.suspend.t_resume_us=3",
            "flash.suspend.erase_pulses=7",
            "flash.suspend.program_pulses=8",
            "flash.suspend.erase_for_read_us=4",
            "flash.suspend.erase_for_write_us=5",
            "flash.suspend.erase_for_writes=true",
            "flash.suspend.program_for_read_us=6",
            "flash.suspend.max_times=7",
            "flash.suspend.max_commands=8",
        ];
        load("venice-performance", &sets).settings().flash.suspension
    };
    let us = SimSpan::from_us;
    let erase = SuspensionRule { suspend: us(1), pulses: 7, for_read: us(4), for_write: Some(us(5)) };
    let program = SuspensionRule { suspend: us(2), pulses: 8, for_read: us(6), for_write: None };
    let expected =
        |erase, program| Some(Suspension { erase, program, resume: us(3), most_times: 7, most_commands: 8 });
    assert_eq!(settings("none"), None);
    assert_eq!(settings("erase"), expected(Some(erase), None));
    assert_eq!(settings("program"), expected(None, Some(program)));
    assert_eq!(settings("both"), expected(Some(erase), Some(program)));
    assert_eq!(load("mqsim-default", &[]).settings().flash.suspension, None, "off unless asked for");
    for chip in ["z-nand-venice", "tlc-venice"] {
        let suspension = load("venice-performance", &[&format!("chip={chip}")]).settings().flash.suspension;
        assert!(suspension.is_some_and(|it| it.erase.is_some() && it.program.is_some()), "{chip}");
    }
    let for_reads =
        load("venice-performance", &["flash.suspend.operations=erase"]).settings().flash.suspension;
    assert_eq!(for_reads.unwrap().erase.unwrap().for_write, None);
}

#[test]
fn enhanced_slc_programming_lengthens_programs_of_one_bit_per_cell() {
    let programs = |preset, sets: &[&str]| {
        let array = load(preset, sets).settings().flash.array.clone();
        (array.program, array.slc_program)
    };
    let esp = ["gather.programming=enhanced_slc", "gather.esp_program_factor=3"];
    let [regular, enhanced] = [&[][..], &esp].map(|sets| programs("venice-performance", sets));
    assert_eq!(enhanced.0, [regular.0[0] * 3]);
    assert_eq!(enhanced.1, regular.1 * 3);
    let types = "flash.t_read_us=[20, 40]";
    let [regular, enhanced] =
        [&["flash.t_prog_us=[100, 300]", types][..], &["flash.t_prog_us=[100, 300]", types, esp[0]]]
            .map(|sets| programs("venice-performance", sets));
    assert_eq!((enhanced.0, enhanced.1), (regular.0, regular.1 * 2));
}

#[test]
fn page_types_take_turns_unless_asked_otherwise() {
    let order = |sets: &[&str]| load("venice-performance", sets).settings().flash.array.page_types;
    assert_eq!(order(&[]), PageTypeOrder::Cyclic);
    assert_eq!(order(&["flash.page_type_order=mqsim"]), PageTypeOrder::Mqsim);
}

#[test]
fn allocation_is_an_order_and_a_mode() {
    let allocation = |sets: &[&str]| load("venice-performance", sets).settings().ftl.allocation;
    let order = [HierarchyLevel::Plane, HierarchyLevel::Die, HierarchyLevel::Way, HierarchyLevel::Channel];
    assert_eq!(allocation(&["ftl.allocation=PDWC"]), Allocation::Static(order));
    assert_eq!(allocation(&["ftl.allocation_mode=dynamic"]), Allocation::Dynamic(CWDP));
}

#[test]
fn a_rate_may_be_unlimited_if_its_parameter_permits_it() {
    let drive = load("venice-performance", &["host.link_rate_mb_per_s=unlimited"]);
    assert_eq!(drive.settings().host.link.rate, Rate::UNLIMITED);
}

#[test]
fn later_layers_win() {
    let folder = TempDir::new().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    let geometry =
        "dies_per_chip = 1\nplanes_per_die = 2\nblocks_per_plane = 64\npages_per_block = 8\npage_bytes = 512";
    write("chip.toml", &format!("[flash]\n{geometry}\nt_read_us = 11\nt_prog_us = 12\nt_bers_us = 13\n"));
    write(
        "base.toml",
        "extends = \"venice-performance\"\n[flash]\nt_prog_us = 22\nt_bers_us = 23\n[run]\nseed = 5\n",
    );
    write(
        "top.toml",
        "extends = \"base.toml\"\nchip = \"chip.toml\"\n[flash]\nt_bers_us = 33\n[fabric]\nname = \"pssd\"\n",
    );
    let top = folder.path().join("top.toml").display().to_string();

    let drive = config::load(&top, None, &[], None).unwrap();
    let array = &drive.settings().flash.array;
    assert_eq!(array.read, [SimSpan::from_us(11)], "the chip over the chip it replaces");
    assert_eq!(array.program, [SimSpan::from_us(22)], "the extended drive over the chip");
    assert_eq!(array.erase, SimSpan::from_us(33), "the file over the extended drive");
    assert_eq!((drive.settings().fabric_kind, drive.settings().seed), (FabricKind::PSsd, 5));
    assert_eq!(drive.config().drive.name, "top", "a name is not inherited");

    let sets = ["flash.t_bers_us=44".to_owned(), "flash.t_bers_us=45".to_owned()];
    let drive = config::load(&top, Some("ideal"), &sets, Some(9)).unwrap();
    assert_eq!(drive.settings().flash.array.erase, SimSpan::from_us(45), "the later option");
    assert_eq!((drive.settings().fabric_kind, drive.settings().seed), (FabricKind::Ideal, 9));
    let by_set = config::load(&top, Some("ideal"), &["fabric.name=bus".to_owned()], None).unwrap();
    assert_eq!(by_set.settings().fabric_kind, FabricKind::Bus, "--set over --fabric");
}

#[test]
fn an_option_is_toml_or_a_bare_word() {
    let drive = load(
        "venice-performance",
        &[
            "fabric.name=\"pssd\"",
            "flash.multiplane=false",
            "flash.t_read_us=[1, 2]",
            "flash.t_prog_us = [10,20]",
        ],
    );
    assert_eq!(drive.settings().fabric_kind, FabricKind::PSsd);
    assert!(!drive.settings().flash.multiplane);
    assert_eq!(drive.settings().flash.array.program, [SimSpan::from_us(10), SimSpan::from_us(20)]);
}

#[test]
fn explain_states_the_meaning_and_for_a_drive_the_value_and_its_origin() {
    let general = "\
flash.t_bers_us: Block erase time (tBERS).
  values   0.001 to 1000000 µs
  unit     µs
  default  none (required)
  source   ONFI, tBERS";
    assert_eq!(config::explain("flash.t_bers_us").unwrap(), general);
    let here = "  here     1000 µs, from presets/chips/z-nand-venice.toml:13 (Nadig et al., Venice, ISCA 2023, Table 1)";
    let drive = load("venice-performance", &["fabric.name=pssd"]);
    assert_eq!(drive.explain("flash.t_bers_us").unwrap(), format!("{general}\n{here}"));
    assert!(
        drive.explain("fabric.name").unwrap().ends_with("  here     \"pssd\", from --set fabric.name=pssd")
    );
    assert!(drive.explain("flash.command.t_cs_ns").unwrap().ends_with("  here     20 ns, the default"));
}

#[test]
fn explain_lists_a_table_and_suggests_for_an_unknown_key() {
    assert_eq!(
        config::explain("fabric.pssd").unwrap(),
        "\
[fabric.pssd]: Packetised channel of `pssd`.
  speedup       Data rate of a channel of this fabric, as a multiple of `fabric.channel_rate_mb_per_s`
  header_bytes  Size of the packet header of each transfer that carries data"
    );
    assert_eq!(
        config::explain("flash.t_raed_us").unwrap_err().to_string(),
        "error: unknown key `flash.t_raed_us`\n   = did you mean `flash.t_read_us`?"
    );
    let nothing = config::explain("colour").unwrap_err().to_string();
    assert!(nothing.starts_with("error: unknown key `colour`\n   = tables: array, flash, "), "{nothing}");
    let overview = config::explain("").unwrap();
    assert!(overview.lines().any(|line| line.trim_start().starts_with("fabric.venice ")), "{overview}");
}

#[test]
fn every_parameter_can_be_explained() {
    assert!(parameters().count() > 0);
    for parameter in parameters() {
        let text = config::explain(parameter.key).unwrap();
        assert!(
            text.starts_with(&format!("{}: ", parameter.key)) && text.contains(parameter.source),
            "{text}"
        );
    }
}

#[test]
fn links_have_the_rate_of_a_channel_unless_a_drive_states_theirs() {
    let path_rate =
        |settings: &FabricSettings, kind: FabricKind| kind.build(settings).unwrap().wiring().path_rate;
    let slow = load("piq-128gb", &[]);
    for kind in [FabricKind::NoSsd, FabricKind::Venice, FabricKind::HlNand, FabricKind::Decoupled] {
        assert_eq!(path_rate(&slow.settings().fabric, kind), Rate::from_mb_per_s(40.0), "{kind}");
    }
    let stated =
        load("piq-128gb", &["fabric.mesh.link_latency_ns=2", "fabric.hlnand.link_rate_mb_per_s=800"]);
    assert_eq!(path_rate(&stated.settings().fabric, FabricKind::Venice), Rate::from_mb_per_s(500.0));
    assert_eq!(path_rate(&stated.settings().fabric, FabricKind::HlNand), Rate::from_mb_per_s(800.0));
}

#[test]
fn links_of_the_paper_s_drives_do_not_follow_their_channels() {
    for drive in ["venice-performance", "venice-performance-1000", "venice-cost", "pif"] {
        let settings = load(drive, &["fabric.channel_rate_mb_per_s=40"]).settings().fabric.clone();
        assert_eq!(settings.mesh_link.rate(), Rate::from_mb_per_s(1000.0), "{drive}");
        assert_eq!(settings.own.hlnand.rate, Some(Rate::from_mb_per_s(800.0)), "{drive}");
        assert_eq!(settings.own.decoupled.link, Some(Rate::from_mb_per_s(2400.0)), "{drive}");
    }
}
