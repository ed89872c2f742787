//! The values of a drive as layers leave them: each with the place that said it.

use super::document::Place;
use super::table::{find, parameters};
use crate::parameters::{Kind, Parameter, Value};

/// A value, and where it comes from.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Entry {
    /// The accepted value.
    pub(super) value: Value,
    /// What said it; nothing for a default.
    pub(super) place: Option<Place>,
    /// The source that it cites.
    pub(super) cited: Option<String>,
    /// Which layer said it: higher ones came later.
    pub(super) rank: usize,
}

/// Where the value of a parameter comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The file, preset or option that says it, with the line where there is one; nothing for a default.
    pub place: Option<String>,
    /// The source that the value cites: a paper's table, or "assumed: …".
    pub cited: Option<String>,
}

/// The values of all parameters, in the table's order; a parameter without default begins without one.
#[derive(Clone, Debug)]
pub(super) struct Entries(Vec<Option<Entry>>);

impl Entries {
    /// What the table's defaults say.
    pub(super) fn defaults() -> Self {
        Self(parameters().map(|parameter| parameter.default_value().map(Entry::default_of)).collect())
    }

    /// The entry of the parameter with this index.
    pub(super) fn get(&self, index: usize) -> Option<&Entry> {
        self.0[index].as_ref()
    }

    /// The entry of a parameter that the table has.
    pub(super) fn of(&self, key: &str) -> Option<&Entry> {
        find(key).and_then(|(index, _)| self.get(index))
    }

    /// The place of whichever of `keys` was said by the latest layer, the first of them on a tie.
    pub(super) fn latest_place(&self, keys: &[&str]) -> Option<Place> {
        let entries = keys.iter().rev().filter_map(|key| self.of(key));
        entries.max_by_key(|entry| entry.rank).and_then(|entry| entry.place.clone())
    }

    /// What a parameter is if this layer does not say: " (default 45 µs, from presets/chips/x.toml)".
    pub(super) fn below(&self, index: usize, parameter: &Parameter) -> String {
        let Some(entry) = self.get(index) else { return " (no default)".to_owned() };
        if parameter.kind == Kind::Text {
            return String::new();
        }
        let value = format!("{}{}", entry.value.to_toml(), parameter.spaced_unit());
        match &entry.place {
            Some(place) => format!(" (default {value}, from {})", place.document.name),
            None => format!(" (default {value})"),
        }
    }

    /// Replaces what lower layers said.
    pub(super) fn set(&mut self, index: usize, entry: Entry) {
        self.0[index] = Some(entry);
    }

    /// All values in the table's order, when none is missing.
    pub(super) fn values(&self) -> Option<Vec<&Value>> {
        self.0.iter().map(|entry| entry.as_ref().map(|entry| &entry.value)).collect()
    }
}

impl Entry {
    /// A value that no layer said.
    pub(super) fn default_of(value: Value) -> Self {
        Self { value, place: None, cited: None, rank: 0 }
    }

    /// Where the value comes from, for people.
    pub(super) fn origin(&self) -> Origin {
        Origin { place: self.place.as_ref().map(Place::brief), cited: self.cited.clone() }
    }
}
