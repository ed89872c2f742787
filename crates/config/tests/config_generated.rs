//! Tests that the reference page, which is generated from the parameter table, has every parameter.

use venice_config::{self as config, parameters};

#[test]
fn the_reference_page_lists_every_parameter_once() {
    let page = config::reference_page();
    let rows = page.lines().filter(|line| line.starts_with("| `")).count();
    assert_eq!(rows, parameters().count());
    assert!(rows > 0);
}
