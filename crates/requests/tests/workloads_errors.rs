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

/// Returns the error message for a definition without a file.
#[track_caller]
fn message_of(text: &str) -> String {
    let described = DescribedWorkload { label: "mine".to_owned(), text: text.to_owned() };
    described.load().expect_err("it is faulty").to_string()
}

/// Returns the error message for a valid definition in which one part is replaced, without the folder.
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
        "unknown workload `random-raed`\n   = did you mean `random-read`?\n   = expected: a built-in workload (see `venice workloads`), \
         a workload file (.toml), or a fio job file (.fio)"
    );
    let far = load_workload("xyz").unwrap_err().to_string();
    assert!(far.starts_with("unknown workload `xyz`\n   = expected: a built-in workload"), "{far}");
}

#[test]
fn a_missing_file_is_named() {
    let text = load_workload("no/such.toml").unwrap_err().to_string();
    assert_eq!(
        text,
        "cannot read the workload: no such file\n  --> no/such.toml\n   = expected: an existing file; check the path"
    );
}

/// Headline and hint of a message about one line: `message; hint`.
#[track_caller]
fn in_short(text: &str) -> String {
    let (headline, rest) = text.split_once('\n').expect("a location");
    let underlined = rest.lines().find(|line| line.contains("| ") && line.contains('^'));
    let hint = match underlined {
        Some(line) => line.trim_start_matches(['|', '^', ' ']),
        None => rest.split_once("   = ").expect("a hint").1,
    };
    format!("{headline}; {hint}")
}

#[test]
fn an_unknown_key_is_shown_in_its_place_with_the_nearest_key() {
    let expected = "unknown key `raed_pct`
  --> own.toml:5:1
   |
 5 | raed_pct = 50.0
   | ^^^^^^^^ did you mean `read_pct`?";
    assert!(message("read_pct = 50.0", "raed_pct = 50.0\nread_pct = 50.0").starts_with(expected));
}

#[test]
fn all_problems_are_reported_each_with_its_line() {
    let faulty = "raed_pct = 50.0\nread_pct = true\nqueue = [\n 1,\n]";
    let text = message("read_pct = 50.0", faulty);
    let places: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("  --> ")).collect();
    assert_eq!(places, ["own.toml:5:1", "own.toml:6:12", "own.toml:7:1"], "{text}");
    let values = message("requests = 10\nread_pct = 50.0", "requests = 0\nread_pct = 101.0\nstrata = 1");
    let places: Vec<&str> = values.lines().filter_map(|line| line.strip_prefix("  --> ")).collect();
    assert_eq!(places, ["own.toml:4:12", "own.toml:5:12", "own.toml:6:10"], "{values}");
    assert!(values.ends_with("\n3 problems in own.toml; nothing was run"), "{values}");
}

#[test]
fn an_unknown_pattern_is_shown_with_the_nearest_one() {
    let expected = "unknown value `unifrom`
  --> own.toml:10:11
   |
10 | pattern = \"unifrom\"
   |           ^^^^^^^^^ did you mean `uniform`?";
    assert_eq!(message("\"uniform\"", "\"unifrom\""), expected);
}

#[test]
fn a_missing_key_is_named() {
    let text = message("requests = 10\n", "");
    assert!(
        text.starts_with(
            "the key `requests` is missing\n  --> own.toml\n   = expected: this key, or `extends`"
        ),
        "{text}"
    );
}

#[test]
fn all_missing_keys_are_named_at_once() {
    let tables = "[address]\npattern = 'uniform'\n[open_loop]\nmean_gap_us = 1";
    assert_eq!(
        message_of(&format!("description = 'd'\nread_pct = 5\n{tables}")),
        "the keys `source`, `synthetic`, `requests`, `size`, `address.footprint`, `address.align_bytes`, \
         `open_loop.gaps` are missing\n  --> mine\n   = expected: these keys, or `extends` with a workload that \
         has them"
    );
    let unpaced = message_of("description = 'd'");
    assert!(unpaced.contains("`address`, `closed_loop_depth` or `open_loop` are missing"), "{unpaced}");
    let mix = message_of("description = 'd'\nflows = ['hm_0', 'hm_0']");
    assert!(mix.starts_with("the keys `source`, `synthetic`, `requests` are missing"), "{mix}");
}

#[test]
fn a_wrong_type_is_reported_in_terms_of_toml() {
    for (sound, faulty, expected) in [
        ("requests = 10", "requests = -5", "`requests` is -5; expected: a whole number, 0 or more"),
        ("requests = 10", "requests = 1.5", "`requests` is 1.5; expected: a whole number, 0 or more"),
        ("requests = 10", "requests = 'x'", "`requests` is \"x\"; expected: a whole number, 0 or more"),
        ("read_pct = 50.0", "read_pct = true", "`read_pct` is true; expected: a number"),
        ("synthetic = true", "synthetic = 3", "`synthetic` is 3; expected: true or false"),
        (
            "pattern = \"uniform\"",
            "pattern = 'zipf'",
            "`pattern` is of another form; expected: \"uniform\", \"sequential\", \"permutation\", \
             or a table with one key: zipf, hot_cold, pareto or normal",
        ),
        (
            "closed_loop_depth = 4",
            "closed_loop_depth = 5000000000",
            "`closed_loop_depth` is 5000000000; expected: a whole number, from 0 to 4294967295",
        ),
    ] {
        let said = message(sound, faulty);
        assert!(said.contains("\n  --> own.toml:"), "{said}");
        assert_eq!(in_short(&said), expected);
    }
}

#[test]
fn a_choice_among_laws_is_shown_as_it_is_written() {
    let law = "`size` is of another form; expected: a table with one key: fixed_bytes, choices, normal or by_operation";
    let described = |text: &str| DescribedWorkload { label: "mine".to_owned(), text: text.to_owned() }.load();
    let said = |text: &str| described(&format!("extends = 'random-read'\n{text}")).unwrap_err().to_string();
    assert_eq!(in_short(&said("size = 3")), law);
    let two = said("size = { fixed_bytes = 512, choices = [] }");
    assert_eq!(in_short(&two), law.replace("`size` is of another form", "invalid `size`"));
    let inner = said("size = { choices = 3 }");
    assert_eq!(in_short(&inner), "`size` is 3; expected: a list in brackets");
    let part = said("[address]\nfootprint = { bits = 3 }");
    assert!(part.starts_with("unknown value `bits` in `address.footprint`\n  --> mine\n   = "), "{part}");
    assert_eq!(in_short(&said("address = 3")), "`address` is 3; expected: a table");
}

#[test]
fn invalid_toml_is_reported_as_invalid_toml() {
    let text = message("requests = 10", "requests = = 10");
    assert!(text.starts_with("invalid TOML\n  --> own.toml:4:12\n"), "{text}");
}

#[test]
fn a_value_out_of_range_is_shown_with_its_range() {
    let zipf = "{ zipf = { theta = 9.0 } }";
    let hot_cold = "{ hot_cold = { hot_access_pct = 80.0, hot_space_pct = 0.0 } }";
    let nested = "{ by_operation = { read = { fixed_bytes = 512 }, write = { by_operation = \
                  { read = { fixed_bytes = 512 }, write = { fixed_bytes = 512 } } } } }";
    let nested_message =
        "`size.by_operation` is by_operation; expected: fixed_bytes, choices or normal for each operation";
    let weightless = "{ choices = [ { bytes = 512, weight = 0 } ] }";
    for (sound, faulty, expected) in [
        (
            "synthetic = true",
            "synthetic = false",
            "`synthetic` is false; expected: true: requests from a definition always are",
        ),
        ("requests = 10", "requests = 0", "`requests` is 0; expected: from 1 to 10^12"),
        (
            "read_pct = 50.0",
            "read_pct = 50.0\ngather_pct = -1.0",
            "`gather_pct` is -1; expected: from 0 to 100",
        ),
        ("50.0", "101.0", "`read_pct` is 101; expected: from 0 to 100"),
        ("50.0", "nan", "`read_pct` is NaN; expected: from 0 to 100"),
        ("depth = 4", "depth = 0", "`closed_loop_depth` is 0; expected: from 1 to 65536"),
        (
            "{ fixed_bytes = 4096 }",
            "{ fixed_bytes = 1000 }",
            "`size.fixed_bytes` is 1000; expected: a multiple of 512, from 512 to 67108864 (64 MiB)",
        ),
        (
            "{ fixed_bytes = 4096 }",
            "{ choices = [] }",
            "`size.choices` is empty; expected: a list of at least one size",
        ),
        ("{ fixed_bytes = 4096 }", nested, nested_message),
        ("{ fixed_bytes = 4096 }", weightless, "`size.choices.weight` is 0; expected: from 1 to 1000000"),
        (
            "align_bytes = 4096",
            "align_bytes = 0",
            "`address.align_bytes` is 0; expected: a multiple of 512, from 512 to 67108864 (64 MiB)",
        ),
        (
            "drive_pct = 100.0",
            "drive_pct = 0.0",
            "`address.footprint.drive_pct` is 0; expected: above 0 and up to 100",
        ),
        (
            "drive_pct = 100.0",
            "bytes = 100",
            "`address.footprint.bytes` is 100; expected: a multiple of 512, at least 512",
        ),
        ("\"uniform\"", zipf, "`address.pattern.zipf.theta` is 9; expected: from 0.01 to 5"),
        (
            "\"uniform\"",
            hot_cold,
            "`address.pattern.hot_cold.hot_space_pct` is 0; expected: above 0 and below 100",
        ),
    ] {
        assert_eq!(in_short(&message(sound, faulty)), expected);
    }
}

#[test]
fn a_workload_is_paced_by_exactly_one_of_two() {
    let open_loop = "open_loop = { mean_gap_us = 5.0, gaps = 'constant' }";
    let expected = "expected: a value, unless the table `open_loop` exists; not both";
    assert_eq!(
        in_short(&message("closed_loop_depth = 4", &format!("closed_loop_depth = 4\n{open_loop}"))),
        format!("`closed_loop_depth` is given with `open_loop`; {expected}")
    );
    assert_eq!(
        in_short(&message("closed_loop_depth = 4\n", "")),
        format!("`closed_loop_depth` is missing; {expected}")
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
        in_short(&message("closed_loop_depth = 4", &open_loop("100.0", "10.0"))),
        "`open_loop.bursts.on_us` is 10; expected: at least mean_gap_us - off_us"
    );
    assert_eq!(
        in_short(&message("closed_loop_depth = 4", &open_loop("0.0", "10.0"))),
        "`open_loop.mean_gap_us` is 0; expected: from 0.001 to 1000000000 (1000 s)"
    );
}

#[test]
fn too_small_drives_and_too_small_footprints_have_different_errors() {
    let spec = load_workload("sequential-read").unwrap();
    assert_eq!(
        spec.open(100, 1).err().expect("100 sectors are too few").to_string(),
        "a request of 256 sectors does not fit the footprint of 100\n  --> sequential-read\n   = expected: a larger `footprint`"
    );
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("own.toml");
    fs::write(&path, SOUND.replace("drive_pct = 100.0", "bytes = 1048576")).unwrap();
    let spec = load_workload(path.to_str().unwrap()).unwrap();
    assert_eq!(
        spec.open(2_000, 1).err().expect("the drive is too small").to_string(),
        "the footprint is 2048 sectors, but the drive has 2000\n  --> own\n   = expected: a smaller `footprint`, or a percentage \
         of the drive (`drive_pct`)"
    );
}
