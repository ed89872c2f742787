//! JSON schema of a report.

use schemars::generate::SchemaSettings;
use serde_json::Value as Json;

use crate::report::Report;

/// Returns the JSON schema (draft 2020-12) of a report. Each figure has its description, and its declared
/// unit as `unit`.
pub fn schema() -> Json {
    let generator = SchemaSettings::draft2020_12().for_serialize().into_generator();
    let mut schema = Json::from(generator.into_root_schema_for::<Report>());
    schema["title"] = "Venice report".into();
    join_lines(&mut schema);
    schema
}

/// Removes the line breaks from each description, which spans several lines in the source.
fn join_lines(part: &mut Json) {
    match part {
        Json::Object(fields) => {
            for (name, value) in fields {
                match value {
                    Json::String(text) if name == "description" => *text = text.replace('\n', " "),
                    _ => join_lines(value),
                }
            }
        }
        Json::Array(parts) => parts.iter_mut().for_each(join_lines),
        _ => {}
    }
}
