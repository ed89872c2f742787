//! Schema and reference page generated from the report types agree with reports.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on stops")]

use serde_json::Value as Json;
use venice_config as config;
use venice_host::testkit::pages;
use venice_kernel::SimTime;
use venice_requests::{LoopMode, Op};
use venice_sim::report::{Figure, Form, explain, figures, reference_page, schema};
use venice_sim::testkit::drive::run;

/// Returns the reports of a hundred requests on drives with different groups of figures.
fn reports() -> Vec<(&'static str, Json)> {
    [
        ("a cache", "cache.mode=write"),
        ("a host scheduler", "host.scheduler.scheme=piq"),
        ("a failed link", "fabric.mesh.failed_links=[[0, 0, 0, 1]]"),
        ("part of the map on flash", "ftl.mapping=cached"),
    ]
    .map(|(what, set)| (what, report_of(set)))
    .into()
}

fn report_of(set: &str) -> Json {
    let drive = config::load("venice-performance", Some("venice"), &[set.to_owned()], None).unwrap();
    let read = |page| pages(Op::Read, page, 1, SimTime::from_ps(page));
    let write = |page| pages(Op::Write, page % 8, 1, SimTime::from_ps(page));
    let requests = (0..50).flat_map(|page| [read(page), write(page)]).collect();
    serde_json::to_value(run(drive.settings(), LoopMode::Closed { depth: 8 }, requests).report).unwrap()
}

#[test]
fn the_reference_page_names_every_figure() {
    let page = reference_page();
    for Figure { name, .. } in figures(&schema()) {
        assert!(page.contains(&format!("`{name}`")), "{name} is missing");
    }
}

#[test]
fn every_figure_has_a_description_and_every_number_a_unit() {
    for Figure { name, form, unit, text, .. } in figures(&schema()) {
        assert!(!text.is_empty(), "{name} has no text");
        let number = matches!(form, Form::Count | Form::Number);
        assert_eq!(number, unit.is_some(), "{name}: unit {unit:?}");
    }
}

/// Collects the names of all fields of a report, except its configuration.
fn names(json: &Json, before: &str, into: &mut Vec<String>) {
    match json {
        Json::Object(fields) if before != "config." => {
            for (name, value) in fields {
                into.push(format!("{before}{name}"));
                names(value, &format!("{before}{name}."), into);
            }
        }
        Json::Array(places) => places.iter().for_each(|place| names(place, before, into)),
        _ => {}
    }
}

#[test]
fn every_name_in_a_report_is_explained() {
    let figures = figures(&schema());
    for (what, report) in reports() {
        let mut all = Vec::new();
        names(&report, "", &mut all);
        assert!(all.len() > 150, "{what}: {} names", all.len());
        for name in all {
            assert!(figures.iter().any(|figure| figure.is_called(&name)), "{what}: {name}");
        }
    }
}

#[test]
fn a_figure_is_explained_with_its_unit() {
    let told = explain("latency_us.all.p99").unwrap();
    assert!(told.contains("99th percentile") && told.contains("µs"), "{told}");
    let told = explain("flash.gc_moves").unwrap();
    assert!(told.contains("garbage collection") && told.contains("unit   units"), "{told}");
    assert!(explain("queues.0.read_bytes").unwrap().contains("unit   bytes"));
    assert!(explain("breakdown_us.read.path_wait").unwrap().contains("µs"));
}

#[test]
fn a_group_lists_what_is_in_it_and_no_name_lists_the_top() {
    let group = explain("path").unwrap();
    assert!(group.contains("path.mean_hops") && !group.contains("flash.reads"), "{group}");
    let top = explain("").unwrap();
    assert!(top.contains("latency_us") && !top.contains("latency_us.all"), "{top}");
}

#[test]
fn a_misspelt_figure_gets_the_nearest_one() {
    let error = explain("latency_us.al.p99").unwrap_err();
    assert!(error.contains("did you mean `latency_us.all.p99`?"), "{error}");
}
