//! Tests of the schema of workload files: every key is described.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on stops")]

use venice_requests::workloads::schema;

#[test]
fn every_key_of_the_schema_has_a_description_and_every_number_a_unit() {
    let schema = schema(&["mqsim-ascii"]);
    let mut keys = 0;
    for (name, part) in schema["$defs"].as_object().unwrap() {
        for (key, value) in part["properties"].as_object().into_iter().flatten() {
            assert!(value["description"].is_string(), "{name}.{key} has no text");
            let is_number = value["type"] == "integer" || value["type"] == "number";
            // The number of a pattern set is a name.
            let has_unit = is_number && key != "pattern_set";
            assert_eq!(has_unit, value["unit"].is_string(), "{name}.{key}");
            keys += 1;
        }
    }
    assert!(keys > 50, "{keys}");
}
