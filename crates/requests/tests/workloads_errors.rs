//! Tests of error messages for invalid workloads.

use std::fs;

use tempfile::TempDir;
use venice_requests::workloads::{DescribedWorkload, load_workload};

const SOUND: &str = "description = \"a test\"
source = \"assumed\"
synthetic = true
requests = 10
read_pct = 50.0
closed_loop_depth = 4
size = { fixed_bytes = 4096 }

[address]
pattern = \"uniform\"
footprint = { drive_pct = 100.0 }
align_bytes = 4096
";

/// Error message for the valid definition with one part replaced, without the folder.
#[track_caller]
fn message(sound: &str, faulty: &str) -> String {
    assert!(SOUND.contains(sound), "nothing to replace");
    let dir = TempDir::new().expect("a folder");
    let path = dir.path().join("own.toml");
    fs::write(&path, SOUND.replace(sound, faulty)).expect("a file");
    let name = path.to_str().expect("a plain name").to_owned();
    let loaded = load_workload(&name);
    loaded.expect_err("the definition is faulty").to_string().replace(&name, "own.toml")
}

#[test]
fn an_unknown_name_offers_the_nearest() {
    assert_eq!(
        load_workload("random-raed").unwrap_err().to_string(),
        "`random-raed` is not a workload; did you mean `random-read`? `venice workloads` lists them; \
         a file of your own ends in .toml, a fio job file in .fio"
    );
    let far = load_workload("xyz").unwrap_err().to_string();
    assert!(far.starts_with("`xyz` is not a workload; `venice workloads` lists them"), "{far}");
}

#[test]
fn a_missing_file_is_named() {
    let text = load_workload("no/such.toml").unwrap_err().to_string();
    assert_eq!(text, "no/such.toml: the workload cannot be read: there is no such file; check the path");
}

#[test]
fn an_unknown_key_is_shown_in_its_place_with_the_keys_there_are() {
    let expected = "own.toml: at line 5, column 1
  |
5 | raed_pct = 50.0
  | ^^^^^^^^
unknown key `raed_pct`, expected one of `extends`, `name`, `description`, `source`, `synthetic`, `requests`, `read_pct`, `gather_pct`, `size`, \
                    `address`, `strata`, `read_after_write`, `start_us`, `stop_us`, `think_us`, `closed_loop_depth`, \
                    `open_loop`
did you mean `read_pct`?";
    assert_eq!(message("read_pct", "raed_pct"), expected);
}

#[test]
fn an_unknown_pattern_is_shown_with_those_there_are() {
    let expected = "own.toml: at line 10, column 11
   |
10 | pattern = \"unifrom\"
   |           ^^^^^^^^^
unknown choice `unifrom`, expected one of `uniform`, `sequential`, `permutation`, `zipf`, `hot_cold`, `pareto`, `normal`
did you mean `uniform`?";
    assert_eq!(message("\"uniform\"", "\"unifrom\""), expected);
}

#[test]
fn a_missing_key_is_named() {
    let text = message("requests = 10\n", "");
    assert!(text.contains("the key `requests` is missing; give it, or `extends` a workload"), "{text}");
}

#[test]
fn a_value_of_another_type_is_told_in_words_of_who_wrote_the_file() {
    for (sound, faulty, expected) in [
        ("requests = 10", "requests = -5", "`requests` is -5; it should be a whole number, 0 or more"),
        ("requests = 10", "requests = 1.5", "`requests` is 1.5; it should be a whole number, 0 or more"),
        ("requests = 10", "requests = 'x'", "`requests` is \"x\"; it should be a whole number, 0 or more"),
        ("read_pct = 50.0", "read_pct = true", "`read_pct` is true; it should be a number"),
        ("synthetic = true", "synthetic = 3", "`synthetic` is 3; it should be true or false"),
        (
            "pattern = \"uniform\"",
            "pattern = 'zipf'",
            "`pattern` is of another form; it should be \"uniform\", \"sequential\", \"permutation\", \
             or a table with one key: zipf, hot_cold, pareto or normal",
        ),
        (
            "closed_loop_depth = 4",
            "closed_loop_depth = 5000000000",
            "`closed_loop_depth` is 5000000000; it should be a whole number, from 0 to 4294967295",
        ),
    ] {
        let said = message(sound, faulty);
        assert!(said.starts_with("own.toml: at line "), "{said}");
        assert!(said.ends_with(&format!("\n{expected}")), "{said}");
    }
}

#[test]
fn a_choice_among_laws_is_shown_as_it_is_written() {
    let law = "`size` is of another form; it should be a table with one key: fixed_bytes, choices, normal or by_operation";
    let described = |text: &str| DescribedWorkload { label: "mine".to_owned(), text: text.to_owned() }.load();
    let said = |text: &str| described(&format!("extends = 'random-read'\n{text}")).unwrap_err().to_string();
    assert_eq!(said("size = 3"), format!("mine: {law}"));
    let two = said("size = { fixed_bytes = 512, choices = [] }");
    assert_eq!(two, format!("mine: {}", law.replace("is of another form; it ", "")));
    let inner = said("size = { choices = 3 }");
    assert_eq!(inner, "mine: `size` is 3; it should be a list in brackets");
    let part = said("[address]\nfootprint = { bits = 3 }");
    let expected = "mine: unknown choice `bits`, expected one of `bytes`, `at_most_bytes`, `drive_pct`\n\
                    in `address.footprint`";
    assert!(part.starts_with(expected), "{part}");
    assert_eq!(said("address = 3"), "mine: `address` is 3; it should be a table");
}

#[test]
fn a_text_that_is_not_toml_is_told_as_that() {
    assert!(message("requests = 10", "requests = = 10").starts_with("own.toml: TOML parse error at line "));
}

#[test]
fn a_value_out_of_range_is_shown_with_its_range() {
    let zipf = "{ zipf = { theta = 9.0 } }";
    let hot_cold = "{ hot_cold = { hot_access_pct = 80.0, hot_space_pct = 0.0 } }";
    let nested = "{ by_operation = { read = { fixed_bytes = 512 }, write = { by_operation = \
                  { read = { fixed_bytes = 512 }, write = { fixed_bytes = 512 } } } } }";
    let nested_message =
        "`size.by_operation` is by_operation; it should be fixed_bytes, choices or normal for each operation";
    let weightless = "{ choices = [ { bytes = 512, weight = 0 } ] }";
    for (sound, faulty, expected) in [
        (
            "synthetic = true",
            "synthetic = false",
            "`synthetic` is false; it should be true: requests from a definition always are",
        ),
        ("requests = 10", "requests = 0", "`requests` is 0; it should be from 1 to 10^12"),
        (
            "read_pct = 50.0",
            "read_pct = 50.0\ngather_pct = -1.0",
            "`gather_pct` is -1; it should be from 0 to 100",
        ),
        ("50.0", "101.0", "`read_pct` is 101; it should be from 0 to 100"),
        ("50.0", "nan", "`read_pct` is NaN; it should be from 0 to 100"),
        ("depth = 4", "depth = 0", "`closed_loop_depth` is 0; it should be from 1 to 65536"),
        (
            "{ fixed_bytes = 4096 }",
            "{ fixed_bytes = 1000 }",
            "`size.fixed_bytes` is 1000; it should be a multiple of 512, from 512 to 67108864 (64 MiB)",
        ),
        (
            "{ fixed_bytes = 4096 }",
            "{ choices = [] }",
            "`size.choices` is empty; it should be a list of at least one size",
        ),
        ("{ fixed_bytes = 4096 }", nested, nested_message),
        ("{ fixed_bytes = 4096 }", weightless, "`size.choices.weight` is 0; it should be from 1 to 1000000"),
        (
            "align_bytes = 4096",
            "align_bytes = 0",
            "`address.align_bytes` is 0; it should be a multiple of 512, from 512 to 67108864 (64 MiB)",
        ),
        (
            "drive_pct = 100.0",
            "drive_pct = 0.0",
            "`address.footprint.drive_pct` is 0; it should be above 0 and up to 100",
        ),
        (
            "drive_pct = 100.0",
            "bytes = 100",
            "`address.footprint.bytes` is 100; it should be a multiple of 512, at least 512",
        ),
        ("\"uniform\"", zipf, "`address.pattern.zipf.theta` is 9; it should be from 0.01 to 5"),
        (
            "\"uniform\"",
            hot_cold,
            "`address.pattern.hot_cold.hot_space_pct` is 0; it should be above 0 and below 100",
        ),
    ] {
        assert_eq!(message(sound, faulty), format!("own.toml: {expected}"));
    }
}

#[test]
fn a_workload_is_paced_by_exactly_one_of_two() {
    let open_loop = "open_loop = { mean_gap_us = 5.0, gaps = 'constant' }";
    let expected = "it should be given, or else the table `open_loop`, and not both";
    assert_eq!(
        message("closed_loop_depth = 4", &format!("closed_loop_depth = 4\n{open_loop}")),
        format!("own.toml: `closed_loop_depth` is given with `open_loop`; {expected}")
    );
    assert_eq!(
        message("closed_loop_depth = 4\n", ""),
        format!("own.toml: `closed_loop_depth` is missing; {expected}")
    );
}

#[test]
fn bursts_must_hold_requests() {
    let open_loop = |mean: &str, on: &str| {
        format!(
            "open_loop = {{ mean_gap_us = {mean}, gaps = 'constant', \
                 bursts = {{ on_us = {on}, off_us = 5.0, lengths = 'constant' }} }}"
        )
    };
    assert_eq!(
        message("closed_loop_depth = 4", &open_loop("100.0", "10.0")),
        "own.toml: `open_loop.bursts.on_us` is 10; it should be so long that on_us + off_us reach mean_gap_us"
    );
    assert_eq!(
        message("closed_loop_depth = 4", &open_loop("0.0", "10.0")),
        "own.toml: `open_loop.mean_gap_us` is 0; it should be from 0.001 to 1000000000 (1000 s)"
    );
}

#[test]
fn a_drive_too_small_is_told_from_a_footprint_too_small() {
    let spec = load_workload("sequential-read").unwrap();
    assert_eq!(
        spec.open(100, 1).err().expect("100 sectors are too few").to_string(),
        "sequential-read: a request of 256 sectors does not fit the footprint of 100; make `footprint` larger"
    );
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("own.toml");
    fs::write(&path, SOUND.replace("drive_pct = 100.0", "bytes = 1048576")).unwrap();
    let spec = load_workload(path.to_str().unwrap()).unwrap();
    assert_eq!(
        spec.open(2_000, 1).err().expect("the drive is too small").to_string(),
        "own: the footprint is 2048 sectors, but the drive has 2000; \
         make `footprint` smaller or give it in per cent of the drive"
    );
}
