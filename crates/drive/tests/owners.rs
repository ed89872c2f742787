//! Test that the components of the flash translation layer do not import each other.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::{Path, PathBuf};

const OWNERS: [&str; 5] = ["reads", "writes", "collector", "mapper", "loss"];

/// Returns the source files of a component: one file, or all files of a folder.
fn files_of(path: &Path) -> Vec<PathBuf> {
    if path.is_dir() {
        let entries = fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path());
        entries.flat_map(|entry| files_of(&entry)).collect()
    } else {
        vec![path.to_owned()]
    }
}

/// Returns the `use` declarations of a source file, without those of its unit tests.
fn imports(text: &str) -> Vec<&str> {
    let code = text.split("#[cfg(test)]").next().unwrap();
    let starts = code.match_indices("use ").map(|(at, _)| at).filter(|&at| {
        let before = code[..at].rsplit('\n').next().unwrap().trim_start();
        before.is_empty() || before.starts_with("pub")
    });
    starts.map(|at| code[at..].split(';').next().unwrap()).collect()
}

/// Returns the components named in an import. Contains `ftl` if the import is of a name that `ftl`
/// re-exports.
fn named(import: &str) -> impl Iterator<Item = &str> {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let words = import.split(move |c| !is_name(c)).filter(|word| OWNERS.contains(word));
    let inner = import.split("crate::ftl::").nth(1);
    let re_exported = inner.filter(|rest| rest.starts_with(|c: char| c == '{' || c.is_uppercase()));
    words.chain(re_exported.map(|_| "ftl"))
}

#[test]
fn ftl_owners_import_no_other_owner() {
    let ftl = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/ftl");
    for owner in OWNERS {
        let [file, folder] = [format!("{owner}.rs"), owner.to_owned()].map(|name| ftl.join(name));
        let files = files_of(if folder.is_dir() { &folder } else { &file });
        let mut found = 0;
        for path in files {
            let text = fs::read_to_string(&path).unwrap();
            for import in imports(&text) {
                found += 1;
                let other = named(import).find(|&name| name != owner);
                assert_eq!(other, None, "{}: `{import}`", path.display());
            }
        }
        assert!(found > 2, "{owner} has only {found} imports");
    }
}

#[test]
fn imports_of_other_owners_are_found() {
    let others = |text| imports(text).into_iter().flat_map(named).collect::<Vec<_>>();
    assert_eq!(others("use super::writes::PageWrite;\n"), ["writes"]);
    assert_eq!(others("use super::{\n    shared::Shared, loss::Loss,\n};\n"), ["loss"]);
    assert_eq!(others("use crate::ftl::{Finished, space::Space};\n"), ["ftl"]);
    assert_eq!(others("pub use crate::ftl::GcTrigger;\n"), ["ftl"]);
    assert!(
        others("use super::settings::FtlSettings;\n#[cfg(test)]\nuse super::writes::Writes;\n").is_empty()
    );
}
