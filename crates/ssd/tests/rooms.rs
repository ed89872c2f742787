//! Permitted imports between modules: data flow in one direction, and so do imports.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::house::{House, Module};
use petgraph::algo::tarjan_scc;
use petgraph::graphmap::DiGraphMap;

/// Modules with the modules that each may import. A module that is not listed is an error.
const MAY_IMPORT: &[(&str, &[&str])] = &[
    ("observe", &[]),
    ("controller", &["observe"]),
    ("ftl", &["observe", "controller"]),
    ("cache", &["observe", "ftl"]),
    ("device", &["controller", "observe", "ftl", "cache"]),
    ("power", &["observe"]),
    ("perfetto", &["observe"]),
    ("pif", &["observe", "power"]),
    ("report", &["observe", "ftl", "cache", "device", "power"]),
    ("state", &[]),
    ("assembly", &["*"]),
    ("testkit", &["*"]),
    ("lib", &["*"]),
];

/// Maximum number of inherent methods of a type.
const MOST_METHODS: usize = 25;

/// Modules whose types may have more methods: the fabric interface cannot be divided, and assembly depends on
/// all modules.
const LARGE_TYPES: &[&str] = &["fabric", "assembly", "testkit"];

/// Owners in the flash translation layer: each is tested without the others.
const FTL_OWNERS: [&str; 5] = ["reads", "writes", "collector", "mapper", "loss"];

/// Returns the top-level module of the drive's crate that contains a module.
fn room_of(module: &Module) -> Option<&str> {
    (module[0] == "venice_ssd").then(|| module.get(1).map_or("lib", String::as_str))
}

/// True if a file is the `mod.rs` of the folder of the other, or the catalogue of its members: such a file
/// re-exports names.
fn is_face_of(file: &Module, other: &Module) -> bool {
    let folder = match file.split_last() {
        Some((name, folder)) if name == "catalogue" => folder,
        _ => file,
    };
    other.len() > folder.len() && other.starts_with(folder)
}

/// Returns the import cycles between files. Names that a `mod.rs` or a catalogue takes from members do not
/// count.
fn circles(house: &House, with_faces: bool) -> Vec<Vec<&Module>> {
    let modules: Vec<_> = house.sources().keys().collect();
    let number = |module: &Module| modules.binary_search(&module).unwrap();
    let mut takes: DiGraphMap<usize, ()> = DiGraphMap::new();
    for module in &modules {
        let taken = house.taken_by(module).into_iter();
        for taken in taken.filter(|taken| with_faces || !is_face_of(module, taken)) {
            takes.add_edge(number(module), number(&taken), ());
        }
    }
    let parts = tarjan_scc(&takes).into_iter().filter(|part| part.len() > 1);
    parts.map(|part| part.into_iter().map(|number| modules[number]).collect()).collect()
}

/// Returns the top-level module of any crate: `venice_ssd::ftl`, or the crate root.
fn room_of_any(module: &Module) -> String {
    // The contract of fabrics is in the root of its crate, and its members import it.
    let depth = if module[0] == "venice_fabric" { 1 } else { 2 };
    module[..module.len().min(depth)].join("::")
}

fn told(circle: &[&Module]) -> String {
    let mut files: Vec<_> = circle.iter().map(|module| module.join("::")).collect();
    files.sort();
    format!("{} files: {}", files.len(), files.join(", "))
}

#[test]
fn rooms_import_only_what_lies_before_them() {
    let house = House::read();
    assert!(house.sources().len() > 350, "only {} files found", house.sources().len());
    let mut wrong = Vec::new();
    for module in house.sources().keys() {
        let Some(room) = room_of(module) else { continue };
        let Some((_, allowed)) = MAY_IMPORT.iter().find(|(name, _)| *name == room) else {
            panic!("{module:?} is in no listed room");
        };
        for taken in house.taken_by(module) {
            let Some(import) = room_of(&taken) else { continue };
            if import != room && !allowed.contains(&import) && !allowed.contains(&"*") {
                wrong.push(format!("{} takes from {}", module.join("::"), taken.join("::")));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn ftl_owners_import_no_other_owner() {
    let owner_of = |module: &Module| {
        let is_in_ftl = module.len() > 2 && module[..2] == ["venice_ssd", "ftl"];
        FTL_OWNERS.into_iter().find(|owner| is_in_ftl && *owner == module[2])
    };
    let house = House::read();
    let owned: Vec<_> = house.sources().keys().filter(|module| owner_of(module).is_some()).collect();
    let found: BTreeSet<_> = owned.iter().filter_map(|module| owner_of(module)).collect();
    assert_eq!(found.len(), FTL_OWNERS.len(), "found {found:?}");
    for module in owned {
        for taken in house.taken_by(module) {
            let other = owner_of(&taken).filter(|&owner| Some(owner) != owner_of(module));
            assert_eq!(other, None, "{} imports from {}", module.join("::"), taken.join("::"));
        }
    }
}

#[test]
fn no_circle_of_files_goes_through_two_rooms() {
    let house = House::read();
    let circles = circles(&house, true);
    assert!(!circles.is_empty(), "contracts and their members name each other: they should be found");
    let wide =
        circles.iter().filter(|circle| circle.iter().any(|file| room_of_any(file) != room_of_any(circle[0])));
    let told: Vec<_> = wide.map(|circle| told(circle)).collect();
    assert!(told.is_empty(), "{}", told.join("\n"));
}

#[test]
fn files_take_names_from_each_other_in_no_circle() {
    let house = House::read();
    let told: Vec<_> = circles(&house, false).iter().map(|circle| told(circle)).collect();
    assert!(told.is_empty(), "{}", told.join("\n"));
}

#[test]
fn no_type_has_more_methods_than_one_can_keep_in_mind() {
    let methods = House::read().methods();
    assert!(methods.len() > 300, "only {} types found", methods.len());
    let may_be_large = |home: &Module| {
        home[0] == "venice_fabric" || room_of(home).is_some_and(|room| LARGE_TYPES.contains(&room))
    };
    let large: Vec<_> = methods
        .iter()
        .filter(|(home, _)| !may_be_large(home))
        .filter(|&(_, &count)| count > MOST_METHODS)
        .map(|(home, count)| format!("{} has {count}", home.join("::")))
        .collect();
    assert!(large.is_empty(), "more than {MOST_METHODS} methods: {}", large.join(", "));
}

#[test]
fn the_event_loop_knows_no_storage_word() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../kernel/src");
    let entries = fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path());
    let files: Vec<_> = entries.filter(|path| path.is_file()).collect();
    assert!(!files.is_empty());
    for file in files {
        let text = fs::read_to_string(&file).unwrap().to_lowercase();
        for word in ["flash chip", "ftl", "nand", "ssd", "lpn", "die "] {
            assert!(!text.contains(word), "{} says `{word}`", file.display());
        }
    }
}

/// Returns the files and folders beside a `main.rs` of tests that `main.rs` does not list.
fn without_a_line(tests: &Path) -> Vec<String> {
    let main = fs::read_to_string(tests.join("main.rs")).unwrap();
    let entries = fs::read_dir(tests).unwrap().map(|entry| entry.unwrap().path());
    let stems = entries.map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned());
    stems.filter(|stem| stem != "main" && !main.contains(&format!("\nmod {stem};\n"))).collect()
}

#[test]
fn every_file_of_tests_is_part_of_its_crates_program() {
    for crate_name in ["config", "fabric", "ssd", "requests", "pif"] {
        let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(crate_name).join("tests");
        assert!(fs::read_dir(&tests).unwrap().count() > 4, "{} is nearly empty", tests.display());
        let missing = without_a_line(&tests);
        assert!(missing.is_empty(), "{}/main.rs has no line for {missing:?}", tests.display());
    }
}
