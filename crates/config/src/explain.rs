//! Help texts of configuration keys, for the command line.

use venice_params::{Parameter, Section};

use super::entry::{Entries, ParameterEntry};
use super::error::{ConfigError, Problem};
use super::table::{SECTIONS, find};
use super::unknown_keys::suggestions;

/// Returns the help text of a key, or the list of keys of a table; for an empty key, the list of tables.
///
/// # Errors
/// Returns a [`ConfigError`] with the nearest existing key if the key does not exist.
pub fn explain(key: &str) -> Result<String, ConfigError> {
    explain_for(key, None)
}

/// Returns the help text of a key, as [`explain`] does, including the values of a drive if `entries` are
/// given.
pub(super) fn explain_for(key: &str, entries: Option<&Entries>) -> Result<String, ConfigError> {
    if key.is_empty() {
        return Ok(overview());
    }
    if let Some((index, parameter)) = find(key) {
        return Ok(parameter_text(parameter, entries.and_then(|entries| entries.get(index))));
    }
    match SECTIONS.iter().find(|section| section.name == key) {
        Some(section) => Ok(section_text(section)),
        None => Err(ConfigError::new(vec![unknown(key)])),
    }
}

fn unknown(key: &str) -> Problem {
    let problem = Problem::new(format!("unknown key `{key}`"));
    match &suggestions(key)[..] {
        [] => problem.note(format!("tables: {}", table_names().join(", "))),
        meant => problem.hint(Some(format!("did you mean `{}`?", meant.join("` or `")))),
    }
}

fn table_names() -> Vec<&'static str> {
    SECTIONS.iter().map(|section| section.name).filter(|name| !name.is_empty()).collect()
}

fn parameter_text(parameter: &Parameter, entry: Option<&ParameterEntry>) -> String {
    let default = parameter.default_with_unit().unwrap_or("none (required)".to_owned());
    let mut lines = vec![format!("{}: {}.", parameter.key, parameter.what())];
    if !parameter.note().is_empty() {
        lines.push(parameter.note());
    }
    lines.push(format!("  values   {}", parameter.accepted()));
    lines.push(format!("  unit     {}", if parameter.unit.is_empty() { "none" } else { parameter.unit }));
    lines.push(format!("  default  {default}"));
    lines.push(format!("  source   {}", parameter.source));
    lines.extend(entry.map(|entry| here(parameter, entry)));
    lines.join("\n")
}

/// Returns the line of a help text that states the configured value, its origin, and its cited source.
fn here(parameter: &Parameter, entry: &ParameterEntry) -> String {
    let origin = entry.origin();
    let place = origin.place.map_or("the default".to_owned(), |place| format!("from {place}"));
    let cited = origin.cited.map_or(String::new(), |cited| format!(" ({cited})"));
    format!("  here     {}{}, {place}{cited}", entry.value.to_toml(), parameter.spaced_unit())
}

fn section_text(section: &Section) -> String {
    let mut lines = vec![format!("[{}]: {}.", section.name, section.what())];
    if !section.note().is_empty() {
        lines.push(section.note());
    }
    lines
        .extend(two_columns(section.parameters.iter().map(|parameter| (parameter.name(), parameter.what()))));
    lines.join("\n")
}

fn overview() -> String {
    let top =
        SECTIONS.iter().filter(|section| section.name.is_empty()).flat_map(|section| section.parameters);
    let keys = top.map(|parameter| (parameter.name(), parameter.what()));
    let tables = SECTIONS.iter().filter(|section| !section.name.is_empty());
    let rows: Vec<(&str, String)> =
        keys.chain(tables.map(|section| (section.name, section.what()))).collect();
    two_columns(rows.into_iter()).join("\n")
}

fn two_columns(rows: impl Iterator<Item = (&'static str, String)>) -> Vec<String> {
    let rows: Vec<(&str, String)> = rows.collect();
    let width = rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    rows.into_iter().map(|(name, what)| format!("  {name:width$}  {what}")).collect()
}
