//! Tests of the panic guard without Python. The source file is included directly, since a test cannot link an
//! extension module.

#[path = "../src/guard.rs"]
mod guard;

use guard::{guarded, install};

#[test]
fn a_panic_is_reported_as_a_bug_of_venice() {
    install();
    let crash = guarded(|| panic!("a table is\nfull")).unwrap_err();
    assert!(crash.cause().ends_with(": a table is full"), "{crash}");
    let crash = crash.to_string();
    assert!(crash.starts_with("the simulator crashed: panicked at crates/engine/tests/guard.rs:"), "{crash}");
    assert!(
        crash.ends_with(
            ": a table is full; this is a bug in the simulator: please report it with the configuration"
        ),
        "{crash}"
    );
}

#[test]
fn work_that_ends_well_is_returned() {
    assert_eq!(guarded(|| 7), Ok(7));
}
