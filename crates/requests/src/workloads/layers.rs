//! Inheritance of workload definitions (`extends`).
//!
//! # How
//!
//! Keys of a definition override inherited ones, also inside tables such as `[address]` and `[open_loop]`. A
//! key that selects a distribution (`size`, `pattern`, `footprint`, `gaps`) is overridden as a whole. A key
//! also replaces an inherited key that it excludes. `name`, `description` and `source` are not inherited,
//! since they would be wrong for a changed workload.
//!
//! Paths are relative to the file that contains them, also in inherited definitions and in flows of a mix.

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use toml::de::Error;
use toml::{Table, Value};

use super::definition::FlowDefinition;
use super::error::WorkloadError;
use super::fault::{self, ValueFault};
use super::missing_keys::missing_keys;
use super::problem::{DefinitionProblem, entry_at};
use super::text::DefinitionText;

/// Maximum length of a chain of definitions that extend each other. The limit for drives is the same.
const LONGEST_CHAIN: usize = 16;

/// Maximum number of problems in a message.
const MAX_PROBLEMS: usize = 25;

/// Keys that select a distribution, whose values are overridden as a whole.
pub(super) const CHOICES: &[&str] = &["size", "pattern", "footprint", "gaps"];

/// Keys that exclude other keys, with the keys that each of them excludes.
const INSTEAD_OF: &[(&str, &[&str])] = &[
    ("open_loop", &["closed_loop_depth", "think_us"]),
    ("closed_loop_depth", &["open_loop"]),
    ("mean_gap_us", &["mb_per_s"]),
    ("mb_per_s", &["mean_gap_us"]),
];

/// Keys that are not inherited.
const OWN_TEXTS: &[&str] = &["name", "description", "source"];

/// Definition with its inherited values.
pub(super) struct LayeredDefinition {
    /// Name of the definition in messages.
    pub(super) file: String,
    /// Name of the workload in reports.
    pub(super) label: String,
    content: DefinitionContent,
}

enum DefinitionContent {
    /// Definition without inherited values, so that messages can show its lines.
    Written(DefinitionText),
    Layered(Table),
}

impl LayeredDefinition {
    /// Reads a definition and those that it extends.
    pub(super) fn of(text: DefinitionText) -> Result<Self, WorkloadError> {
        let table = table_of(&text);
        let label = table.as_ref().and_then(name_of).unwrap_or(&text.label).to_owned();
        let file = text.file.clone();
        let content = match table.filter(|table| base_of(table).is_some()) {
            Some(table) => DefinitionContent::Layered(layered(table, &text, &label, LONGEST_CHAIN)?),
            None => DefinitionContent::Written(text),
        };
        Ok(Self { file, label, content })
    }

    /// Reads the definition of a flow in a mix. `number` is the flow's number, from 1.
    pub(super) fn flow(&self, flow: &FlowDefinition, number: usize) -> Result<Self, WorkloadError> {
        let nowhere = DefinitionText::of(&self.file, "");
        let mix = match &self.content {
            DefinitionContent::Written(text) => text,
            DefinitionContent::Layered(_) => &nowhere,
        };
        match flow {
            FlowDefinition::Named(name) => {
                let text = mix.beside(name)?;
                if text.is_jobs {
                    let message = format!("`{name}` is a job file, which cannot be a flow of a mix");
                    return Err(WorkloadError::of_file(&self.file, message, "a workload"));
                }
                Self::of(text)
            }
            FlowDefinition::Described(table) => {
                Self::of_table(table.clone(), mix.part(&format!("flow {number}")))
            }
        }
    }

    /// Creates the definition from a table inside another file.
    fn of_table(table: Table, text: DefinitionText) -> Result<Self, WorkloadError> {
        let label = name_of(&table).unwrap_or(&text.label).to_owned();
        let table = layered(table, &text, &label, LONGEST_CHAIN)?;
        Ok(Self { file: text.file, label, content: DefinitionContent::Layered(table) })
    }

    /// Returns true if the definition is a mix of several flows.
    pub(super) fn is_mix(&self) -> bool {
        match &self.content {
            DefinitionContent::Written(text) => {
                table_of(text).is_some_and(|table| table.contains_key("flows"))
            }
            DefinitionContent::Layered(table) => table.contains_key("flows"),
        }
    }

    /// Parses the keys and types of the definition. Ranges are checked later.
    pub(super) fn parse<T: DeserializeOwned + JsonSchema>(&self) -> Result<T, WorkloadError> {
        let parsed = match &self.content {
            DefinitionContent::Written(text) => parsed_text(&text.content),
            DefinitionContent::Layered(table) => {
                table.clone().try_into().map_err(|error| vec![first_problem::<T>(&error, None, table)])
            }
        };
        parsed.map_err(|mut problems| {
            problems.sort_by_key(DefinitionProblem::place);
            WorkloadError::Definition { file: self.file.clone(), problems }
        })
    }

    /// Returns the error that reports values out of range.
    pub(super) fn out_of_range(&self, faults: Vec<ValueFault>) -> WorkloadError {
        let text = match &self.content {
            DefinitionContent::Written(text) => Some(text.content.as_ref()),
            DefinitionContent::Layered(_) => None,
        };
        let problems = faults.into_iter().map(|fault| fault.problem(text)).collect();
        WorkloadError::Definition { file: self.file.clone(), problems }
    }
}

/// Parses a text and reports all problems. After a problem, the text is parsed again without the key that
/// caused it; the removed key does not count as missing.
fn parsed_text<T: DeserializeOwned + JsonSchema>(text: &str) -> Result<T, Vec<DefinitionProblem>> {
    let mut rest = text.to_owned();
    let mut problems = Vec::new();
    loop {
        let error = match toml::from_str(&rest) {
            Ok(parsed) if problems.is_empty() => return Ok(parsed),
            Ok(_) => return Err(problems),
            Err(error) => error,
        };
        let entry = error.span().and_then(|span| entry_at(&rest, span.start));
        if fault::names_missing_key(&error) && !problems.is_empty() {
            return Err(problems);
        }
        problems.push(first_problem::<T>(&error, Some(&rest), &rest.parse().unwrap_or_default()));
        let Some(entry) = entry.filter(|_| problems.len() < MAX_PROBLEMS) else { return Err(problems) };
        let blank = rest[entry.clone()].replace(|character| character != '\n', " ");
        rest.replace_range(entry, &blank);
    }
}

/// Returns the problem that describes an error of the parser: all missing keys if one is missing.
fn first_problem<T: JsonSchema>(error: &Error, text: Option<&str>, table: &Table) -> DefinitionProblem {
    let missing = if fault::names_missing_key(error) { missing_keys::<T>(table) } else { Vec::new() };
    if missing.len() > 1 { fault::missing_several(&missing) } else { fault::describe(error, text) }
}

/// Returns the keys and values of a definition; `None` for invalid TOML, which the parser reports later.
fn table_of(text: &DefinitionText) -> Option<Table> {
    text.content.parse().ok()
}

fn name_of(table: &Table) -> Option<&str> {
    table.get("name").and_then(Value::as_str).filter(|name| !name.is_empty())
}

fn base_of(table: &Table) -> Option<&str> {
    table.get("extends").and_then(Value::as_str).filter(|name| !name.is_empty())
}

/// Returns a table merged with the tables that it extends, directly or indirectly.
fn layered(mut own: Table, text: &DefinitionText, label: &str, depth: usize) -> Result<Table, WorkloadError> {
    flows_from_here(&mut own, text);
    let Some(name) = base_of(&own).map(str::to_owned) else { return Ok(own) };
    if depth == 0 {
        let message = format!("more than {LONGEST_CHAIN} workloads extend one another");
        return Err(WorkloadError::of_file(&text.file, message, "a chain of `extends` without a cycle"));
    }
    let below = text.beside(&name)?;
    if below.is_jobs {
        let message = format!("`{name}` is a job file, which cannot be extended");
        return Err(WorkloadError::of_file(&text.file, message, "a workload"));
    }
    let table = below.content.parse().map_err(|error: toml::de::Error| {
        let problems = vec![fault::describe(&error, Some(&below.content))];
        WorkloadError::Definition { file: below.file.clone(), problems }
    })?;
    let mut base = layered(table, &below, &below.label, depth - 1)?;
    own.remove("extends");
    let changed: Vec<&str> = own.keys().map(String::as_str).filter(|key| !OWN_TEXTS.contains(key)).collect();
    if !changed.is_empty() {
        let description = format!("{}, but for: {}", below.label, changed.join(", "));
        let source = base.get("source").and_then(Value::as_str).unwrap_or_default();
        let source = format!("{label}; the rest: {source}");
        base.insert("description".to_owned(), description.into());
        base.insert("source".to_owned(), source.into());
    }
    base.remove("name");
    lay_over(&mut base, own);
    Ok(base)
}

/// Converts the paths of a mix's flows to paths relative to the working folder, since a file in another
/// folder may inherit the mix.
fn flows_from_here(table: &mut Table, text: &DefinitionText) {
    let flows = table.get_mut("flows").and_then(Value::as_array_mut).into_iter().flatten();
    for flow in flows {
        let named = match flow {
            Value::Table(described) => described.get_mut("extends"),
            named => Some(named),
        };
        if let Some(Value::String(name)) = named {
            *name = text.path_of(name);
        }
    }
}

/// Overrides the values of `base` with those of `own`.
fn lay_over(base: &mut Table, own: Table) {
    for (key, others) in INSTEAD_OF {
        if own.contains_key(*key) {
            others.iter().for_each(|other| drop(base.remove(*other)));
        }
    }
    for (key, value) in own {
        match (base.get_mut(&key), value) {
            (Some(Value::Table(inner)), Value::Table(value)) if !CHOICES.contains(&key.as_str()) => {
                lay_over(inner, value);
            }
            (_, value) => drop(base.insert(key, value)),
        }
    }
}
