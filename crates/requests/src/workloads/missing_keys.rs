//! Required keys that a workload file lacks, by the schema of its definition.
//!
//! The parser reports the first missing key only. A message with all of them saves its reader the repetition.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::Value as Json;
use toml::{Table, Value};

/// Keys of the pacing. One of them is required, which the schema does not state.
const PACING: [&str; 2] = ["closed_loop_depth", "open_loop"];

/// Returns the required keys that `table` lacks, each with its full dotted path in backticks, in the order of
/// the definition. The required keys of a missing table are not listed.
pub(super) fn missing_keys<T: JsonSchema>(table: &Table) -> Vec<String> {
    let generator = SchemaSettings::draft2020_12().into_generator();
    let schema = generator.into_root_schema_for::<T>().to_value();
    let mut missing = Vec::new();
    collect(&schema, &schema, table, "", &mut missing);
    let has_pacing = PACING.iter().all(|key| schema["properties"].get(key).is_some());
    if has_pacing && !PACING.iter().any(|key| table.contains_key(*key)) {
        missing.push(PACING.map(|key| format!("`{key}`")).join(" or "));
    }
    missing
}

fn collect(root: &Json, schema: &Json, table: &Table, path: &str, missing: &mut Vec<String>) {
    let required = schema["required"].as_array().into_iter().flatten().filter_map(Json::as_str);
    missing.extend(required.filter(|key| !table.contains_key(*key)).map(|key| format!("`{path}{key}`")));
    for (key, value) in table {
        if let Value::Table(inner) = value {
            let part = resolved(root, &schema["properties"][key.as_str()]);
            collect(root, part, inner, &format!("{path}{key}."), missing);
        }
    }
}

/// Returns the definition to which a part of a schema refers, also if the part is optional.
fn resolved<'a>(root: &'a Json, part: &'a Json) -> &'a Json {
    let reference = part.get("$ref").or_else(|| part["anyOf"][0].get("$ref"));
    let name = reference.and_then(Json::as_str).and_then(|path| path.strip_prefix("#/$defs/"));
    name.map_or(part, |name| &root["$defs"][name])
}
