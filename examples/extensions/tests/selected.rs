//! Tests of policies that a drive selects by name. A program registers its policies once, so they have a file
//! of their own.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::Once;

use venice_config::{self as config, OwnPolicies, ResolvedDrive, own_policies, register};
use venice_drive::ftl::PlaneShape;
use venice_extensions::{OldestFirst, TwoBuses, run};
use venice_fabric::FabricSettings;
use venice_params::{declare, whole};
use venice_sim::assembly::ExternalPolicies;

declare! {
    /// Parameters of `oldest_first`.
    pub struct Window in "ftl.oldest_first." {
        /// Number of blocks that are compared.
        window: u32 = whole(1, 64), unit "blocks", default "8", source "ours";
    }
}

declare! {
    /// Parameters with a key outside the policy's table.
    pub struct Misplaced in "ftl.other." {
        /// Number of blocks that are compared.
        window: u32 = whole(1, 64), unit "blocks", default "8", source "ours";
    }
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "parameters are passed by reference")]
fn oldest_first(own: &Window, _shape: PlaneShape, _seed: u64) -> OldestFirst {
    OldestFirst::new(own.window as usize)
}

/// Loads a small drive in steady state with the registered policies.
fn drive(sets: &[&str]) -> Result<ResolvedDrive, config::ConfigError> {
    static REGISTERED: Once = Once::new();
    REGISTERED.call_once(|| {
        let own = OwnPolicies::new().victim("oldest_first", "greedy among the oldest blocks", oldest_first);
        let make = |(): &(), settings: &FabricSettings| TwoBuses::new(settings);
        register(own.fabric("two_buses", "two buses for each row", make)).unwrap();
    });
    let small =
        ["array.rows=2", "array.cols=2", "flash.blocks_per_plane=32", "precondition.mode=steady_state"];
    let sets: Vec<String> = small.iter().chain(sets).map(|&set| set.to_owned()).collect();
    config::load("venice-performance", None, &sets, None)
}

fn report_of(drive: &ResolvedDrive, external: ExternalPolicies) -> serde_json::Value {
    let report = run(drive, external, "random-write", 3_000).unwrap().report;
    let mut report = serde_json::to_value(report).unwrap();
    for machine_dependent in ["wall_s", "config"] {
        report.as_object_mut().unwrap().remove(machine_dependent);
    }
    report
}

#[test]
fn a_policy_selected_by_name_gives_the_report_of_one_given_to_the_simulation() {
    let named = drive(&["ftl.victim=oldest_first", "ftl.oldest_first.window=3"]).unwrap();
    let given = ExternalPolicies::default().victim("oldest_first", |_, _| OldestFirst::new(3));
    let expected = report_of(&drive(&[]).unwrap(), given);
    assert_eq!(report_of(&named, ExternalPolicies::default()), expected);
    let other = drive(&["ftl.victim=oldest_first", "ftl.oldest_first.window=20"]).unwrap();
    assert_ne!(report_of(&other, ExternalPolicies::default()), expected);
    let fabric = drive(&["fabric.name=two_buses"]).unwrap();
    let given = ExternalPolicies::default().fabric("two_buses", TwoBuses::new);
    assert_eq!(report_of(&fabric, ExternalPolicies::default()), report_of(&drive(&[]).unwrap(), given));
}

#[test]
fn a_complete_drive_file_contains_the_parameters_of_the_selected_policy_alone() {
    let selected = drive(&["ftl.victim=oldest_first", "ftl.oldest_first.window=3"]).unwrap();
    let text = selected.to_toml();
    let loaded = config::load_text("again", &text, &[]).unwrap();
    assert_eq!(loaded.settings(), selected.settings());
    assert_eq!(selected.to_json()["ftl"]["oldest_first"]["window"], 3);
    let other = drive(&["ftl.oldest_first.window=3"]).unwrap();
    let text = other.to_toml();
    assert!(!text.contains("[ftl.oldest_first]"), "{text}");
    assert!(other.remarks().iter().any(|remark| remark.contains("ftl.oldest_first.window")));
}

#[test]
fn parameters_of_a_policy_are_checked_as_built_in_ones() {
    let error = drive(&["ftl.oldest_first.window=65"]).unwrap_err().to_string();
    assert!(error.contains("1 to 64 blocks"), "{error}");
    let error = drive(&["ftl.victim=oldest_frist"]).unwrap_err().to_string();
    assert!(error.contains("did you mean `oldest_first`?"), "{error}");
}

#[test]
fn the_registered_policies_keep_their_contracts() {
    drive(&[]).unwrap();
    assert_eq!(own_policies().len(), 2);
    own_policies().iter().for_each(config::OwnPolicy::check_contract);
}

#[test]
fn unsuitable_policies_are_refused() {
    let refused = |own: OwnPolicies| register(own).unwrap_err().to_string();
    let named = |name| OwnPolicies::new().victim(name, "", oldest_first);
    assert!(refused(named("greedy")).contains("built in"));
    assert!(refused(named("Oldest")).contains("characters"));
    assert!(refused(named("oldest_first").victim("oldest_first", "", oldest_first)).contains("twice"));
    let misplaced = |_: &Misplaced, _, _| OldestFirst::new(8);
    assert!(refused(OwnPolicies::new().victim("oldest", "", misplaced)).contains("`ftl.other.window`"));
    drive(&[]).unwrap();
    assert!(refused(OwnPolicies::new()).contains("once"));
}
