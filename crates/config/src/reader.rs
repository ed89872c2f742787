//! Second stage of loading, validation of single values: converts raw keys and values to entries or problems.

use std::ops::Range;
use std::sync::Arc;

use venice_params::{Parameter, PositionedValue, RawTable, RawValue, Rejection, RejectionKind};

use super::document::{Document, SourcePosition};
use super::entry::{Entries, ParameterEntry};
use super::error::Problem;
use super::layer::{ConfigLayer, LayerRole};
use super::option::OptionSetting;
use super::table::{find, is_section, parameters};
use super::unknown_keys;

/// Reader that merges layers, from the lowest to the highest, and collects their problems.
#[derive(Debug)]
pub(super) struct LayerReader {
    /// Merged entries of the layers read so far.
    pub(super) entries: Entries,
    /// Problems of the layers read so far.
    pub(super) problems: Vec<Problem>,
    /// Flag for each parameter, by index: true if its value was rejected.
    refused: Vec<bool>,
    /// Number of unknown keys found after [`MAX_REPORTED`] problems. These keys are counted but not reported
    /// individually.
    unlisted: usize,
    /// Number of layers read so far, which is the rank of the current layer.
    rank: usize,
}

/// Number of problems above which further unknown keys are only counted. A file with more problems is
/// probably of another kind.
const MAX_REPORTED: usize = 20;

/// Document and role of the layer that is being read.
struct Scope<'a> {
    document: &'a Arc<Document>,
    role: LayerRole,
    /// True if the descriptive texts of the document (name, description, …) apply to the drive.
    is_top: bool,
}

/// Key or value, with its full name and its location.
struct Item<'a> {
    key: &'a str,
    key_place: SourcePosition,
    raw: &'a PositionedValue,
}

impl LayerReader {
    /// Creates a reader with the defaults as entries.
    pub(super) fn new() -> Self {
        Self {
            entries: Entries::defaults(),
            problems: Vec::new(),
            refused: vec![false; parameters().count()],
            unlisted: 0,
            rank: 0,
        }
    }

    /// Reads a file or preset; its values override the values of previous layers. `is_top` is true for the
    /// drive itself.
    pub(super) fn read_layer(&mut self, layer: &ConfigLayer, role: LayerRole, is_top: bool) {
        self.rank += 1;
        let before = self.problems.len();
        let scope = Scope { document: &layer.document, role, is_top };
        self.read_table(&scope, "", &layer.table);
        self.problems[before..].sort_by_key(Problem::offset);
    }

    /// Reads an option; its value overrides the value of previous layers.
    pub(super) fn read_setting(&mut self, setting: &OptionSetting) {
        self.rank += 1;
        let scope = Scope { document: &setting.place.document, role: LayerRole::Drive, is_top: true };
        if setting.key == "extends" {
            let problem = Problem::new("`extends` is allowed in files only").at(Some(setting.place.clone()));
            self.problems.push(problem.note("expected: --drive with the base drive"));
            return;
        }
        self.read_item(
            &scope,
            &Item { key: &setting.key, key_place: setting.place.clone(), raw: &setting.raw },
        );
    }

    /// Reports required parameters without a value.
    pub(super) fn report_missing(&mut self, document: &Arc<Document>) {
        for (index, parameter) in parameters().enumerate() {
            if self.entries.get(index).is_none() && !self.refused[index] {
                let place = SourcePosition { document: Arc::clone(document), span: None };
                let problem = Problem::new(format!("`{}` is missing", parameter.key)).at(Some(place));
                self.problems.push(problem.note(format!("expected: {}", parameter.expectation())));
            }
        }
    }

    /// Returns the problems, with a summary of unknown keys beyond the limit.
    pub(super) fn into_problems(mut self) -> Vec<Problem> {
        if self.unlisted > 0 {
            self.problems.push(Problem::new(format!("{} further unknown keys", self.unlisted)));
        }
        self.problems
    }

    /// True if each required parameter has a value and no value was rejected.
    pub(super) fn has_all_values(&self) -> bool {
        self.entries.values().is_some() && !self.refused.contains(&true)
    }

    fn read_table(&mut self, scope: &Scope<'_>, prefix: &str, table: &RawTable) {
        for field in &table.0 {
            let key = if prefix.is_empty() { field.name.clone() } else { format!("{prefix}.{}", field.name) };
            let key_place = scope.place(&field.span);
            self.read_item(scope, &Item { key: &key, key_place, raw: &field.raw });
        }
    }

    fn read_item(&mut self, scope: &Scope<'_>, item: &Item<'_>) {
        if let Some((index, parameter)) = find(item.key) {
            self.read_parameter(scope, item, index, parameter);
        } else if !is_section(item.key) && self.problems.len() >= MAX_REPORTED {
            self.unlisted += 1;
        } else if !is_section(item.key) {
            self.problems.push(unknown_keys::problem(&self.entries, item.key, &item.key_place, item.raw));
        } else if let RawValue::Table(table) = &item.raw.value {
            self.read_table(scope, item.key, table);
        } else {
            let problem = Problem::new(format!("`{}` is a table of keys, not a value", item.key));
            self.problems.push(problem.at(Some(item.key_place.clone())));
        }
    }

    fn read_parameter(&mut self, scope: &Scope<'_>, item: &Item<'_>, index: usize, parameter: &Parameter) {
        if scope.role == LayerRole::Chip && !belongs_to_a_chip(parameter) {
            let problem = Problem::new(format!("`{}` cannot be set by a chip", parameter.key));
            let note = "expected: keys of [flash] and [flash.command]; other keys belong to the drive";
            return self.problems.push(problem.at(Some(item.key_place.clone())).note(note));
        }
        let Some((raw, cited)) = self.value_and_source(scope, item) else {
            self.refused[index] = true;
            return;
        };
        match parameter.kind.accept(raw) {
            Ok(value) if scope.is_top || !is_about_the_file(parameter) => {
                let place = Some(item.key_place.clone());
                self.entries.set(index, ParameterEntry { value, place, cited, rank: self.rank });
            }
            Ok(_) => {}
            Err(refusal) => {
                self.refused[index] = true;
                let place = scope.place_or(&raw.span, &item.key_place);
                self.problems.push(refused(&self.entries, index, parameter, place, refusal));
            }
        }
    }

    /// Returns the value and the cited source of `{ value = …, source = "…" }`. A plain value has no cited
    /// source.
    fn value_and_source<'a>(
        &mut self,
        scope: &Scope<'_>,
        item: &Item<'a>,
    ) -> Option<(&'a PositionedValue, Option<String>)> {
        let Some(table) = item.raw.as_table() else { return Some((item.raw, None)) };
        let value = table.get("value");
        let source = table.get("source");
        let only_these = table.0.iter().all(|field| field.name == "value" || field.name == "source");
        match (value, source, source.and_then(PositionedValue::as_text)) {
            (Some(value), None, _) if only_these => Some((value, None)),
            (Some(value), Some(_), Some(text)) if only_these => Some((value, Some(text.to_owned()))),
            _ => {
                let problem = Problem::new(format!("`{}` is a table with the wrong keys", item.key));
                let place = scope.place_or(&item.raw.span, &item.key_place);
                let note = "expected: a value, or { value = …, source = \"…\" }";
                self.problems.push(problem.at(Some(place)).note(note));
                None
            }
        }
    }
}

impl Scope<'_> {
    fn place(&self, span: &Range<usize>) -> SourcePosition {
        SourcePosition { document: Arc::clone(self.document), span: Some(span.clone()) }
    }

    /// Returns the location of the byte range `span` in the document. For a command-line option, returns the
    /// location of the option instead.
    fn place_or(&self, span: &Range<usize>, option: &SourcePosition) -> SourcePosition {
        if option.span.is_none() { option.clone() } else { self.place(span) }
    }
}

/// True for names and descriptive texts, which a file does not inherit from the file that it extends.
fn is_about_the_file(parameter: &Parameter) -> bool {
    parameter.section().is_empty()
}

fn belongs_to_a_chip(parameter: &Parameter) -> bool {
    let section = parameter.section();
    section.starts_with("flash") || matches!(parameter.key, "name" | "description" | "source")
}

fn refused(
    entries: &Entries,
    index: usize,
    parameter: &Parameter,
    place: SourcePosition,
    refusal: Rejection,
) -> Problem {
    let shown = if place.span.is_some() { parameter.name() } else { parameter.key };
    let message = match refusal.problem {
        RejectionKind::Range => format!("`{shown}` is out of range"),
        RejectionKind::Type => format!("`{shown}` has a value of the wrong type"),
        RejectionKind::Name(noun, name) => format!("unknown {noun} `{name}`"),
    };
    let expected = format!("expected: {}{}", parameter.expectation(), entries.below(index, parameter));
    Problem::new(message).at(Some(place)).hint(Some(refusal.hint)).note(expected)
}
