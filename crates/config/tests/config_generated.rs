//! Tests that the schema and the reference page, which are generated from the parameter table, agree with the
//! loader.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on stops")]

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value as Json;
use venice_config::{self as config, parameters};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn validator() -> jsonschema::Validator {
    let schema = config::schema();
    assert!(jsonschema::meta::is_valid(&schema), "the schema is a schema");
    jsonschema::validator_for(&schema).unwrap()
}

fn toml_as_json(text: &str) -> Json {
    let table: toml::Table = text.parse().unwrap();
    serde_json::to_value(table).unwrap()
}

/// Returns all built-in drive and chip files as JSON.
fn presets() -> Vec<(String, Json)> {
    let folders = ["drives", "chips"].map(|folder| root().join("presets").join(folder));
    let entries = folders.iter().flat_map(|folder| fs::read_dir(folder).unwrap());
    let paths = entries.map(|entry| entry.unwrap().path());
    paths
        .map(|path| (path.display().to_string(), toml_as_json(&fs::read_to_string(&path).unwrap())))
        .collect()
}

#[test]
fn every_preset_satisfies_the_schema() {
    let (validator, presets) = (validator(), presets());
    assert!(presets.len() > config::drive_names().len(), "drives and chips were found");
    for (path, preset) in presets {
        let errors: Vec<String> = validator.iter_errors(&preset).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{path}: {errors:?}");
    }
}

#[test]
fn resolved_drives_satisfy_the_schema() {
    let validator = validator();
    assert!(!config::drive_names().is_empty());
    for name in config::drive_names() {
        let drive = config::load(name, None, &[], None).unwrap();
        assert!(validator.is_valid(&drive.to_json()), "{name} as JSON");
        assert!(validator.is_valid(&toml_as_json(&drive.to_toml())), "{name} as TOML");
    }
}

#[test]
fn the_schema_and_the_loader_refuse_the_same_mistakes() {
    let validator = validator();
    for wrong in [
        "[array]\nrwos = 8\n",
        "[array]\nrows = 0\n",
        "[array]\nrows = \"8\"\n",
        "[array]\nrows = { value = 8, sauce = \"x\" }\n",
        "[array]\nrows = { source = \"x\" }\n",
        "[flash]\npage_bytes = 5000\n",
        "[flash]\nt_read_us = []\n",
        "[flash]\nt_read_us = [1, 2, 3, 4, 5]\n",
        "[fabric]\nname = \"crossbar\"\n",
        "[host]\nlink_rate_mb_per_s = \"unlimted\"\n",
        "[fabirc]\nname = \"bus\"\n",
    ] {
        assert!(!validator.is_valid(&toml_as_json(wrong)), "the schema accepts {wrong}");
        let text = format!("extends = \"venice-cost\"\n{wrong}");
        assert!(config::load_text("wrong.toml", &text, &[]).is_err(), "the loader accepts {wrong}");
    }
}

#[test]
fn the_reference_page_lists_every_parameter_once() {
    let page = config::reference_page();
    let rows = page.lines().filter(|line| line.starts_with("| `")).count();
    assert_eq!(rows, parameters().count());
    assert!(rows > 0);
}
