//! Which rooms may know which: data flows one way, and so do imports.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::{Path, PathBuf};

/// Each room and the rooms that it may import. A room that is not listed is an error.
const MAY_IMPORT: &[(&str, &[&str])] = &[
    ("geometry", &[]),
    ("accounting", &[]),
    ("flash", &["geometry"]),
    ("fabric", &["geometry"]),
    ("input", &[]),
    ("parameters", &["suggest"]),
    ("host", &["geometry", "accounting", "input", "parameters"]),
    ("observe", &["geometry", "accounting", "fabric", "host"]),
    ("ftl", &["geometry", "accounting", "flash", "observe", "parameters"]),
    ("cache", &["geometry", "ftl"]),
    ("registry", &["fabric", "geometry"]),
    (
        "config",
        &[
            "geometry",
            "flash",
            "fabric",
            "ftl",
            "cache",
            "input",
            "host",
            "power",
            "pif",
            "registry",
            "assembly",
            "suggest",
            "parameters",
        ],
    ),
    ("device", &["geometry", "accounting", "flash", "fabric", "host", "observe", "ftl", "cache", "registry"]),
    ("power", &["geometry", "fabric", "observe"]),
    ("pif", &["geometry", "fabric", "observe", "power", "registry"]),
    (
        "report",
        &["geometry", "accounting", "fabric", "host", "observe", "cache", "device", "power", "suggest"],
    ),
    ("state", &[]),
    ("suggest", &[]),
    ("assembly", &["*"]),
    ("testkit", &["*"]),
    ("lib", &["*"]),
];

fn source_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(source_files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files
}

fn room_of(path: &Path, root: &Path) -> String {
    let first = path.strip_prefix(root).unwrap().components().next().unwrap();
    first.as_os_str().to_str().unwrap().trim_end_matches(".rs").to_owned()
}

/// The rooms that a file names as `crate::room`, outside comments and tests.
fn imports(text: &str) -> Vec<String> {
    let code = text.split("#[cfg(test)]").next().unwrap_or_default();
    let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
    lines
        .flat_map(|line| line.split("crate::").skip(1))
        .map(|rest| rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect())
        .collect()
}

#[test]
fn rooms_import_only_what_lies_before_them() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let files = source_files(&root);
    assert!(files.len() > 30, "only {} files found below {}", files.len(), root.display());
    let mut wrong = Vec::new();
    for file in files {
        let room = room_of(&file, &root);
        let Some((_, allowed)) = MAY_IMPORT.iter().find(|(name, _)| *name == room) else {
            panic!("{} is in no listed room", file.display());
        };
        for import in imports(&fs::read_to_string(&file).unwrap()) {
            if import != room && !allowed.contains(&import.as_str()) && !allowed.contains(&"*") {
                wrong.push(format!("{} imports {import}", file.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_event_loop_knows_no_storage_word() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../kernel/src");
    let files = source_files(&root);
    assert!(!files.is_empty());
    for file in files {
        let text = fs::read_to_string(&file).unwrap().to_lowercase();
        for word in ["flash chip", "ftl", "nand", "ssd", "lpn", "die "] {
            assert!(!text.contains(word), "{} says `{word}`", file.display());
        }
    }
}
