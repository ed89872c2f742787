//! Parameter values merged from all layers, each with its origin.

use venice_params::{Parameter, ParameterKind, Value};

use super::document::SourcePosition;
use super::table::{find, parameters};

/// A parameter value with its origin.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ParameterEntry {
    /// Accepted value of the parameter.
    pub(super) value: Value,
    /// Location that set the value; `None` for a default.
    pub(super) place: Option<SourcePosition>,
    /// Cited source of the value, such as a data sheet; `None` without a citation.
    pub(super) cited: Option<String>,
    /// Rank of the layer that set the value; a later layer has a higher rank.
    pub(super) rank: usize,
}

/// Origin of a parameter's value, for display.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValueOrigin {
    /// File, preset or option that set the value, with the line if there is one; `None` for a default.
    pub place: Option<String>,
    /// Cited source of the value: a table of a paper, or "assumed: …".
    pub cited: Option<String>,
}

/// Values of all parameters, in the order of the table; `None` for required parameters that are not set yet.
#[derive(Clone, Debug)]
pub(super) struct Entries(Vec<Option<ParameterEntry>>);

impl Entries {
    /// Creates the entries with the defaults of the table.
    pub(super) fn defaults() -> Self {
        Self(
            parameters().map(|parameter| parameter.default_value().map(ParameterEntry::default_of)).collect(),
        )
    }

    /// Returns the entry of the parameter at this index.
    pub(super) fn get(&self, index: usize) -> Option<&ParameterEntry> {
        self.0[index].as_ref()
    }

    /// Returns the entry of the parameter `key`.
    pub(super) fn of(&self, key: &str) -> Option<&ParameterEntry> {
        find(key).and_then(|(index, _)| self.get(index))
    }

    /// Returns the location of the key in `keys` that the latest layer set. If that layer set several of
    /// them, returns the location of the first one in the order of `keys`.
    pub(super) fn latest_place(&self, keys: &[&str]) -> Option<SourcePosition> {
        let entries = keys.iter().rev().filter_map(|key| self.of(key));
        entries.max_by_key(|entry| entry.rank).and_then(|entry| entry.place.clone())
    }

    /// Returns a note on the value that the lower layers set, for help texts: " (default 45 µs, from
    /// presets/chips/x.toml)".
    pub(super) fn below(&self, index: usize, parameter: &Parameter) -> String {
        let Some(entry) = self.get(index) else { return " (no default)".to_owned() };
        if matches!(parameter.kind, ParameterKind::Text | ParameterKind::Texts) {
            return String::new();
        }
        let value = format!("{}{}", entry.value.to_toml(), parameter.spaced_unit());
        match &entry.place {
            Some(place) => format!(" (default {value}, from {})", place.document.name),
            None => format!(" (default {value})"),
        }
    }

    /// Sets the entry of a parameter, which replaces the entry of a lower layer.
    pub(super) fn set(&mut self, index: usize, entry: ParameterEntry) {
        self.0[index] = Some(entry);
    }

    /// Returns all values in the order of the table; `None` if a required value is missing.
    pub(super) fn values(&self) -> Option<Vec<&Value>> {
        self.0.iter().map(|entry| entry.as_ref().map(|entry| &entry.value)).collect()
    }
}

impl ParameterEntry {
    /// Creates the entry of a parameter that has its default value.
    pub(super) fn default_of(value: Value) -> Self {
        Self { value, place: None, cited: None, rank: 0 }
    }

    /// Returns the origin of the value, for display.
    pub(super) fn origin(&self) -> ValueOrigin {
        ValueOrigin { place: self.place.as_ref().map(SourcePosition::brief), cited: self.cited.clone() }
    }
}
