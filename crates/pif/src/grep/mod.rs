//! Search with the options and the output of `grep`.
//!
//! # What it models
//!
//! *In the chips*: a search for a set of texts. Every selected line contains at least one of them
//! ([`Grep::new`]). The texts are fixed strings of up to 32 bytes, prefixes of longer strings, and literals
//! that an expression requires. Eight texts are searched in each pass. If there are no such texts, every page
//! is read.
//!
//! *In the controller and the host*: candidate lines are completed with text of neighbouring pages, and
//! matched exactly. When a file is stored, the controller's index records the number of newlines before each
//! page, and whether the page ends with a newline. Line numbers and offsets follow from this index. A line
//! may extend into pages without a match, and context lines may lie in such pages. These pages are also read,
//! and counted as context pages.
//!
//! *Streaming.* Text arrives in pieces ([`FileSearch::feed`]). The buffer holds the current piece, its
//! incomplete last line and preceding lines that may still be printed.
//!
//! # What is left out
//!
//! Recognition of binary files, which are treated as text, as by `grep -a`. Bytes are compared as in the C
//! locale. Basic and Perl expressions and back-references are not supported. A line with an unreadable part
//! is neither selected nor printed; the unreadable page is reported.
//!
//! # Source
//!
//! POSIX.1-2017, `grep`; GNU grep 3.8 for options beyond POSIX.

mod buffered_text;
mod exact_matcher;
mod expression;
mod literals;
mod options;
mod printer;
mod stream;
mod text;

use regex_syntax::ParserBuilder;
use thiserror::Error;

use crate::matcher::{LONGEST_PATTERN, PatternError};
use crate::store::{ReadSettings, Searcher};

use exact_matcher::ExactMatcher;
pub use expression::ExpressionError;
pub use options::{Options, OutputMode};
pub use stream::{FileSearch, PageRecord};

/// Error in the patterns of a search.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum GrepError {
    /// A chip cannot search for the pattern. This is an internal error, since patterns are truncated to the
    /// maximum length of a chip first.
    #[error(transparent)]
    Pattern(#[from] PatternError),
    /// Invalid or unsupported expression.
    #[error(transparent)]
    Expression(#[from] ExpressionError),
    /// The automaton of all patterns exceeds its size limit.
    #[error("these patterns cannot be combined in one search: {0}")]
    TooMuch(String),
}

/// Compiled search for `grep` patterns.
#[derive(Debug)]
pub struct Grep {
    options: Options,
    searcher: Searcher,
    exact: ExactMatcher,
    /// True if every hit of a chip lies in a line that is selected.
    hits_are_lines: bool,
}

impl Grep {
    /// Compiles patterns. A newline in a pattern separates two patterns. An empty list matches nothing.
    ///
    /// # Errors
    /// [`GrepError`] for an expression that is invalid, unsupported or too large.
    pub fn new(patterns: &[Vec<u8>], options: Options, settings: ReadSettings) -> Result<Self, GrepError> {
        let mut unlike: Vec<&[u8]> =
            patterns.iter().flat_map(|text| text.split(|&byte| byte == b'\n')).collect();
        unlike.sort_unstable();
        unlike.dedup();
        let expressions =
            unlike.iter().map(|text| expression(text, &options)).collect::<Result<Vec<_>, _>>()?;
        let are_texts = !options.is_extended || unlike.iter().all(|text| expression::is_text(text));
        let exact = ExactMatcher::new(&expressions, are_texts, &options)?;
        let texts =
            if options.needs_all_pages() { Vec::new() } else { texts_of(&unlike, &expressions, &options) };
        let fits = |text: &&[u8]| (1..=LONGEST_PATTERN).contains(&text.len());
        let is_plain = !(options.is_extended || options.words || options.whole_lines);
        let hits_are_lines = is_plain && unlike.iter().all(fits);
        let searcher = Searcher::new(&texts, options.ignores_case, settings)?;
        Ok(Self { options, searcher, exact, hits_are_lines })
    }

    /// Returns the search that the chips execute. It finds a set of texts; every selected line contains at
    /// least one of them.
    pub const fn searcher(&self) -> &Searcher {
        &self.searcher
    }

    /// Returns the options of the search.
    pub const fn options(&self) -> &Options {
        &self.options
    }
}

fn expression(text: &[u8], options: &Options) -> Result<String, ExpressionError> {
    if options.is_extended {
        return expression::translated(text, options);
    }
    Ok(text.iter().map(|&byte| expression::literal(byte)).collect())
}

/// Returns a set of texts, which is empty if there is no suitable set. Every match of the patterns contains
/// at least one of the texts.
fn texts_of(patterns: &[&[u8]], expressions: &[String], options: &Options) -> Vec<Vec<u8>> {
    let of = |(text, expression): (&&[u8], &String)| {
        if options.is_extended {
            let mut parser = ParserBuilder::new().utf8(false).unicode(false).multi_line(true).build();
            return literals::required(&parser.parse(expression).ok()?);
        }
        (!text.is_empty()).then(|| vec![text[..text.len().min(LONGEST_PATTERN)].to_vec()])
    };
    let each: Option<Vec<_>> = patterns.iter().zip(expressions).map(of).collect();
    let mut texts = each.unwrap_or_default().concat();
    if options.ignores_case {
        for text in &mut texts {
            text.make_ascii_lowercase();
        }
    }
    texts.sort_unstable();
    texts.dedup();
    texts
}
