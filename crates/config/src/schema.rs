//! JSON schema of a drive file, generated from the parameter table.

use serde_json::{Map, Value as Json, json};
use venice_params::{Parameter, ParameterKind, Section};

use super::table::SECTIONS;

/// Returns the JSON schema (draft 2020-12) of drive and chip files, for editors and validators.
///
/// The schema checks single values as the loader does. Checks across parameters and the set of required keys
/// are not part of it.
pub fn schema() -> Json {
    let mut root = object("A drive");
    root["$schema"] = "https://json-schema.org/draft/2020-12/schema".into();
    root["title"] = "Venice drive".into();
    for section in SECTIONS.iter() {
        let properties = properties_of(&mut root, section);
        for parameter in section.parameters {
            properties.insert(parameter.name().to_owned(), parameter_schema(parameter));
        }
    }
    root
}

/// Returns the properties of a section's object, which is created if absent.
fn properties_of<'a>(root: &'a mut Json, section: &Section) -> &'a mut Map<String, Json> {
    let mut here = properties(root);
    for name in section.name.split('.').filter(|name| !name.is_empty()) {
        here = properties(here.entry(name).or_insert_with(|| object(&section.what())));
    }
    here
}

fn properties(object: &mut Json) -> &mut Map<String, Json> {
    object["properties"].as_object_mut().expect("every object here was made with properties")
}

fn object(description: &str) -> Json {
    json!({
        "type": "object",
        "description": description,
        "properties": {},
        "additionalProperties": false,
    })
}

fn parameter_schema(parameter: &Parameter) -> Json {
    let plain = plain_schema(parameter.kind);
    let with_source = json!({
        "type": "object",
        "properties": { "value": plain, "source": { "type": "string" } },
        "required": ["value"],
        "additionalProperties": false,
    });
    let mut schema = json!({ "description": description(parameter), "anyOf": [plain, with_source] });
    if let Some(default) = parameter.default_value() {
        schema["default"] = default.to_json();
    }
    schema
}

fn description(parameter: &Parameter) -> String {
    let unit = if parameter.unit.is_empty() { String::new() } else { format!(" [{}]", parameter.unit) };
    format!("{}{unit}. {}", parameter.what(), parameter.note()).trim_end().to_owned()
}

fn plain_schema(kind: ParameterKind) -> Json {
    match kind {
        ParameterKind::Integer { min, max, step } => {
            json!({ "type": "integer", "minimum": min, "maximum": max, "multipleOf": step })
        }
        ParameterKind::Number { min, max } => number_schema(min, max),
        ParameterKind::Numbers { min, max, max_len } => {
            let one = number_schema(min, max);
            let list = json!({ "type": "array", "items": one, "minItems": 1, "maxItems": max_len });
            json!({ "anyOf": [one, list] })
        }
        ParameterKind::NumberOr { min, max, word } => {
            json!({ "anyOf": [number_schema(min, max), { "const": word }] })
        }
        ParameterKind::Choice { names, .. } => json!({ "enum": names }),
        ParameterKind::Choices { names, .. } => json!({ "type": "array", "items": { "enum": names } }),
        ParameterKind::Lists { max } => {
            let one = json!({ "type": "integer", "minimum": 0, "maximum": max });
            json!({ "type": "array", "items": { "type": "array", "items": one, "minItems": 1 } })
        }
        ParameterKind::Boolean => json!({ "type": "boolean" }),
        ParameterKind::Text => json!({ "type": "string" }),
        ParameterKind::Texts => json!({ "type": "array", "items": { "type": "string" } }),
    }
}

fn number_schema(min: f64, max: f64) -> Json {
    json!({ "type": "number", "minimum": min, "maximum": max })
}
