//! Exact matching of lines by regular expressions.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use regex_automata::hybrid::dfa::{Cache, DFA};
use regex_automata::nfa::thompson::pikevm::PikeVM;
use regex_automata::util::syntax;
use regex_automata::{Anchored, Input, MatchKind, meta};

use super::expression::boundary;
use super::{GrepError, Options};

/// Maximum size of the lazy DFA's cache in bytes.
const CACHE_BYTES: usize = 4 << 20;

/// Matcher for all patterns, which are combined into one regular expression.
#[derive(Debug)]
pub struct ExactMatcher {
    /// Regular expression that finds the start of the leftmost match.
    any: meta::Regex,
    /// Automaton that finds the end of the longest match at a given start, as POSIX requires.
    longest: DFA,
    cache: Mutex<Cache>,
    /// Slower matcher that finds the longest match in non-ASCII text, where the DFA cannot decide word
    /// boundaries.
    slow: Option<PikeVM>,
    matches_nothing: bool,
    /// True if the check for a word boundary before a match cannot see the text before the end of the
    /// previous match.
    forgets: bool,
}

impl ExactMatcher {
    /// Compiles expressions in the syntax of the `regex` crates; `are_texts` is true if each expression
    /// matches a single text.
    ///
    /// With `-w`, GNU grep checks the word boundary before a match. For a fixed text it looks back only to
    /// the end of the previous match, for an expression to the start of the line.
    pub fn new(expressions: &[String], are_texts: bool, options: &Options) -> Result<Self, GrepError> {
        let each: Vec<String> = expressions.iter().map(|one| format!("(?:{one})")).collect();
        let all = format!("(?:{})", each.join("|"));
        let whole = match options {
            Options { whole_lines: true, .. } => format!("^{all}$"),
            Options { words: true, .. } => {
                let [start, end] = [r"\b{start-half}", r"\b{end-half}"].map(|one| boundary(one, options));
                format!("{start}{all}{end}")
            }
            _ => all,
        };
        let syntax = syntax::Config::new()
            .utf8(false)
            .unicode(false)
            .multi_line(true)
            .case_insensitive(options.ignores_case);
        let too_much = |error: &dyn std::error::Error| GrepError::TooMuch(error.to_string());
        let config = meta::Config::new().utf8_empty(false).nfa_size_limit(None);
        let any = meta::Builder::new().configure(config).syntax(syntax).build(&whole);
        let thompson = regex_automata::nfa::thompson::Config::new().utf8(false);
        let config = DFA::config()
            .match_kind(MatchKind::All)
            // The DFA stops at non-ASCII bytes; the matcher `slow` then continues.
            .unicode_word_boundary(true)
            .skip_cache_capacity_check(true)
            .cache_capacity(CACHE_BYTES);
        let longest =
            DFA::builder().configure(config).thompson(thompson.clone()).syntax(syntax).build(&whole);
        let longest = longest.map_err(|error| too_much(&error))?;
        let config = PikeVM::config().match_kind(MatchKind::All);
        let slow = || {
            let slow = PikeVM::builder().configure(config).thompson(thompson).syntax(syntax).build(&whole);
            slow.map_err(|error| too_much(&error))
        };
        let slow = options.unicode_words.then(slow).transpose()?;
        let cache = Mutex::new(longest.create_cache());
        let any = any.map_err(|error| too_much(&error))?;
        let forgets = are_texts && options.words && !options.whole_lines;
        Ok(Self { any, longest, cache, slow, matches_nothing: expressions.is_empty(), forgets })
    }

    /// Returns the start of the first match in `lines`, which consist of whole lines.
    pub fn first(&self, lines: &[u8]) -> Option<usize> {
        let start = if self.matches_nothing { None } else { self.any.find(lines).map(|found| found.start()) };
        // A match after the last newline belongs to no line.
        start.filter(|&start| start < lines.len() || lines.last().is_some_and(|&last| last != b'\n'))
    }

    /// Calls `report` with each non-empty match in a line. Matches do not overlap: the next one is the
    /// leftmost of the remaining line and, of these, the longest one.
    pub fn parts(&self, line: &[u8], mut report: impl FnMut(Range<usize>)) {
        let (mut base, mut from) = (0, 0);
        while base + from <= line.len()
            && let Some(found) = self.any.find(Input::new(&line[base..]).range(from..))
        {
            let text = &line[base..];
            let part = found.start()..self.longest_end(text, found.start()).unwrap_or(found.end());
            if part.is_empty() {
                from = part.start + 1;
                continue;
            }
            report(base + part.start..base + part.end);
            (base, from) = if self.forgets { (base + part.end, 0) } else { (base, part.end) };
        }
    }

    fn longest_end(&self, line: &[u8], start: usize) -> Option<usize> {
        let input = Input::new(line).range(start..).anchored(Anchored::Yes);
        let found = self
            .longest
            .try_search_fwd(&mut self.cache.lock().unwrap_or_else(PoisonError::into_inner), &input);
        if let Ok(found) = found {
            return found.map(|half| half.offset());
        }
        let slow = self.slow.as_ref()?;
        slow.find(&mut slow.create_cache(), input).map(|found| found.end())
    }
}
