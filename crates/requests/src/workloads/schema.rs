//! JSON schema of workload files, derived from the types of their definitions.

use schemars::generate::SchemaSettings;
use serde_json::{Map, Value as Json, json};

use super::definition::{MixDefinition, WorkloadDefinition};
use crate::traces::TraceOptions;

/// Names of the tables that may be incomplete in a workload that extends another.
const TABLES: [&str; 4] = ["Address", "Bursts", "OpenLoop", "ReadAfterWrite"];

/// Returns the JSON schema (draft 2020-12) of workload files, with the unit of each key as `unit`. `$defs`
/// also contains the options for reading traces, which have no file of their own. `formats` are the names of
/// the readable trace formats.
pub fn schema(formats: &[&str]) -> Json {
    let mut generator = SchemaSettings::draft2020_12().into_generator();
    let workload = generator.subschema_for::<WorkloadDefinition>();
    let mix = generator.subschema_for::<MixDefinition>();
    generator.subschema_for::<TraceOptions>();
    let definitions = generator.take_definitions(true);
    let mut schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Venice workload",
        "anyOf": [workload, mix],
        "$defs": definitions,
    });
    tidy(&mut schema);
    for name in ["Workload", "Mix"] {
        schema["$defs"][name].as_object_mut().into_iter().for_each(extends_or_says_all);
    }
    for name in TABLES {
        schema["$defs"][name].as_object_mut().and_then(|part| part.remove("required"));
    }
    schema["$defs"]["Trace"]["properties"]["format"]["enum"] = json!(formats);
    schema
}

/// Makes the required keys of a table optional if `extends` is present.
fn extends_or_says_all(part: &mut Map<String, Json>) {
    if let Some(required) = part.remove("required") {
        let choices = json!([{ "required": ["extends"] }, { "required": required }]);
        part.insert("anyOf".to_owned(), choices);
    }
}

/// Simplifies a schema: joins the lines of descriptions, and removes `null`, which TOML lacks, and integer
/// widths.
fn tidy(part: &mut Json) {
    match part {
        Json::Object(fields) => {
            fields
                .remove("format")
                .filter(Json::is_object)
                .map(|kept| fields.insert("format".to_owned(), kept));
            for (name, value) in fields.iter_mut() {
                match value {
                    Json::String(text) if name == "description" => *text = text.replace('\n', " "),
                    Json::Array(kinds) if name == "type" => {
                        kinds.retain(|kind| kind != "null");
                        if let [kind] = kinds.as_slice() {
                            *value = kind.clone();
                        }
                    }
                    Json::Array(kinds) if name == "anyOf" => {
                        kinds.retain(|kind| kind["type"] != "null");
                        kinds.iter_mut().for_each(tidy);
                    }
                    _ => tidy(value),
                }
            }
        }
        Json::Array(parts) => parts.iter_mut().for_each(tidy),
        _ => {}
    }
}
