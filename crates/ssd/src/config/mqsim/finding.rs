//! What reading MQSim's files brings to light: problems, which end the run, and remarks, which do not.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use super::super::document::{Document, Place};
use super::super::error::{ConfigError, Problem};

/// Lines of one remark that are listed.
const MOST_LINES: usize = 4;

/// Something to tell the user that does not end the run: one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    /// How much it matters.
    pub level: Level,
    /// The file it is about, if it is about one.
    pub file: Option<String>,
    /// Lines of the file, from 1; none for the file as a whole.
    pub lines: Vec<usize>,
    /// What is to be said.
    pub text: String,
}

/// How much a remark matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// The result may differ from MQSim's for this reason.
    Warning,
    /// Good to know.
    Note,
}

impl Remark {
    /// A remark about a part of a document, or about all of it.
    pub(super) fn about(
        level: Level,
        document: &Arc<Document>,
        span: Option<&Range<usize>>,
        text: String,
    ) -> Self {
        let place = span.map(|span| Place { document: Arc::clone(document), span: Some(span.clone()) });
        let line = place.as_ref().and_then(Place::line).map(|line| line.number);
        Self { level, file: Some(document.name.clone()), lines: line.into_iter().collect(), text }
    }

    /// Whether the other says the same, be it of other lines.
    fn is_like(&self, other: &Self) -> bool {
        (self.level, &self.file, &self.text) == (other.level, &other.file, &other.text)
    }
}

impl fmt::Display for Remark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(file) = &self.file {
            f.write_str(file)?;
            let shown: Vec<String> = self.lines.iter().take(MOST_LINES).map(usize::to_string).collect();
            let colon = if shown.is_empty() { "" } else { ":" };
            write!(f, "{colon}{}", shown.join(","))?;
            if self.lines.len() > MOST_LINES {
                write!(f, " and {} more lines", self.lines.len() - MOST_LINES)?;
            }
            f.write_str(": ")?;
        }
        f.write_str(&self.text)
    }
}

/// The same remarks, those that say the same of several lines as one.
pub(super) fn merged(remarks: Vec<Remark>) -> Vec<Remark> {
    let mut told: Vec<Remark> = Vec::new();
    for remark in remarks {
        match told.iter_mut().find(|earlier| earlier.is_like(&remark)) {
            None => told.push(remark),
            Some(earlier) => {
                let new = remark.lines.into_iter().filter(|line| !earlier.lines.contains(line));
                let new: Vec<usize> = new.collect();
                earlier.lines.extend(new);
            }
        }
    }
    told
}

/// What was found in one file.
#[derive(Debug)]
pub(super) struct Findings {
    document: Arc<Document>,
    /// What is wrong.
    problems: Vec<Problem>,
    /// What else there is to say.
    remarks: Vec<Remark>,
}

impl Findings {
    /// Nothing so far.
    pub(super) fn new(document: Arc<Document>) -> Self {
        Self { document, problems: Vec::new(), remarks: Vec::new() }
    }

    /// A part of the file.
    pub(super) fn place(&self, span: &Range<usize>) -> Place {
        Place { document: Arc::clone(&self.document), span: Some(span.clone()) }
    }

    /// Adds a problem at `span`.
    pub(super) fn refuse(&mut self, span: &Range<usize>, problem: Problem) {
        let place = self.place(span);
        self.problems.push(problem.at(Some(place)));
    }

    /// Adds a warning at `span`.
    pub(super) fn warn(&mut self, span: &Range<usize>, text: String) {
        self.remark(Level::Warning, Some(span), text);
    }

    /// Adds a remark; without `span` it is about the whole file.
    pub(super) fn remark(&mut self, level: Level, span: Option<&Range<usize>>, text: String) {
        self.remarks.push(Remark::about(level, &self.document, span, text));
    }

    /// What was read and the remarks, unless something is wrong.
    ///
    /// # Errors
    /// All problems, in the order of the file, with the warnings.
    pub(super) fn conclude<T>(mut self, read: Option<T>) -> Result<(T, Vec<Remark>), ConfigError> {
        if self.problems.is_empty() {
            let read = read.expect("what cannot be read has a problem");
            return Ok((read, merged(self.remarks)));
        }
        self.problems.sort_by_key(Problem::offset);
        let warnings = merged(self.remarks).into_iter().filter(|remark| remark.level == Level::Warning);
        let warnings = warnings.map(|remark| remark.to_string()).collect();
        Err(ConfigError::new(self.problems).with_warnings(warnings))
    }
}
