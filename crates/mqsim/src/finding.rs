//! Results of checking MQSim's files: problems, which end the run, and remarks, which do not.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use venice_config::{ConfigError, Problem};
use venice_config::{Document, SourcePosition};

/// Maximum number of line numbers in one remark.
const MAX_LINES: usize = 4;

/// Remark about MQSim's files: a message to the user that does not end the run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// Severity of the remark.
    pub level: Severity,
    /// File to which the remark refers, if any.
    pub file: Option<String>,
    /// Line numbers in the file, from 1; empty if the remark concerns the whole file.
    pub lines: Vec<usize>,
    /// Text of the remark.
    pub text: String,
}

/// Severity of a remark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// The described setting may cause results that differ from MQSim's.
    Warning,
    /// The remark is for information only.
    Note,
}

impl Notice {
    /// Creates a remark about a span of a document, or about the whole document.
    pub(super) fn about(
        level: Severity,
        document: &Arc<Document>,
        span: Option<&Range<usize>>,
        text: String,
    ) -> Self {
        let place =
            span.map(|span| SourcePosition { document: Arc::clone(document), span: Some(span.clone()) });
        let line = place.as_ref().and_then(SourcePosition::line).map(|line| line.number);
        Self { level, file: Some(document.name.clone()), lines: line.into_iter().collect(), text }
    }

    /// True if severity, file and text are equal, although line numbers may differ.
    fn is_like(&self, other: &Self) -> bool {
        (self.level, &self.file, &self.text) == (other.level, &other.file, &other.text)
    }
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(file) = &self.file {
            f.write_str(file)?;
            let shown: Vec<String> = self.lines.iter().take(MAX_LINES).map(usize::to_string).collect();
            let colon = if shown.is_empty() { "" } else { ":" };
            write!(f, "{colon}{}", shown.join(","))?;
            if self.lines.len() > MAX_LINES {
                write!(f, " and {} more lines", self.lines.len() - MAX_LINES)?;
            }
            f.write_str(": ")?;
        }
        f.write_str(&self.text)
    }
}

/// Merges remarks that differ only in their line numbers.
pub(super) fn merged(remarks: Vec<Notice>) -> Vec<Notice> {
    let mut merged: Vec<Notice> = Vec::new();
    for remark in remarks {
        match merged.iter_mut().find(|earlier| earlier.is_like(&remark)) {
            None => merged.push(remark),
            Some(earlier) => {
                let new = remark.lines.into_iter().filter(|line| !earlier.lines.contains(line));
                let new: Vec<usize> = new.collect();
                earlier.lines.extend(new);
            }
        }
    }
    merged
}

/// Problems and remarks found in one file.
#[derive(Debug)]
pub(super) struct Findings {
    document: Arc<Document>,
    /// Problems, which end the run.
    problems: Vec<Problem>,
    /// Remarks, which do not prevent the use of the file.
    remarks: Vec<Notice>,
}

impl Findings {
    /// Creates an empty list of findings.
    pub(super) fn new(document: Arc<Document>) -> Self {
        Self { document, problems: Vec::new(), remarks: Vec::new() }
    }

    /// Returns the location of a span in the file.
    pub(super) fn place(&self, span: &Range<usize>) -> SourcePosition {
        SourcePosition { document: Arc::clone(&self.document), span: Some(span.clone()) }
    }

    /// Adds a problem at `span`.
    pub(super) fn refuse(&mut self, span: &Range<usize>, problem: Problem) {
        let place = self.place(span);
        self.problems.push(problem.at(Some(place)));
    }

    /// Adds a warning at `span`.
    pub(super) fn warn(&mut self, span: &Range<usize>, text: String) {
        self.remark(Severity::Warning, Some(span), text);
    }

    /// Adds a remark at `span`, or about the whole file.
    pub(super) fn remark(&mut self, level: Severity, span: Option<&Range<usize>>, text: String) {
        self.remarks.push(Notice::about(level, &self.document, span, text));
    }

    /// Returns the content of the file and the remarks.
    ///
    /// # Errors
    /// Returns a [`ConfigError`] with all problems, in file order, and the warnings.
    pub(super) fn conclude<T>(mut self, read: Option<T>) -> Result<(T, Vec<Notice>), ConfigError> {
        if self.problems.is_empty() {
            let read = read.expect("what cannot be read has a problem");
            return Ok((read, merged(self.remarks)));
        }
        self.problems.sort_by_key(Problem::offset);
        let warnings = merged(self.remarks).into_iter().filter(|remark| remark.level == Severity::Warning);
        let warnings = warnings.map(|remark| remark.to_string()).collect();
        Err(ConfigError::new(self.problems).with_warnings(warnings))
    }
}
