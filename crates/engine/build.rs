//! Build script: defines the kind of build and the engine digest, by which result stores recognise results of
//! another version of the engine.
//!
//! # How
//! The digest is a 64-bit XXH3 hash over paths and contents of the engine's sources, the presets and the lock
//! file, in path order. Profile, machine and compiler are left out, since results do not depend on them.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use walkdir::WalkDir;
use xxhash_rust::xxh3::Xxh3;

/// Folders and files that determine results, relative to the root of the workspace.
const SOURCES: [&str; 13] = [
    "crates/config/src",
    "crates/drive/src",
    "crates/ecc/src",
    "crates/fabric/src",
    "crates/host/src",
    "crates/kernel/src",
    "crates/nand/src",
    "crates/params/src",
    "crates/pif/src",
    "crates/requests/src",
    "crates/sim/src",
    "presets",
    "Cargo.lock",
];

fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for source in SOURCES {
        println!("cargo::rerun-if-changed={}", root.join(source).display());
    }
    println!("cargo::rustc-env=VENICE_ENGINE_DIGEST={:016x}", digest(&root));
    println!("cargo::rustc-env=VENICE_BUILD={}", kind_of_build());
}

/// Returns `tuned` for a profile-guided build, `quick` for Cargo's profile `dev`, otherwise the profile's
/// name.
fn kind_of_build() -> String {
    let variable = |name| env::var(name).unwrap_or_default();
    if variable("CARGO_ENCODED_RUSTFLAGS").contains("profile-use") {
        return "tuned".to_owned();
    }
    // Cargo passes only the name of the inherited profile. The name of the profile itself is in the path of
    // `OUT_DIR`: the folder that contains `build/venice-engine-…/out`.
    let folder = PathBuf::from(variable("OUT_DIR"));
    let profile = folder.ancestors().nth(3).and_then(Path::file_name).unwrap_or_default().to_string_lossy();
    if profile == "debug" { "quick".to_owned() } else { profile.into_owned() }
}

fn digest(root: &Path) -> u64 {
    let mut digest = Xxh3::new();
    for file in SOURCES.iter().flat_map(|source| files(&root.join(source))) {
        let name = file.strip_prefix(root).expect("the file is below the root");
        let content = fs::read(&file).expect("a source that is built can be read");
        // The lengths are hashed too. Otherwise, the digest would not change if bytes moved from a path to the
        // content of its file.
        for part in [name.to_string_lossy().replace('\\', "/").as_bytes(), &content] {
            digest.update(&(part.len() as u64).to_le_bytes());
            digest.update(part);
        }
    }
    digest.digest()
}

/// Returns the file, or all files of the folder, in path order.
fn files(path: &Path) -> Vec<PathBuf> {
    let entries = WalkDir::new(path).sort_by_file_name().into_iter();
    entries
        .filter_map(Result::ok)
        .filter(|entry| entry.file_type().is_file())
        .map(walkdir::DirEntry::into_path)
        .collect()
}
