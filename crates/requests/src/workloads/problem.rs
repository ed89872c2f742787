//! Problems of workload files in TOML. A message shows the line and a remedy, as for configuration errors.

use std::fmt;
use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Problem of a workload file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DefinitionProblem {
    message: String,
    excerpt: Option<SourceExcerpt>,
    hint: Option<String>,
    notes: Vec<String>,
}

/// Line of a file and the part of it that a message underlines.
#[derive(Clone, Debug, PartialEq, Eq)]
struct SourceExcerpt {
    line: usize,
    column: usize,
    text: String,
    width: usize,
}

impl DefinitionProblem {
    pub(super) fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), excerpt: None, hint: None, notes: Vec::new() }
    }

    /// Sets the location of the problem to the range `span` of the text, if both are known.
    pub(super) fn at(mut self, text: Option<&str>, span: Option<Range<usize>>) -> Self {
        self.excerpt = text.zip(span).and_then(|(text, span)| SourceExcerpt::of(text, span));
        self
    }

    /// Sets the hint that a message shows after the underlined part.
    pub(super) fn hint(mut self, hint: Option<String>) -> Self {
        self.hint = hint;
        self
    }

    /// Adds a line of explanation to the problem.
    pub(super) fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    /// Returns the line and column of the problem, by which problems are sorted.
    pub(super) fn place(&self) -> Option<(usize, usize)> {
        self.excerpt.as_ref().map(|excerpt| (excerpt.line, excerpt.column))
    }

    fn write(&self, f: &mut fmt::Formatter<'_>, file: &str) -> fmt::Result {
        write!(f, "{}\n  --> {file}", self.message)?;
        match (&self.excerpt, &self.hint) {
            (Some(excerpt), Some(hint)) => excerpt.write(f, hint)?,
            (Some(excerpt), None) => write!(f, ":{}:{}", excerpt.line, excerpt.column)?,
            (None, Some(hint)) => write!(f, "\n   = {hint}")?,
            (None, None) => {}
        }
        self.notes.iter().try_for_each(|note| write!(f, "\n   = {note}"))
    }
}

/// Problems of a file, formatted as a message. The first line has no `error:`, which the command line adds.
pub(super) struct Problems<'a>(pub(super) &'a str, pub(super) &'a [DefinitionProblem]);

impl fmt::Display for Problems<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let &Self(file, problems) = self;
        for (index, problem) in problems.iter().enumerate() {
            f.write_str(if index == 0 { "" } else { "\nerror: " })?;
            problem.write(f, file)?;
        }
        match problems.len() {
            0 | 1 => Ok(()),
            count => write!(f, "\n{count} problems in {file}; nothing was run"),
        }
    }
}

impl SourceExcerpt {
    fn of(text: &str, span: Range<usize>) -> Option<Self> {
        let (before, rest) = (text.get(..span.start)?, text.get(span.start..)?);
        let start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let end = rest.find('\n').map_or(text.len(), |newline| span.start + newline);
        let underlined = text.get(span.start..span.end.clamp(span.start, end))?.trim_end();
        Some(Self {
            line: text[..start].matches('\n').count() + 1,
            column: text[start..span.start].chars().count() + 1,
            text: text[start..end].trim_end_matches('\r').to_owned(),
            width: underlined.chars().count().max(1),
        })
    }

    fn write(&self, f: &mut fmt::Formatter<'_>, hint: &str) -> fmt::Result {
        let Self { line, column, text, width } = self;
        let kept = |c: char| if c == '\t' { '\t' } else { ' ' };
        let indent: String = text.chars().take(column - 1).map(kept).collect();
        write!(f, ":{line}:{column}\n   |\n{line:>2} | {text}\n   | {indent}{} {hint}", "^".repeat(*width))
    }
}

/// Returns the location of the value of a dotted key. If the text does not contain the key, returns the
/// location of the innermost table on its path; `None` if there is no such table.
pub(super) fn value_span(text: &str, path: &str) -> Option<Range<usize>> {
    let table = DeTable::parse(text).ok()?;
    let (mut table, mut span) = (table.get_ref(), None);
    for name in path.split('.') {
        let Some((_, value)) = table.iter().find(|(key, _)| key.get_ref() == name) else { break };
        span = Some(value.span());
        match value.get_ref() {
            DeValue::Table(inner) => table = inner,
            _ => break,
        }
    }
    span
}

/// Returns the range of the innermost `key = value` that contains `position` and starts at the beginning of a
/// line.
pub(super) fn entry_at(text: &str, position: usize) -> Option<Range<usize>> {
    let table = DeTable::parse(text).ok()?;
    let mut found = Vec::new();
    entries_of(table.get_ref(), &mut found);
    let begins_line =
        |start: usize| text[..start].rsplit('\n').next().is_some_and(|line| line.trim().is_empty());
    let entries = found.into_iter().filter(|(key, value)| {
        let (start, end) = (key.start, value.end);
        let between = text.get(key.end..value.start);
        (start..end).contains(&position)
            && between.is_some_and(|between| between.trim() == "=")
            && begins_line(start)
    });
    entries.map(|(key, value)| key.start..value.end).min_by_key(Range::len)
}

/// Appends the locations of the keys and values of a table, including those of nested tables.
fn entries_of(table: &DeTable<'_>, found: &mut Vec<(Range<usize>, Range<usize>)>) {
    for (key, value) in table {
        found.push((key.span(), value.span()));
        tables_of(value, found);
    }
}

fn tables_of(value: &Spanned<DeValue<'_>>, found: &mut Vec<(Range<usize>, Range<usize>)>) {
    match value.get_ref() {
        DeValue::Table(inner) => entries_of(inner, found),
        DeValue::Array(items) => items.iter().for_each(|item| tables_of(item, found)),
        _ => {}
    }
}
