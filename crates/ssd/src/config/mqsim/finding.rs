//! What reading MQSim's files brings to light: problems, which end the run, and remarks, which do not.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use super::super::document::{Document, Place};
use super::super::error::{ConfigError, Problem};

/// Something to tell the user that does not end the run: one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    /// How much it matters.
    pub level: Level,
    /// `file:line`, where there is one.
    pub place: Option<String>,
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

impl fmt::Display for Remark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = &self.place {
            write!(f, "{place}: ")?;
        }
        f.write_str(&self.text)
    }
}

/// What was found in one file.
#[derive(Debug)]
pub(super) struct Findings {
    document: Arc<Document>,
    /// What is wrong.
    problems: Vec<Problem>,
    /// What else there is to say.
    pub(super) remarks: Vec<Remark>,
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
        let place = span.map_or_else(|| self.document.name.clone(), |span| self.place(span).brief());
        self.remarks.push(Remark { level, place: Some(place), text });
    }

    /// What was read and the remarks, unless something is wrong.
    ///
    /// # Errors
    /// All problems, in the order of the file.
    pub(super) fn conclude<T>(mut self, read: Option<T>) -> Result<(T, Vec<Remark>), ConfigError> {
        if self.problems.is_empty() {
            let read = read.expect("what cannot be read has a problem");
            return Ok((read, self.remarks));
        }
        self.problems.sort_by_key(Problem::offset);
        Err(ConfigError::new(self.problems))
    }
}
