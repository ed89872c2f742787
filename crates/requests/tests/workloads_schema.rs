//! Tests of the schema of workload files: it accepts exactly the files that the reader accepts.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on stops")]

use std::fs;
use std::path::Path;

use serde_json::{Value as Json, json};
use venice_requests::workloads::{parse_workload, schema};

/// Definition with all keys of a workload of one flow; `{law}` is replaced.
const FULL: &str = r#"
name = "full"
description = "a test"
source = "assumed"
synthetic = true
requests = 10
read_pct = 50.0
gather_pct = 0.0
strata = 10
start_us = 0.0
stop_us = 1e12
size = { by_operation = { read = { normal = { mean_bytes = 1024, deviation_bytes = 512 } }, write = { choices = [{ bytes = 512, weight = 1 }] } } }
read_after_write = { pct = 20.0, within_writes = 64 }
[address]
pattern = { zipf = { theta = 0.9 } }
footprint = { drive_pct = 100.0 }
align_bytes = 4096
align_offset_bytes = 512
run_requests = 1.0
runs_by_operation = false
[open_loop]
mean_gap_us = 1.0
most_outstanding = 64
gaps = { hyperexponential = { long_pct = 20.0, short_mean_pct = 5.0 } }
bursts = { on_us = 500.0, off_us = 1e9, lengths = "constant" }
"#;

fn root() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn full() -> Json {
    serde_json::to_value(FULL.parse::<toml::Table>().unwrap()).unwrap()
}

fn is_taken(definition: &Json) -> bool {
    parse_workload(&toml::to_string(definition).unwrap(), "full").is_ok()
}

/// Collects every number of a definition, as JSON pointers.
fn numbers(part: &Json, path: &str, found: &mut Vec<String>) {
    match part {
        Json::Object(fields) => {
            fields.iter().for_each(|(key, inner)| numbers(inner, &format!("{path}/{key}"), found));
        }
        Json::Array(parts) => {
            parts
                .iter()
                .enumerate()
                .for_each(|(place, inner)| numbers(inner, &format!("{path}/{place}"), found));
        }
        Json::Number(_) => found.push(path.to_owned()),
        _ => {}
    }
}

#[test]
fn shipped_workloads_satisfy_the_schema() {
    let validator = jsonschema::validator_for(&schema(&["mqsim-ascii"])).unwrap();
    for file in fs::read_dir(root().join("presets/workloads")).unwrap() {
        let path = file.unwrap().path();
        let table: toml::Table = fs::read_to_string(&path).unwrap().parse().unwrap();
        assert!(validator.is_valid(&serde_json::to_value(table).unwrap()), "{}", path.display());
    }
    assert!(validator.is_valid(&json!({ "extends": "random-read", "requests": 10 })));
    assert!(!validator.is_valid(&json!({ "requests": 10 })));
    assert!(!validator.is_valid(&json!({ "extends": "random-read", "reqests": 10 })));
}

#[test]
fn the_schema_allows_a_number_exactly_if_the_reader_takes_it() {
    let validator = jsonschema::validator_for(&schema(&["mqsim-ascii"])).unwrap();
    let mut paths = Vec::new();
    numbers(&full(), "", &mut paths);
    assert_eq!(paths.len(), 23, "{paths:?}");
    let values = [
        -1.0_f64, 0.0, 0.001, 0.01, 0.5, 1.0, 2.0, 5.0, 5.5, 99.0, 100.0, 101.0, 512.0, 513.0, 65_536.0,
        65_537.0,
    ]
    .into_iter()
    .chain([1e6, 1e6 + 1.0, 67_108_864.0, 67_109_376.0, 1e9, 1.1e9, 1e12, 1e12 + 512.0]);
    let mut refused = 0;
    for (path, value) in paths.iter().flat_map(|path| values.clone().map(move |value| (path, value))) {
        let mut changed = full();
        let place = changed.pointer_mut(path).unwrap();
        let is_whole = place.is_u64();
        *place = if is_whole && value.fract() == 0.0 { json!(value as i64) } else { json!(value) };
        // Conditions on two values at once, which the schema cannot express.
        let on_two = (path == "/stop_us" && value == 0.0)
            || (path == "/start_us" && value >= 1e12)
            || (path == "/address/align_bytes" && value <= 512.0)
            || (path == "/address/align_offset_bytes" && value >= 4096.0);
        refused += usize::from(!is_taken(&changed));
        assert_eq!(validator.is_valid(&changed) && !on_two, is_taken(&changed), "{path} = {value}");
    }
    assert!(refused > 100, "{refused}");
}

#[test]
fn every_key_of_the_schema_has_a_description_and_every_number_a_unit() {
    let schema = schema(&["mqsim-ascii"]);
    let mut keys = 0;
    for (name, part) in schema["$defs"].as_object().unwrap() {
        for (key, value) in part["properties"].as_object().into_iter().flatten() {
            assert!(value["description"].is_string(), "{name}.{key} has no text");
            let is_number = value["type"] == "integer" || value["type"] == "number";
            assert_eq!(is_number, value["unit"].is_string(), "{name}.{key}");
            keys += 1;
        }
    }
    assert!(keys > 50, "{keys}");
}
