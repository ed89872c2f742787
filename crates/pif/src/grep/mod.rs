//! What was found, as `grep` prints it.
//!
//! # What it models
//!
//! *In the chips* go texts of which every selected line holds one ([`Grep::new`]): fixed strings of up to 32 bytes as they are, the beginnings of longer
//! ones, the required literals of expressions, 8 in each pass. Where there is none every page is read.
//!
//! *In the controller* and the host the lines that may match are completed and looked at. A line's number and offset follow from the controller's index:
//! newlines before each page and whether it ends with one, noted when the data were stored. A line's text may begin and end in pages that hold no match:
//! those are read as any page is, and noted as context, since they cost time. So are lines printed around matches.
//!
//! *Streaming.* Data come piece by piece ([`Stream::feed`]); what is kept is the piece at hand, the line that it ends in and lines that may be printed before it.
//!
//! # What is left out
//!
//! Binary files are treated as text, as by `grep -a`. Locales: bytes are compared, as in the C locale. Basic and Perl's expressions, back-references. A line
//! of which a part is unreadable is neither selected nor printed; the page is named.
//!
//! # Source
//!
//! POSIX.1-2017, `grep`; GNU grep 3.8 for the options that POSIX lacks.

mod at_hand;
mod exact;
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

use exact::Exact;
pub use expression::ExpressionError;
pub use options::{Options, Wanted};
pub use stream::{PageRecord, Stream};

/// A pattern that cannot be searched for as `grep` would.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum GrepError {
    /// A chip does not take it. A bug: what does not fit is cut.
    #[error(transparent)]
    Pattern(#[from] PatternError),
    /// It is no expression.
    #[error(transparent)]
    Expression(#[from] ExpressionError),
    /// All together are too much for an automaton.
    #[error("these patterns cannot be searched for together: {0}")]
    TooMuch(String),
}

/// Searches data as `grep` does.
#[derive(Debug)]
pub struct Grep {
    options: Options,
    searcher: Searcher,
    exact: Exact,
    /// Whether every hit of a chip is in a selected line.
    hits_are_lines: bool,
}

impl Grep {
    /// For these patterns; a newline within one separates two. Without any nothing matches.
    ///
    /// # Errors
    /// [`GrepError`].
    pub fn new(patterns: &[Vec<u8>], options: Options, settings: ReadSettings) -> Result<Self, GrepError> {
        let mut unlike: Vec<&[u8]> =
            patterns.iter().flat_map(|text| text.split(|&byte| byte == b'\n')).collect();
        unlike.sort_unstable();
        unlike.dedup();
        let expressions =
            unlike.iter().map(|text| expression(text, &options)).collect::<Result<Vec<_>, _>>()?;
        let are_texts = !options.is_extended || unlike.iter().all(|text| expression::is_text(text));
        let exact = Exact::new(&expressions, are_texts, &options)?;
        let texts =
            if options.needs_all_pages() { Vec::new() } else { texts_of(&unlike, &expressions, &options) };
        let fits = |text: &&[u8]| (1..=LONGEST_PATTERN).contains(&text.len());
        let is_plain = !(options.is_extended || options.words || options.whole_lines);
        let hits_are_lines = is_plain && unlike.iter().all(fits);
        let searcher = Searcher::new(&texts, options.ignores_case, settings)?;
        Ok(Self { options, searcher, exact, hits_are_lines })
    }

    /// What it searches by.
    pub const fn searcher(&self) -> &Searcher {
        &self.searcher
    }

    /// What is asked for.
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

/// Texts of which every match holds one; none if there are none, or if one is held by another anyway.
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
