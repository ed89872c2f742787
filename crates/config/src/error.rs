//! Configuration errors. An error reports all problems at once, each with its location and a remedy.

use std::fmt;

use super::document::{SourceLine, SourcePosition};

/// All problems of a configuration.
///
/// Its `Display` implementation prints each problem with file, line, excerpt, and expected value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigError {
    problems: Vec<Problem>,
    warnings: Vec<String>,
}

/// One problem of a configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    message: String,
    place: Option<SourcePosition>,
    hint: Option<String>,
    notes: Vec<String>,
}

impl ConfigError {
    /// Creates an error from problems that the caller has sorted by location.
    pub fn new(problems: Vec<Problem>) -> Self {
        Self { problems, warnings: Vec::new() }
    }

    /// Adds warnings to the error, since a warning often names the cause of a problem, such as a misspelt
    /// tag.
    #[must_use]
    pub fn with_warnings(mut self, warnings: Vec<String>) -> Self {
        self.warnings = warnings;
        self
    }

    /// Returns the warnings about the files with problems.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Returns the problems, at least one.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// Returns the document that contains all problems; `None` if the problems are in several documents or in
    /// none.
    fn document(&self) -> Option<&str> {
        let mut names =
            self.problems.iter().map(|problem| Some(problem.place.as_ref()?.document.name.as_str()));
        let first = names.next()??;
        names.all(|name| name == Some(first)).then_some(first)
    }
}

impl Problem {
    /// Creates a problem without a location.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), place: None, hint: None, notes: Vec::new() }
    }

    /// Sets the location of the problem.
    #[must_use]
    pub fn at(mut self, place: Option<SourcePosition>) -> Self {
        self.place = place;
        self
    }

    /// Sets the hint, which is printed under the excerpt.
    #[must_use]
    pub fn hint(mut self, hint: Option<String>) -> Self {
        self.hint = hint;
        self
    }

    /// Adds a line of explanation, printed below the excerpt.
    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    /// Returns the one-line message.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Returns the file, preset or option with the problem.
    pub fn document(&self) -> Option<&str> {
        self.place.as_ref().map(|place| place.document.name.as_str())
    }

    /// Returns line and column of the problem in its file, counted from 1; `None` for a command-line option.
    pub fn line_and_column(&self) -> Option<(usize, usize)> {
        self.place.as_ref()?.line().map(|line| (line.number, line.column))
    }

    /// Returns the byte offset of the problem in its document, by which problems are sorted.
    pub fn offset(&self) -> usize {
        self.place.as_ref().and_then(|place| place.span.as_ref()).map_or(0, |span| span.start)
    }

    fn write_place(&self, f: &mut fmt::Formatter<'_>, place: &SourcePosition) -> fmt::Result {
        let name = &place.document.name;
        match (place.line(), &self.hint) {
            (None, hint) => {
                writeln!(f, "  --> {name}")?;
                hint.iter().try_for_each(|hint| writeln!(f, "   = {hint}"))
            }
            (Some(line), None) => writeln!(f, "  --> {name}:{}:{}", line.number, line.column),
            (Some(line), Some(hint)) => {
                writeln!(f, "  --> {name}:{}:{}", line.number, line.column)?;
                write_excerpt(f, &line, hint)
            }
        }
    }
}

fn write_excerpt(f: &mut fmt::Formatter<'_>, line: &SourceLine<'_>, hint: &str) -> fmt::Result {
    let indent: String =
        line.text.chars().take(line.column - 1).map(|c| if c == '\t' { '\t' } else { ' ' }).collect();
    writeln!(f, "   |")?;
    writeln!(f, "{:>2} | {}", line.number, line.text)?;
    writeln!(f, "   | {indent}{} {hint}", "^".repeat(line.width))
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "error: {}", self.message)?;
        match &self.place {
            Some(place) => self.write_place(f, place)?,
            None => self.hint.iter().try_for_each(|hint| writeln!(f, "   = {hint}"))?,
        }
        self.notes.iter().try_for_each(|note| writeln!(f, "   = {note}"))
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, problem) in self.problems.iter().enumerate() {
            let text = problem.to_string();
            f.write_str(if index == 0 { "" } else { "\n" })?;
            f.write_str(text.trim_end())?;
        }
        self.warnings.iter().try_for_each(|warning| write!(f, "\nwarning: {warning}"))?;
        if self.problems.iter().all(|problem| problem.place.is_none()) {
            return Ok(());
        }
        let count = self.problems.len();
        let plural = if count == 1 { "" } else { "s" };
        let document = self.document().map_or(String::new(), |name| format!(" in {name}"));
        write!(f, "\n{count} problem{plural}{document}; nothing was run")
    }
}

impl std::error::Error for ConfigError {}
