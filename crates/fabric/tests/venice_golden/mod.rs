//! Reference tables stored as text in `conformance/golden`, so that a change of behaviour appears as a diff.

use std::path::PathBuf;

/// Returns the path of a file below `conformance`.
pub(crate) fn conformance(path: &str) -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "../../conformance", path].iter().collect()
}

/// Compares `table` with the file of this name in `conformance/golden`; with `BLESS=1` in the environment the
/// file is written instead.
#[track_caller]
pub(crate) fn assert_golden(name: &str, table: &str) {
    let path = conformance("golden").join(name);
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, table).expect("the golden directory is writable");
    }
    let golden = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(golden == table, "{name} differs; if that is meant, run with BLESS=1. Now:\n{table}");
}
