//! The JSON schema of workload files, from the types that read them.

use schemars::generate::SchemaSettings;
use serde_json::{Map, Value as Json, json};

use super::definition::{Definition, MixDefinition};
use crate::traces::TraceOptions;

/// Tables of which a workload that extends another says only what is other there.
const TABLES: [&str; 4] = ["Address", "Bursts", "OpenLoop", "ReadAfterWrite"];

/// The JSON schema (draft 2020-12) of workload files, with each key's unit as `unit`; under `$defs`, too, how traces are
/// read, which has no file of its own. `formats` are the names of the trace formats that the program reads.
pub fn schema(formats: &[&str]) -> Json {
    let mut generator = SchemaSettings::draft2020_12().into_generator();
    let workload = generator.subschema_for::<Definition>();
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

/// What a definition does not say may be in what it extends.
fn extends_or_says_all(part: &mut Map<String, Json>) {
    if let Some(required) = part.remove("required") {
        let choices = json!([{ "required": ["extends"] }, { "required": required }]);
        part.insert("anyOf".to_owned(), choices);
    }
}

/// Texts are written over several lines and are read as one; TOML has no null; and how wide a number is in the engine's
/// memory is nobody's concern.
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
