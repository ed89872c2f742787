//! Tests of the complete error messages for invalid drives.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on stops")]

use std::fs;
use std::path::PathBuf;

use tempfile::TempDir;
use venice_config::{self as config, ConfigError, Problem};
use venice_fabric::FabricKind;

/// Returns the error of loading `text` as `my_drive.toml`.
fn error_of(text: &str) -> ConfigError {
    config::load_text("my_drive.toml", text, &[]).expect_err("this drive is wrong")
}

fn error_of_sets(drive: &str, sets: &[&str]) -> String {
    let sets: Vec<String> = sets.iter().map(|&set| set.to_owned()).collect();
    config::load(drive, None, &sets, None).expect_err("these options are wrong").to_string()
}

fn file(folder: &TempDir, name: &str, bytes: &[u8]) -> PathBuf {
    let path = folder.path().join(name);
    fs::write(&path, bytes).unwrap();
    path
}

/// Returns the message for a file, with its folder replaced.
fn error_of_file(folder: &TempDir, path: &std::path::Path) -> String {
    let error = config::load(&path.display().to_string(), None, &[], None).expect_err("this file is wrong");
    error.to_string().replace(&folder.path().display().to_string(), "DIR")
}

#[test]
fn a_slip_in_a_key_is_located_and_the_key_with_its_present_value_is_suggested() {
    let text = "extends = \"venice-cost\"\n\n[flash]\nt_raed_us = 45\n";
    assert_eq!(
        error_of(text).to_string(),
        "\
error: unknown key `t_raed_us`
  --> my_drive.toml:4:1
   |
 4 | t_raed_us = 45
   | ^^^^^^^^^ did you mean `t_read_us`?
   = expected: array read time (tR), 0.001 to 1000000 µs, or a list of at most 4 (default 45 µs, from presets/chips/tlc-venice.toml)
1 problem in my_drive.toml; nothing was run"
    );
}

#[test]
fn a_renamed_key_is_named_with_its_present_name() {
    let text = "extends = \"venice-cost\"\n\n[fabric.venice]\nhold = \"operation\"\n";
    assert_eq!(
        error_of(text).to_string(),
        "\
error: unknown key `hold`
  --> my_drive.toml:4:1
   |
 4 | hold = \"operation\"
   | ^^^^ renamed to `fabric.hold`
   = expected: the new name; `venice migrate FILE` updates a file
1 problem in my_drive.toml; nothing was run"
    );
}

#[test]
fn all_problems_of_a_file_are_reported_together_in_order() {
    let text = "\
extends = \"venice-cost\"
[flash]
t_prog_us = \"fast\"
page_bytes = 5000
total_pages = 17
[fabirc]
name = \"bus\"
[host]
queue_depth = 0
t_read_us = 3
colour = \"red\"
";
    assert_eq!(
        error_of(text).to_string(),
        "\
error: `t_prog_us` has a value of the wrong type
  --> my_drive.toml:3:13
   |
 3 | t_prog_us = \"fast\"
   |             ^^^^^^ a text, not a number
   = expected: array program time (tPROG), 0.001 to 1000000 µs, or a list of at most 4 (default 650 µs, from presets/chips/tlc-venice.toml)
error: `page_bytes` is out of range
  --> my_drive.toml:4:14
   |
 4 | page_bytes = 5000
   |              ^^^^ not a multiple of 512
   = expected: number of data bytes per page, without the bytes for error correction, 512 to 32768 bytes, a multiple of 512 (default 16384 bytes, from presets/chips/tlc-venice.toml)
error: `total_pages` is computed from the geometry and cannot be set
  --> my_drive.toml:5:1
error: unknown table `fabirc`
  --> my_drive.toml:6:2
   |
 6 | [fabirc]
   |  ^^^^^^ did you mean `fabric`?
   = expected: one of [array], [flash], [flash.command], [flash.suspend], [fabric], [fabric.pssd], [fabric.pnssd], [fabric.mesh], [fabric.faults], [fabric.nossd], [fabric.hlnand], [fabric.decoupled], [fabric.venice], [partition], [ftl], [gather], [search], [precondition], [cache], [host], [host.scheduler], [controller], [ecc], [power], [area], [flash.wear], [pif], [run], [sheet]
error: `queue_depth` is out of range
  --> my_drive.toml:9:15
   |
 9 | queue_depth = 0
   |               ^ too small
   = expected: maximum number of concurrent commands of one queue in the drive, 1 to 65535 commands (default 512 commands, from presets/drives/venice-performance.toml)
error: unknown key `t_read_us`
  --> my_drive.toml:10:1
   |
10 | t_read_us = 3
   | ^^^^^^^^^ did you mean `flash.t_read_us`?
   = expected: array read time (tR), 0.001 to 1000000 µs, or a list of at most 4 (default 45 µs, from presets/chips/tlc-venice.toml)
error: unknown key `colour`
  --> my_drive.toml:11:1
   |
11 | colour = \"red\"
   | ^^^^^^ no such key
   = expected: one of `link_rate_mb_per_s`, `link_latency_ns`, `packet_payload_bytes`, `packet_header_bytes`, `protocol`, `doorbell_bytes`, `read_request_bytes`, `command_bytes`, `completion_bytes`, `queue_entries`, `queue_depth`, `drive_depth`, `arbitration`, `arbitration_burst`, `weight_high`, `weight_medium`, `weight_low`, `queue_priorities`, `adapter_delay_ns`, `cores`, `core_request_ns`, `core_write_ns`, `core_dispatch_ns`, `core_variation_pct`, `core_per_queue`, `core_slice_us`, `core_polling`, `core_lock`
7 problems in my_drive.toml; nothing was run"
    );
}

#[test]
fn problems_keep_the_order_of_the_file_when_tables_are_interleaved() {
    let text =
        "extends = \"venice-cost\"\n[flash]\nt_raed_us = 1\n[array]\nrwos = 1\n[flash.command]\ntimng = 1\n";
    let error = error_of(text);
    let lines: Vec<usize> =
        error.problems().iter().filter_map(Problem::line_and_column).map(|at| at.0).collect();
    assert_eq!(lines, [3, 5, 7]);
}

#[test]
fn options_about_a_host_scheduler_are_refused_where_there_is_none() {
    let text = error_of_sets("piq-128gb", &["host.scheduler.units=63", "host.scheduler.batches=closed"]);
    assert!(text.contains("`host.scheduler.units` has no effect: the host has no scheduler"), "{text}");
    assert!(text.contains("--set host.scheduler.batches=closed"), "{text}");
    assert!(text.contains("for example --set host.scheduler.scheme=piq"), "{text}");
    let sets = ["host.scheduler.units=63".to_owned(), "host.scheduler.scheme=piq".to_owned()];
    assert!(config::load("piq-128gb", None, &sets, None).is_ok());
    // A file may configure a scheduler that is selected later.
    let file = "extends = \"piq-128gb\"\n[host.scheduler]\nunits = 63\n";
    assert!(config::load_text("later.toml", file, &[]).is_ok());
    // Settings passed by a program may also configure such a scheduler; options may not.
    let said = ["host.scheduler.units=63".to_owned()];
    let drive = config::load_described("piq-128gb", &said, None, &[], None).unwrap();
    assert_eq!(drive.to_json()["host"]["scheduler"]["units"], 63);
    assert!(config::load_described("piq-128gb", &said, None, &said, None).is_err());
    let chosen = ["fabric.name=pssd".to_owned()];
    let drive = config::load_described("piq-128gb", &chosen, Some("venice".into()), &[], None).unwrap();
    assert_eq!(drive.settings().fabric_kind.name(), "venice");
}

#[test]
fn a_drive_smaller_than_two_stripes_is_refused_if_requests_are_moved() {
    // 8x8 chips of two planes. Each plane has one logical page of 4 KiB.
    let tiny = [
        "flash.blocks_per_plane=4",
        "flash.pages_per_block=1",
        "ftl.over_provisioning_pct=75",
        "ftl.gc_start_free_blocks_min=2",
    ];
    let with = |others: &[&str]| {
        let moving = ["host.scheduler.scheme=conflict_free"];
        let sets: Vec<String> = tiny.iter().chain(&moving).chain(others).map(|&set| set.to_owned()).collect();
        config::load("venice-performance", None, &sets, None)
    };
    for issue in ["host.scheduler.issue=freely", "host.scheduler.issue=without_conflicts"] {
        let refused = with(&["host.scheduler.drive_level=plane", issue]);
        let text = refused.expect_err("two stripes do not fit").to_string();
        assert!(
            text.contains("two stripes of 128 units, that is 2048 sectors, but the drive has 1024"),
            "{text}"
        );
        assert!(with(&["host.scheduler.drive_level=chip", issue]).is_ok(), "two stripes over chips fit");
    }
}

#[test]
fn an_unknown_fabric_suggests_the_nearest_and_lists_them_all() {
    let quoted: Vec<String> = FabricKind::NAMES.iter().map(|name| format!("\"{name}\"")).collect();
    let error = config::load("venice-cost", Some("idael"), &[], None).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!(
            "\
error: unknown fabric `idael`
  --> --fabric idael
   = did you mean `ideal`?
   = expected: interconnect between the drive's flash controllers and its chips (fabric): one of {} (default \"bus\", from presets/drives/venice-performance.toml)
1 problem in --fabric idael; nothing was run",
            quoted.join(", ")
        )
    );
}

#[test]
fn the_fabric_that_people_misspell_most_is_found() {
    let error = config::load("venice-cost", Some("vencie"), &[], None).unwrap_err().to_string();
    assert!(
        error.starts_with(
            "error: unknown fabric `vencie`\n  --> --fabric vencie\n   = did you mean `venice`?\n"
        ),
        "{error}"
    );
}

#[test]
fn an_option_is_named_as_it_was_typed() {
    assert_eq!(
        error_of_sets("venice-cost", &["fabric.hodl=transfer", "flash.t_read_us=0", "array.rows=3us"]),
        "\
error: unknown key `fabric.hodl`
  --> --set fabric.hodl=transfer
   = did you mean `fabric.hold`?
   = expected: time for which a path (channel, bus, ring or circuit) is held: one of \"transfer\", \"operation\", \"request\" (default \"transfer\", from presets/drives/venice-performance.toml)
error: `flash.t_read_us` is out of range
  --> --set flash.t_read_us=0
   = too small
   = expected: array read time (tR), 0.001 to 1000000 µs, or a list of at most 4 (default 45 µs, from presets/chips/tlc-venice.toml)
error: `array.rows` has a value of the wrong type
  --> --set array.rows=3us
   = a text, not a whole number
   = expected: number of rows of chips, 1 to 256 rows (default 8 rows, from presets/drives/venice-performance.toml)
3 problems; nothing was run"
    );
}

#[test]
fn an_empty_or_malformed_option_is_refused() {
    assert_eq!(
        error_of_sets(
            "venice-cost",
            &["array.rows", "flash.t_read_us=[1,", "flash=3", "extends=venice-cost"]
        ),
        "\
error: `array.rows` is not an assignment
  --> --set array.rows
   = expected: key=value, for example flash.t_read_us=45
error: the value of `flash.t_read_us` is not valid TOML
  --> --set flash.t_read_us=[1,
   = unclosed array, expected `]`
error: `flash` is a table of keys, not a value
  --> --set flash=3
error: `extends` is allowed in files only
  --> --set extends=venice-cost
   = expected: --drive with the base drive
4 problems; nothing was run"
    );
}

#[test]
fn an_unknown_drive_suggests_the_nearest_and_lists_the_presets() {
    let presets = config::drive_names().join(", ");
    assert_eq!(
        error_of_sets("vencie-cost", &[]),
        format!(
            "\
error: unknown drive `vencie-cost`
   = did you mean `venice-cost`?
   = expected: one of the presets ({presets}), or the path of a drive file (.toml)"
        )
    );
}

#[test]
fn an_unknown_preset_in_a_file_is_located() {
    let error = error_of("extends = \"venice-performence\"\n").to_string();
    assert!(
        error.starts_with(
            "\
error: unknown drive `venice-performence`
  --> my_drive.toml:1:11
   |
 1 | extends = \"venice-performence\"
   |           ^^^^^^^^^^^^^^^^^^^^ did you mean `venice-performance`?
   = expected: one of the presets ("
        ),
        "{error}"
    );
}

#[test]
fn two_circuits_of_a_controller_with_one_port_are_refused() {
    let two = "fabric.venice.circuits_per_controller=2";
    let found = error_of_sets("venice-performance", &[two]);
    let message = "error: two circuits per controller cannot be combined with one port: a port is in one circuit at a time\n";
    assert!(found.starts_with(message), "{found}");
    assert!(found.contains("expected: `controller_ports` of `two` or `both_sides`, or 1 circuit"), "{found}");
    for ports in ["two", "both_sides"] {
        let sets = [two.to_owned(), format!("fabric.venice.controller_ports={ports}")];
        assert!(config::load("venice-performance", Some("venice"), &sets, None).is_ok(), "{ports}");
    }
}

#[test]
fn the_error_of_an_unreadable_file_states_the_reason() {
    let folder = TempDir::new().unwrap();
    let first_line = |path: PathBuf| error_of_file(&folder, &path).lines().next().unwrap().to_owned();
    assert_eq!(first_line(folder.path().join("none.toml")), "error: no such file: `DIR/none.toml`");
    assert_eq!(first_line(folder.path().to_path_buf()), "error: `DIR` is a folder, not a file");
    #[cfg(unix)]
    assert_eq!(
        first_line(PathBuf::from("/dev/zero")),
        "error: cannot read `/dev/zero`: it goes on after 16 MiB, which no such file does"
    );
    let latin = file(&folder, "latin.toml", b"name = \"\xb5\"\n");
    assert_eq!(first_line(latin), "error: `DIR/latin.toml` is not UTF-8 text (byte 9)");
}

#[test]
fn twenty_of_many_unknown_keys_are_listed_and_the_others_counted() {
    let lines: Vec<String> = (0..20_000).map(|number| format!("colour{number} = 1")).collect();
    let text = lines.join("\n");
    let told = error_of(&text).to_string();
    assert_eq!(told.matches("error: unknown key").count(), 20);
    assert!(told.contains("error: 19980 further unknown keys"), "{told}");
    assert!(told.len() < 20_000, "{} bytes", told.len());
}

#[test]
fn every_syntax_error_of_a_file_is_shown() {
    assert_eq!(
        error_of("[array]\nrows = \ncols = 8\n[flash\n").to_string(),
        "\
error: this is not valid TOML
  --> my_drive.toml:2:8
   |
 2 | rows = 
   |        ^ string values must be quoted, expected literal string
error: this is not valid TOML
  --> my_drive.toml:4:7
   |
 4 | [flash
   |       ^ unclosed table, expected `]`
2 problems in my_drive.toml; nothing was run"
    );
}

#[test]
fn a_key_given_twice_is_an_error() {
    let error = error_of("[array]\nrows = 4\nrows = 8\n").to_string();
    assert!(error.contains("my_drive.toml:3:1") && error.contains("duplicate key"), "{error}");
}

#[test]
fn missing_required_keys_of_a_drive_are_listed() {
    let text = "chip = \"tlc-venice\"\n[array]\nrows = 4\n";
    assert_eq!(
        error_of(text).to_string(),
        "\
error: `array.cols` is missing
  --> my_drive.toml
   = expected: number of chips per row, 1 to 256 chips
1 problem in my_drive.toml; nothing was run"
    );
}

#[test]
fn a_value_may_have_a_source_but_no_other_key() {
    let text = "extends = \"venice-cost\"\n[array]\nrows = { value = 3, sauce = \"x\" }\n";
    assert_eq!(
        error_of(text).to_string(),
        "\
error: `array.rows` is a table with the wrong keys
  --> my_drive.toml:3:8
   = expected: a value, or { value = …, source = \"…\" }
1 problem in my_drive.toml; nothing was run"
    );
}

#[test]
fn a_chip_sets_flash_only() {
    let folder = TempDir::new().unwrap();
    file(&folder, "chip.toml", b"[host]\nqueue_depth = 4\n");
    let drive = file(&folder, "drive.toml", b"extends = \"venice-cost\"\nchip = \"chip.toml\"\n");
    assert_eq!(
        error_of_file(&folder, &drive),
        "\
error: `host.queue_depth` cannot be set by a chip
  --> DIR/chip.toml:2:1
   = expected: keys of [flash] and [flash.command]; other keys belong to the drive
1 problem in DIR/chip.toml; nothing was run"
    );
}

#[test]
fn drives_that_extend_one_another_in_a_circle_are_refused() {
    let folder = TempDir::new().unwrap();
    file(&folder, "a.toml", b"extends = \"./b.toml\"\n");
    let b = file(&folder, "b.toml", b"extends = \"./a.toml\"\n");
    let error = error_of_file(&folder, &b);
    assert!(
        error.starts_with(
            "error: more than 16 drives extend one another; expected: a chain of `extends` without a cycle\n"
        ),
        "{error}"
    );
}

#[test]
fn values_that_do_not_go_together_are_refused_with_their_numbers() {
    let sets = [
        "array.cols=4",
        "fabric.name=pnssd",
        "flash.t_prog_us=[1, 2]",
        "ftl.over_provisioning_pct=0",
        "fabric.nossd.max_payload_bytes=20000",
    ];
    assert_eq!(
        error_of_sets("venice-cost", &sets),
        "\
error: `t_prog_us` has 2 page types, but `t_read_us` has 1
  --> --set flash.t_prog_us=[1, 2]
   = expected: lists of equal length, one number per page type
error: 0 % over-provisioning allows 524288 host pages per plane, but garbage collection needs at most 523263 of the plane's 524288 pages to hold data
  --> --set ftl.over_provisioning_pct=0
   = expected: one spare block and one spare page per plane of 512 blocks of 1024 pages, that is at least 0.2 %
error: a packet of 8 + 20000 bytes does not fit a port buffer of 16384 bytes
  --> --set fabric.nossd.max_payload_bytes=20000
   = expected: `port_buffer_bytes` of at least 20008, or smaller packets
error: pnSSD needs equal numbers of rows and columns, since each controller drives one row bus and one column bus (found 8 rows × 4 columns)
  --> --set fabric.name=pnssd
4 problems; nothing was run"
    );
}

#[test]
fn a_violated_constraint_of_a_fabric_is_reported_once_at_its_location() {
    let sets = ["fabric.name=nossd", "fabric.nossd.port_buffer_bytes=64"];
    let error = error_of_sets("venice-cost", &sets);
    let lines: Vec<&str> = error.lines().collect();
    assert!(lines[0].starts_with("error: NoSSD's port buffers of 64 bytes are too small"), "{error}");
    assert!(!lines[0].contains("expected"), "{error}");
    assert_eq!(lines[1], "  --> --set fabric.nossd.port_buffer_bytes=64");
    assert!(lines[2].starts_with("   = expected: `port_buffer_bytes` of at least "), "{error}");
    assert!(
        error.ends_with("1 problem in --set fabric.nossd.port_buffer_bytes=64; nothing was run"),
        "{error}"
    );
}

#[test]
fn a_drive_with_more_pages_than_numbers_is_refused_where_it_was_made_so() {
    assert_eq!(
        error_of_sets("venice-cost", &["array.rows=256", "array.cols=256"]),
        "\
error: the drive has 68719476736 pages, but physical page numbers allow at most 4294967295
  --> --set array.cols=256
   = expected: a smaller product of 256 rows x 256 chips x 1 dies x 2 planes x 512 blocks x 1024 pages
1 problem in --set array.cols=256; nothing was run"
    );
}

#[test]
fn a_map_on_flash_needs_an_entry_in_memory_and_room_in_every_plane() {
    let sets = [
        "ftl.mapping=cached",
        "ftl.mapping_table_bytes=8",
        "ftl.mapping_page_entry_bytes=512",
        "ftl.over_provisioning_pct=1",
    ];
    // A 16-KiB page has 32 entries of 512 bytes.
    assert_eq!(
        error_of_sets("venice-cost", &sets),
        "\
error: 1 % over-provisioning allows 519045 host pages and 16221 translation pages per plane, but garbage collection needs at most 523263 of the plane's 524288 pages to hold data
  --> --set ftl.over_provisioning_pct=1
   = expected: one spare block and one spare page per plane of 512 blocks of 1024 pages, that is at least 3.22 %
error: the mapping cache has 8 bytes, but one entry takes 9
  --> --set ftl.mapping_table_bytes=8
   = expected: at least 9 bytes
2 problems; nothing was run"
    );
    assert!(config::load("venice-cost", None, &["ftl.mapping=cached".to_owned()], None).is_ok());
}

#[test]
fn the_suggested_over_provisioning_is_enough_and_a_hundredth_less_is_not() {
    let at = |pct: &str| {
        let sets = [format!("ftl.over_provisioning_pct={pct}"), "flash.blocks_per_plane=300".to_owned()];
        config::load("venice-cost", None, &sets, None)
    };
    let error = at("0").unwrap_err().to_string();
    assert!(error.contains("that is at least 0.34 %"), "{error}");
    assert!(at("0.34").is_ok());
    assert!(at("0.33").is_err());
}

#[test]
fn collection_cannot_start_with_all_blocks_free() {
    let error =
        error_of_sets("venice-cost", &["flash.blocks_per_plane=40", "ftl.gc_start_free_blocks_min=40"]);
    assert!(
        error.starts_with(
            "\
error: the start threshold of garbage collection is 40 free blocks, but a plane has 40 blocks
  --> --set ftl.gc_start_free_blocks_min=40
   = expected: below 40
"
        ),
        "{error}"
    );
}

#[test]
fn problems_can_be_read_by_programs() {
    let error = error_of("extends = \"venice-cost\"\n[array]\nrwos = 4\n");
    let [problem] = error.problems() else { panic!("one problem") };
    assert_eq!(problem.message(), "unknown key `rwos`");
    assert_eq!((problem.document(), problem.line_and_column()), (Some("my_drive.toml"), Some((3, 1))));
}

#[test]
fn impossible_address_ranges_are_refused_with_a_valid_alternative() {
    let said = |sets: &[&str]| error_of_sets("venice-performance", sets);
    let starts = |sets: &[&str], message: &str| {
        let found = said(sets);
        assert!(found.starts_with(&format!("error: {message}")), "{found}");
    };
    assert_eq!(
        said(&["partition.count=2", "partition.channels=[[0, 1], [2, 8]]"]),
        "\
error: `partition.channels` contains channel 8, but the drive has 8
  --> --set partition.channels=[[0, 1], [2, 8]]
   = expected: numbers from 0 to 7
1 problem in --set partition.channels=[[0, 1], [2, 8]]; nothing was run"
    );
    starts(
        &["partition.count=3", "partition.ways=[[0], [1]]"],
        "`partition.ways` has lists for 2 address ranges, but `partition.count` is 3\n",
    );
    starts(
        &["partition.count=1", "partition.planes=[[1, 0, 1]]"],
        "`partition.planes` contains plane 1 twice for one range\n",
    );
    starts(&["partition.channels=[[]]"], "`partition.channels` is out of range\n");
    starts(&["partition.channels=[0]"], "`partition.channels` has a value of the wrong type\n");
    starts(
        &["cache.modes=[\"write\", \"off\"]"],
        "`cache.modes` has 2 modes, but there are 1 address ranges\n",
    );
    starts(&["cache.modes=[\"wirte\"]"], "unknown cache mode `wirte`\n");
    starts(
        &["cache.mechanism=simple", "cache.mode=read"],
        "the mechanism `simple` cannot be combined with a cache mode for reads: it buffers writes only\n",
    );
    starts(
        &[
            "partition.count=200",
            "flash.blocks_per_plane=4",
            "flash.pages_per_block=16",
            "ftl.over_provisioning_pct=60",
        ],
        "address range 0 has no page: too many ranges share its planes\n",
    );
    starts(
        &[
            "partition.count=4",
            "ftl.mapping=cached",
            "ftl.mapping_table_sharing=equal",
            "ftl.mapping_table_bytes=20",
        ],
        "the mapping cache has 20 bytes for 4 partitions, but one entry takes 9\n",
    );
}

#[test]
fn mapping_units_are_refused_where_they_are_not_defined() {
    // `venice-cost` has pages of 16 KiB and blocks of 1024 pages.
    let starts = |sets: &[&str], expected: &str| {
        let error = error_of_sets("venice-cost", sets);
        assert!(error.starts_with(&format!("error: {expected}")), "{error}");
    };
    for bytes in [512, 4096, 8192, 16_384, 32_768, 65_536] {
        let sets = [format!("ftl.mapping_unit_bytes={bytes}")];
        assert!(config::load("venice-cost", None, &sets, None).is_ok(), "{bytes}");
    }
    starts(
        &["ftl.mapping_unit_bytes=12288"],
        "a mapping unit of 12288 bytes neither divides a page of 16384 bytes",
    );
    let uneven = ["ftl.mapping_unit_bytes=65536", "flash.pages_per_block=30"];
    let error = error_of_sets("venice-cost", &uneven);
    assert!(error.contains("expected: `flash.pages_per_block`, a multiple of 4"), "{error}");
    let small = "ftl.mapping_unit_bytes=4096";
    for (set, name) in [
        ("ftl.gc_copyback=true", "copyback"),
        ("ftl.page_allocation=at_arrival", "page allocation before the start of the program"),
        ("ftl.gc_destination=least_busy_plane", "a destination of collection in other planes"),
        ("precondition.mode=mqsim", "`precondition.mode = \"mqsim\"`"),
    ] {
        starts(&[small, set], &format!("{name} cannot be combined with mapping units of 4096 bytes"));
    }
    let long = ["ftl.mapping_unit_bytes=65536", "cache.mode=write"];
    assert!(config::load("venice-cost", None, &long.map(str::to_owned), None).is_ok());
    let small = [&long[..], &["cache.capacity_bytes=65535"]].concat();
    starts(&small, "a cache of 65535 bytes is too small for a mapping unit of 65536 bytes");
}

#[test]
fn pages_that_are_programmed_together_are_those_of_whole_mapping_units() {
    let set = ["flash.program_pages=3", "ftl.mapping_unit_bytes=49152", "flash.pages_per_block=768"];
    assert!(config::load("venice-cost", None, &set.map(str::to_owned), None).is_ok());
    let small = ["flash.program_pages=3", "ftl.mapping_unit_bytes=4096", "flash.pages_per_block=768"];
    assert!(config::load("venice-cost", None, &small.map(str::to_owned), None).is_ok());
    let error = error_of_sets("venice-cost", &["flash.program_pages=3", "ftl.mapping_unit_bytes=65536"]);
    assert!(error.contains("expected: `ftl.mapping_unit_bytes`, a multiple of 49152"), "{error}");
    let error = error_of_sets("venice-cost", &["flash.program_pages=3"]);
    assert!(error.contains("expected: `flash.pages_per_block`, a multiple of 3"), "{error}");
    let error = error_of_sets("venice-cost", &["flash.program_pages=4", "ftl.page_allocation=at_arrival"]);
    assert!(error.contains("cannot be combined with programs of 4 pages"), "{error}");
    let types = ["flash.t_read_us=[40, 50, 60]", "flash.t_prog_us=[500, 900, 1500]"];
    let error = error_of_sets("venice-cost", &[set[0], set[1], set[2], types[0], types[1]]);
    assert!(error.contains("expected: one program time"), "{error}");
}

#[test]
fn lines_exclude_what_works_plane_by_plane() {
    let lines = ["ftl.placement=superblock", "ftl.allocation_mode=in_turn"];
    assert!(config::load("venice-cost", None, &lines.map(str::to_owned), None).is_ok());
    let refused = [
        "ftl.allocation_mode=dynamic",
        "ftl.page_allocation=at_arrival",
        "ftl.gc_copyback=true",
        "ftl.gc_destination=cold_apart",
        "ftl.gc_trigger=full_block",
        "ftl.write_frontiers=shared",
        "ftl.wear_measure=block_numbers",
        "ftl.unwritten_data=mapped_on_read",
        "precondition.mode=mqsim",
        "partition.count=2",
        "partition.channels=[[0]]",
        "fabric.faults.degraded_mode=true",
    ];
    for set in refused {
        let error = error_of_sets("venice-cost", &[lines[0], lines[1], set]);
        let key = set.split_once('=').expect("a key and a value").0;
        let expected = format!("error: `{key}` has a value that `ftl.placement = \"superblock\"` excludes");
        assert!(error.starts_with(&expected), "{error}");
    }
}

#[test]
fn lines_need_spare_ones_for_all_that_may_be_open() {
    let sets = |over_provisioning: &str| {
        let lines = ["ftl.placement=superblock", "ftl.allocation_mode=in_turn", "flash.blocks_per_plane=64"];
        let spare = format!("ftl.over_provisioning_pct={over_provisioning}");
        lines.into_iter().map(str::to_owned).chain([spare]).collect::<Vec<_>>()
    };
    // Four of 64 lines are open: one for the host, three for garbage collection.
    assert!(config::load("venice-cost", None, &sets("6.26"), None).is_ok());
    let error = config::load("venice-cost", None, &sets("6.25"), None).expect_err("data fills 60 lines");
    assert!(error.to_string().contains("data fills 60.0 of 64 lines, but 4 lines are open"), "{error}");
}

#[test]
fn caches_in_slc_mode_exclude_what_they_do_not_model() {
    let lines = ["ftl.placement=superblock", "ftl.allocation_mode=in_turn", "ftl.slc_dynamic_pct=50"];
    assert!(config::load("venice-cost", None, &lines.map(str::to_owned), None).is_ok());
    let refused: [(&[&str], &str); 4] = [
        (&["ftl.slc_dynamic_pct=50"], "a pSLC cache consists of lines"),
        (
            &[lines[0], lines[1], lines[2], "ftl.slc_when_full=wait", "ftl.write_streams=2"],
            "`ftl.slc_when_full",
        ),
        (&[lines[0], lines[1], lines[2], "flash.pages_per_block=2"], "a block in SLC mode has no page"),
        (&[lines[0], lines[1], lines[2], "ecc.decoders=4"], "read errors are not modelled"),
    ];
    for (sets, expected) in refused {
        let error = error_of_sets("venice-cost", sets);
        assert!(error.contains(expected), "{error}");
        assert_eq!(error.matches("error:").count(), 1, "{error}");
    }
}

#[test]
fn static_cache_is_taken_from_the_spare_lines() {
    let of = |over_provisioning: &str| {
        let lines = ["ftl.placement=superblock", "ftl.allocation_mode=in_turn", "flash.blocks_per_plane=100"];
        let spare = format!("ftl.over_provisioning_pct={over_provisioning}");
        let sets = lines.into_iter().map(str::to_owned).chain([spare, "ftl.slc_static_pct=10".to_owned()]);
        config::load("venice-cost", None, &sets.collect::<Vec<_>>(), None)
    };
    // Ten lines are in SLC mode; six are open or free.
    assert!(of("16.01").is_ok());
    let error = of("16").expect_err("data fills 84 lines").to_string();
    assert!(error.contains("data fills 84.0 of 90 lines, but 6 lines are open"), "{error}");
}

/// Returns the settings that each remark on a drive with these additional lines names.
fn idle_keys(text: &str) -> Vec<String> {
    let text = format!("extends = \"piq-128gb\"\n{text}");
    let remarks = config::load_text("mine.toml", &text, &[]).unwrap().remarks();
    remarks.iter().map(|remark| remark.split(" ha").next().unwrap().to_owned()).collect()
}

#[test]
fn a_page_register_is_not_slower_than_the_array() {
    let loads = |register: &str| {
        let sets = ["flash.t_read_us=[4, 3]", "flash.t_prog_us=[100, 100]", register].map(str::to_owned);
        config::load("venice-cost", None, &sets, None)
    };
    assert!(loads("flash.t_register_us=3").is_ok());
    let error = loads("flash.t_register_us=3.001").expect_err("slower than the second page type").to_string();
    assert!(error.contains("`t_register_us` = 3.001, but a page is sensed in 3 µs"), "{error}");
}

#[test]
fn settings_without_effect_are_named_unless_a_preset_chose_them() {
    for name in config::drive_names() {
        assert_eq!(config::load(name, None, &[], None).unwrap().remarks(), [""; 0], "{name}");
    }
    for (text, keys) in [
        ("cache.power_loss_protection = true", "`cache.power_loss_protection`"),
        ("cache = { mode = \"read\", power_loss_protection = true }", "`cache.power_loss_protection`"),
        ("ftl.page_fill_wait_us = 50", "`ftl.page_fill_wait_us`"),
        ("ftl = { page_fill_wait_us = 0, program_min_planes = 2 }", "`ftl.program_min_planes`"),
        ("host.core_variation_pct = 50", "`host.core_variation_pct`"),
        ("host.core_write_ns = 50", "`host.core_write_ns`"),
        ("host.core_dispatch_ns = 50", "`host.core_dispatch_ns`"),
        ("host = { cores = 1, core_request_ns = 500, core_dispatch_ns = 50 }", "`host.core_dispatch_ns`"),
        ("host = { cores = 1, core_slice_us = 3000 }", "`host.core_slice_us`"),
        ("host = { cores = 1, core_request_ns = 500, core_polling = true }", "`host.core_polling`"),
        ("host = { cores = 1, core_request_ns = 500, core_lock = true }", "`host.core_lock`"),
        (
            "host = { cores = 2, core_request_ns = 500, core_slice_us = 3000, core_per_queue = true }",
            "`host.core_per_queue`",
        ),
        ("ftl.mapping_table_bytes = 4096", "`ftl.mapping_table_bytes`"),
        ("ecc.pe_cycles = 9000", "`ecc.pe_cycles`"),
        ("ecc.retention_days = 365", "`ecc.retention_days`"),
        (
            "fabric = { name = \"venice\", venice = { retry = \"on_release\", back_off_ns = 500 } }",
            "`fabric.venice.back_off_ns`",
        ),
        (
            "fabric = { name = \"venice\", venice = { retry = \"at_once\", retry_delay_ns = 500 } }",
            "`fabric.venice.retry_delay_ns`",
        ),
        ("host.scheduler.units = 63", "`host.scheduler.units`"),
    ] {
        assert_eq!(idle_keys(text), [keys], "{text}");
    }
    for text in [
        "cache = { mode = \"write\", power_loss_protection = true }",
        "ftl = { mapping_unit_bytes = 512, page_fill_wait_us = 50 }",
        "ftl = { program_min_planes = 2, page_fill_wait_us = 50 }",
        "host = { cores = 1, core_request_ns = 500, core_variation_pct = 50, core_write_ns = 50 }",
        "host = { cores = 2, core_request_ns = 500, core_slice_us = 3000, core_polling = true, core_lock = true }",
        "host = { cores = 1, core_request_ns = 500, core_dispatch_ns = 50, scheduler.scheme = \"kyber\" }",
        "flash.program_pages = 4\nftl.page_fill_wait_us = 50",
        "ftl = { mapping = \"cached\", mapping_table_bytes = 4096 }",
        "ecc = { decoders = 1, pe_cycles = 9000, retention_days = 365 }",
        "fabric = { name = \"venice\", venice = { retry = \"back_off\", back_off_ns = 500 } }",
        "host.scheduler = { scheme = \"piq\", units = 63 }",
    ] {
        assert_eq!(idle_keys(text), [""; 0], "{text}");
    }
}

#[test]
fn idle_settings_of_paths_schedulers_and_gathers_are_named() {
    for (text, keys) in [
        ("fabric.hold_erases = true", "`fabric.hold_erases`"),
        ("fabric = { hold = \"operation\", hold_erases = true }", "`fabric.hold_erases`"),
        (
            "fabric = { name = \"nossd\", hold = \"request\", hold_erases = true }",
            "`fabric.hold`, `fabric.hold_erases`",
        ),
        (
            "fabric = { name = \"nossd\", nossd = { switching = \"circuits\", reply = \"x_then_y\", port_buffer_bytes = 32768 } }",
            "`fabric.nossd.reply`, `fabric.nossd.port_buffer_bytes`",
        ),
        ("host.scheduler = { scheme = \"noop\", level = \"plane\" }", "`host.scheduler.level`"),
        (
            "host.scheduler = { scheme = \"rws\", avoid_collecting = true }",
            "`host.scheduler.avoid_collecting`",
        ),
        (
            "host.scheduler = { scheme = \"sac\", avoid_collecting = true }",
            "`host.scheduler.avoid_collecting`",
        ),
        ("flash.t_read_us = 40\ngather.sensing = \"parabit\"", "`gather.sensing`"),
        (
            "flash = { t_read_us = [40, 50], t_prog_us = [500, 600] }\ngather.sensing = \"flash_cosmos\"",
            "`gather.sensing`",
        ),
        (
            "flash.t_read_us = 40\ngather = { sensing = \"flash_cosmos\", operation = \"xor\" }",
            "`gather.sensing`",
        ),
        (
            "flash = { t_read_us = [40, 50], t_prog_us = [500, 600] }\ngather.programming = \"enhanced_slc\"",
            "`gather.programming`",
        ),
        (
            "flash.t_read_us = 40\ngather = { max_wordlines = 8, max_blocks = 2, inverted_data = true }",
            "`gather.inverted_data`, `gather.max_wordlines`, `gather.max_blocks`",
        ),
        (
            "flash.t_read_us = 40\ngather = { sensing = \"flash_cosmos\", esp_program_factor = 3 }",
            "`gather.esp_program_factor`",
        ),
    ] {
        assert_eq!(idle_keys(text), [keys], "{text}");
    }
    for text in [
        "fabric = { hold = \"request\", hold_erases = true }",
        "fabric = { name = \"nossd\", hold = \"request\", hold_erases = true, nossd.switching = \"circuits\" }",
        "fabric = { name = \"nossd\", nossd = { switching = \"circuits\", controller = \"home\" } }",
        "fabric = { name = \"nossd\", nossd = { reply = \"x_then_y\", port_buffer_bytes = 32768 } }",
        "host.scheduler = { scheme = \"piq\", level = \"plane\", avoid_collecting = true }",
        "host.scheduler = { scheme = \"sac\", level = \"plane\" }",
        "flash = { t_read_us = [40, 50], t_prog_us = [500, 600] }\ngather.sensing = \"parabit\"",
        "flash.t_read_us = 40\ngather = { sensing = \"flash_cosmos\", programming = \"enhanced_slc\" }",
        "flash.t_read_us = 40\ngather = { sensing = \"flash_cosmos\", max_wordlines = 8, t_multi_sense_pct_per_block = 2 }",
        "flash.t_read_us = 40\ngather = { programming = \"enhanced_slc\", esp_program_factor = 3 }",
    ] {
        assert_eq!(idle_keys(text), [""; 0], "{text}");
    }
}

#[test]
fn settings_of_other_chip_functions_are_named() {
    for (text, keys) in [
        ("search = { function = \"count\", match_pct = 3 }", "`search.match_pct`"),
        ("search = { function = \"count\", patterns = 9, count_host_mb_per_s = 5 }", "`search.patterns`"),
        ("search = { dot_product_elements = 64, clock_mhz = 400 }", "`search.dot_product_elements`"),
        ("search = { function = \"top_k\", bitmap_record_bytes = 32 }", "`search.bitmap_record_bytes`"),
        ("search = { function = \"bitmap\", top_k_entries = 8 }", "`search.top_k_entries`"),
        (
            "search = { function = \"bitmap\", column_filter_selected_pct = 8 }",
            "`search.column_filter_selected_pct`",
        ),
        ("search = { clock_mhz = 400, register_pj = 0.5 }", "`search.clock_mhz`, `search.register_pj`"),
    ] {
        assert_eq!(idle_keys(text)[0], keys, "{text}");
    }
    for text in [
        "search = { match_pct = 3, patterns = 9 }",
        "search = { function = \"count\", clock_mhz = 400, count_host_mb_per_s = 5 }",
        "search = { function = \"top_k\", top_k_entries = 8, adder_pj = 0.3 }",
    ] {
        assert_eq!(idle_keys(text), [""; 0], "{text}");
    }
}

#[test]
fn settings_with_less_effect_than_expected_are_named() {
    let remarks = |text: &str| {
        config::load_text("mine.toml", &format!("extends = \"piq-128gb\"\n{text}"), &[]).unwrap().remarks()
    };
    let upkeep = "ftl = { read_reclaim_reads = 100, refresh_age_days = 1, scrub_pages_per_s = 10 }";
    let [remark] = remarks(upkeep).try_into().unwrap();
    for key in
        ["ftl.read_reclaim_reads", "ftl.refresh_age_days", "ftl.scrub_pages_per_s", "precondition.mode"]
    {
        assert!(remark.contains(&format!("`{key}`")), "{remark}");
    }
    assert_eq!(remarks(&format!("{upkeep}\nprecondition.mode = \"fill\"")), [""; 0]);
    // Eight channels of 1,000 MB/s transfer 488,281 pages of 16 KiB per second.
    let scrub = |rate: &str| {
        let channels = "fabric.channel_rate_mb_per_s = 1000\narray.rows = 8\nflash.page_bytes = 16384";
        remarks(&format!("precondition.mode = \"fill\"\n{channels}\nftl.scrub_pages_per_s = {rate}"))
    };
    assert_eq!(scrub("488281"), [""; 0]);
    assert!(scrub("488282")[0].starts_with("`ftl.scrub_pages_per_s` is not reached"));
    let cache = |read_ahead: u32, partitions: u32| {
        let sizes =
            format!("capacity_bytes = 65536, read_ahead_bytes = {read_ahead}, partitions = {partitions}");
        remarks(&format!("cache = {{ mode = \"read\", {sizes} }}"))
    };
    assert_eq!((cache(32_768, 1), cache(16_384, 2)), (Vec::new(), Vec::new()));
    for remark in [cache(65_536, 1), cache(32_768, 2)].concat() {
        assert!(remark.starts_with("`cache.read_ahead_bytes` causes reads of flash in vain"), "{remark}");
    }
    assert_eq!((cache(65_536, 1).len(), cache(32_768, 2).len()), (1, 1));
}

#[test]
fn settings_of_the_other_kind_of_search_or_read_are_named() {
    let load =
        |text: &str| config::load_text("mine.toml", &format!("extends = \"pif\"\n{text}"), &[]).unwrap();
    let wear = load("pif = { pe_cycles = 2000, retention_days = 365, t_match_us = 20 }");
    let [remark] = wear.remarks().try_into().unwrap();
    let expected = "`pif.pe_cycles`, `pif.retention_days` have no effect: only searches of files";
    assert!(remark.starts_with(expected), "{remark}");
    assert_eq!(wear.remarks_on_file_searches(), [""; 0]);
    let errors = load("ecc = { decoders = 1, pe_cycles = 2000 }");
    assert_eq!(errors.remarks(), [""; 0]);
    let [remark] = errors.remarks_on_file_searches().try_into().unwrap();
    let expected = "`ecc.decoders`, `ecc.pe_cycles` have no effect: errors in searches of files follow";
    assert!(remark.starts_with(expected), "{remark}");
    for (text, key) in [("search.match_pct = 3", "search.match_pct"), ("cache.mode = \"read\"", "cache.mode")]
    {
        let [remark] = load(text).remarks_on_file_searches().try_into().unwrap();
        assert!(remark.starts_with(&format!("`{key}` has no effect: ")), "{remark}");
    }
    for name in config::drive_names() {
        assert_eq!(
            config::load(name, None, &[], None).unwrap().remarks_on_file_searches(),
            [""; 0],
            "{name}"
        );
    }
}

#[test]
fn all_settings_that_need_units_of_a_page_are_reported() {
    let text = error_of_sets(
        "mqsim-default",
        &["ftl.mapping_unit_bytes=4096", "ftl.gc_copyback=true", "ftl.unwritten_data=mapped_on_read"],
    );
    for key in ["ftl.gc_copyback", "ftl.unwritten_data"] {
        assert!(text.contains(&format!("--> --set {key}=")), "{text}");
    }
}

#[test]
fn matcher_above_the_power_of_a_program_is_refused_for_searches_only() {
    let load = |sets: &[&str]| {
        let sets: Vec<_> = sets.iter().map(|&set| set.to_owned()).collect();
        config::load("pif", None, &sets, None).unwrap().check_searches()
    };
    assert!(load(&["pif.matcher_mw=2.4"]).is_ok());
    assert!(load(&["pif.matcher_mw=2.41", "search.location=\"pis\""]).is_ok());
    let refusal = load(&["pif.matcher_mw=2.41"]).unwrap_err().to_string();
    let expected = "computes `match` (2.41 mW) needs 180.01 mW, more than the 180 mW of a program\n  --> --set pif.matcher_mw=2.41";
    assert!(refusal.contains(expected), "{refusal}");
}

#[test]
fn chip_function_above_the_power_of_a_program_is_refused_and_one_below_it_is_not() {
    let sets = |lanes: u32, location: &str| {
        let lanes = format!("search.dot_product_lanes={lanes}");
        let location = format!("search.location=\"{location}\"");
        ["search.function=\"dot_product\"".to_owned(), location, lanes]
    };
    let load = |lanes, location| config::load("pif", None, &sets(lanes, location), None);
    assert!(load(12, "pif").is_ok() && load(13, "pis").is_ok() && load(13, "host").is_ok());
    let told = load(13, "pif").expect_err("13 lanes need too much power").to_string();
    let expected = "a chip that senses (160 mW), decodes (17.6 mW) and computes `dot_product` (2.45 mW) needs 180.05 mW, more \
                    than the 180 mW of a program";
    assert!(told.contains(expected) && told.contains("search.dot_product_lanes"), "{told}");
}

#[test]
fn columns_larger_than_their_record_are_refused() {
    let sets = |columns: u32, function: &str| {
        [
            format!("search.function=\"{function}\""),
            "search.column_filter_record_bytes=64".to_owned(),
            format!("search.column_filter_column_bytes={columns}"),
        ]
    };
    let load = |columns, function| config::load("pif", None, &sets(columns, function), None);
    assert!(load(64, "column_filter").is_ok() && load(65, "match").is_ok());
    let told = load(65, "column_filter").expect_err("65 of 64 bytes").to_string();
    assert!(told.contains("the returned columns have 65 bytes, but a record has 64\n  --> --set search.column_filter_column_bytes=65"), "{told}");
    assert!(told.contains("expected: `search.column_filter_column_bytes` of at most 64"), "{told}");
}

#[test]
fn factors_of_page_types_are_as_many_as_the_types() {
    let load = |drive: &str, sets: &[&str]| {
        let sets: Vec<_> = sets.iter().map(|&set| set.to_owned()).collect();
        config::load(drive, None, &sets, None).map(|_| ()).map_err(|error| error.to_string())
    };
    let (three, four) =
        ("flash.wear.page_type_factors=[1, 2, 3]", "flash.wear.page_type_factors=[1, 2, 3, 4]");
    let types = ["flash.t_read_us=[40, 60, 80]", "flash.t_prog_us=[100, 100, 100]"];
    let of_types = |factors| load("venice-cost", &[types[0], types[1], factors]);
    assert_eq!((of_types(three), of_types("flash.wear.page_type_factors=2")), (Ok(()), Ok(())));
    let told = of_types(four).unwrap_err();
    assert!(told.contains("`page_type_factors` has 4 page types, but `t_read_us` has 3"), "{told}");
    assert!(told.contains("expected: 3 numbers, one per page type, or a single number"), "{told}");
    // The read time does not state the cell type, but the pSLC cache does.
    assert_eq!(load("samsung-980-1tb", &[three]), Ok(()));
    let told = load("samsung-980-1tb", &[four]).unwrap_err();
    assert!(
        told.contains("`page_type_factors` has 4 page types, but `ftl.slc_bits_per_cell` is 3"),
        "{told}"
    );
    assert_eq!(load("venice-cost", &[four]), Ok(()), "the number of types is unknown");
}

#[test]
fn chip_function_above_the_free_area_is_refused() {
    let told = error_of_sets("pif", &["search.function=\"bitmap\"", "pif.free_mm2=0.78"]);
    let expected = "decoder (0.78 mm²) and unit of `bitmap` (0.001 mm²) do not fit into the 0.78 mm² under a chip's array";
    assert!(told.contains(expected), "{told}");
}
