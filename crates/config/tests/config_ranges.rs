//! Tests of the ranges of all numeric parameters: values in the range are accepted, others are rejected by
//! name.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on stops")]

use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use venice_config::{self as config, ConfigError, Parameter, ParameterKind, parameters};
use venice_nand::testkit::cases;

/// Drive with sizes and over-provisioning with which each parameter can reach both ends of its range.
const SMALL: &str = "\
[array]
rows = 1
cols = 1
[flash]
dies_per_chip = 1
planes_per_die = 1
blocks_per_plane = 2000
pages_per_block = 8
page_bytes = 512
t_read_us = 1
t_prog_us = 1
t_bers_us = 1
[ftl]
over_provisioning_pct = 60
[fabric.nossd]
header_bytes = 0
max_payload_bytes = 1
port_buffer_bytes = 4096
";

/// Returns the settings that a parameter requires at the ends of its range: the packet must fit into the
/// buffer, some pages must be spare, a plane must have more blocks than the garbage collection threshold, and
/// some parameters have no effect without another one.
fn companions(key: &str) -> &'static [&'static str] {
    match key {
        "fabric.nossd.max_payload_bytes" | "fabric.nossd.header_bytes" => {
            &["fabric.nossd.port_buffer_bytes=16777216"]
        }
        "ftl.over_provisioning_pct" => &["flash.pages_per_block=1"],
        "ftl.mapping_unit_bytes" => &["flash.page_bytes=4096", "flash.pages_per_block=16"],
        "ftl.placement" => {
            &["ftl.allocation_mode=in_turn", "flash.blocks_per_plane=64", "ftl.over_provisioning_pct=20"]
        }
        "host.scheduler.scheme" => &[],
        key if key.starts_with("host.scheduler.") => &["host.scheduler.scheme=piq"],
        _ => &[],
    }
}

fn try_value(parameter: &Parameter, value: &str) -> Result<(), ConfigError> {
    let own = format!("{}={value}", parameter.key);
    let sets: Vec<String> =
        companions(parameter.key).iter().map(|&set| set.to_owned()).chain([own]).collect();
    config::load_text("small.toml", SMALL, &sets).map(|_| ())
}

/// Returns the range of a number, if the kind is numeric.
fn bounds(kind: ParameterKind) -> Option<(f64, f64)> {
    match kind {
        ParameterKind::Integer { min, max, .. } => Some((min as f64, max as f64)),
        ParameterKind::Number { min, max }
        | ParameterKind::Numbers { min, max, .. }
        | ParameterKind::NumberOr { min, max, .. } => Some((min, max)),
        ParameterKind::Choice { .. }
        | ParameterKind::Choices { .. }
        | ParameterKind::Lists { .. }
        | ParameterKind::Boolean
        | ParameterKind::Text
        | ParameterKind::Texts => None,
    }
}

/// Returns a number in the range as TOML; `share` selects the position in the range, from 0 to 1.
fn within(kind: ParameterKind, share: f64) -> String {
    match kind {
        ParameterKind::Integer { min, max, step } => {
            let steps = (max - min) / step;
            (min + ((steps as f64 * share) as u64).min(steps) * step).to_string()
        }
        _ => {
            bounds(kind).map_or(String::new(), |(min, max)| (min + (max - min) * share).min(max).to_string())
        }
    }
}

fn numeric() -> Vec<&'static Parameter> {
    let numeric: Vec<&Parameter> =
        parameters().filter(|parameter| bounds(parameter.kind).is_some()).collect();
    assert!(numeric.len() > 20, "the table was found");
    numeric
}

/// True if a problem rejects this value itself, rather than a combination of values.
fn is_refusal(error: &ConfigError, key: &str) -> bool {
    error.problems().iter().any(|problem| problem.message() == format!("`{key}` is out of range"))
}

/// Parameters for which some numbers in the range are rejected: in combination with the defaults of other
/// parameters, or because they are fractions (`search.patterns`).
const DEPEND_ON_OTHERS: [&str; 13] = [
    "cache.read_ahead_bytes",
    "flash.program_pages",
    "flash.t_register_us",
    "ftl.over_provisioning_pct",
    "ftl.program_min_planes",
    "ftl.refresh_errors_pct",
    "ftl.slc_dynamic_pct",
    "ftl.slc_static_pct",
    "ftl.mapping_unit_bytes",
    "ftl.rain_data_units",
    "fabric.venice.circuits_per_controller",
    "flash.blocks_per_plane",
    "search.patterns",
];

#[test]
fn any_number_within_its_range_loads() {
    let strategy = (proptest::sample::select(numeric()), prop_oneof![Just(0.0), Just(1.0), 0.0..1.0]);
    let test = |(parameter, share): (&Parameter, f64)| {
        let value = within(parameter.kind, share);
        match try_value(parameter, &value) {
            Err(error) if !DEPEND_ON_OTHERS.contains(&parameter.key) => {
                Err(TestCaseError::fail(format!("{} = {value}:\n{error}", parameter.key)))
            }
            Err(error) => {
                prop_assert!(!is_refusal(&error, parameter.key), "{error}");
                Ok(())
            }
            Ok(()) => Ok(()),
        }
    };
    TestRunner::new(ProptestConfig::with_cases(cases(800, 8_000))).run(&strategy, test).unwrap();
}

#[test]
fn any_number_outside_its_range_is_refused_by_name() {
    let strategy = (proptest::sample::select(numeric()), any::<bool>(), 0.01..1e6_f64);
    let test = |(parameter, is_above, distance): (&Parameter, bool, f64)| {
        let (min, max) = bounds(parameter.kind).unwrap();
        let distance =
            if matches!(parameter.kind, ParameterKind::Integer { .. }) { distance.ceil() } else { distance };
        let outside = if is_above { max + distance } else { min - distance };
        // A float cannot represent values slightly above the largest seed.
        prop_assume!(if is_above { outside > max } else { outside < min });
        let value = if matches!(parameter.kind, ParameterKind::Integer { .. }) {
            format!("{outside:.0}")
        } else {
            outside.to_string()
        };
        let error = try_value(parameter, &value).expect_err(&value);
        prop_assert!(is_refusal(&error, parameter.key), "{} = {value}:\n{error}", parameter.key);
        Ok(())
    };
    TestRunner::new(ProptestConfig::with_cases(cases(800, 8_000))).run(&strategy, test).unwrap();
}

#[test]
fn a_value_of_another_kind_is_refused_for_every_parameter() {
    for parameter in parameters().filter(|parameter| !parameter.section().is_empty()) {
        for value in
            ["2020-01-01", "{}", "[[1]]", "nan", "99999999999999999999999999999999999999999999", "''"]
        {
            assert!(try_value(parameter, value).is_err(), "{} = {value}", parameter.key);
        }
    }
}

#[test]
fn every_name_of_a_choice_loads_unless_the_array_forbids_it() {
    let choices = parameters().filter_map(|parameter| match parameter.kind {
        ParameterKind::Choice { names, .. } | ParameterKind::Choices { names, .. } => {
            Some((parameter, names))
        }
        _ => None,
    });
    let mut tried = 0;
    for (parameter, names) in choices {
        for &name in names {
            let list = format!("[\"{name}\"]");
            let value = if let ParameterKind::Choices { .. } = parameter.kind { &list } else { name };
            try_value(parameter, value).unwrap_or_else(|error| panic!("{} = {name}: {error}", parameter.key));
            tried += 1;
        }
    }
    assert!(tried > 40, "24 orders and all policies");
}

proptest! {
    #[test]
    fn no_text_whatever_makes_the_loader_panic(text in "(\\PC|\n){0,200}", set in "\\PC{0,40}") {
        let _ = config::load_text("any.toml", &text, std::slice::from_ref(&set)).map_err(|error| error.to_string());
        let _ = config::load(&set, Some(&text), &[], None).map_err(|error| error.to_string());
        let _ = config::explain(&set).map_err(|error| error.to_string());
    }

    #[test]
    fn no_mutilated_drive_makes_the_loader_panic(cut in 0_usize..400, length in 0_usize..20, put in "[\\PC\n]{0,6}") {
        let mut text = SMALL.to_owned();
        let start = cut.min(text.len());
        let end = (start + length).min(text.len());
        text.replace_range(start..end, &put);
        let _ = config::load_text("cut.toml", &text, &[]).map_err(|error| error.to_string());
    }
}
