//! Required literals of an expression, for which the chips search: every match contains at least one of these
//! texts.
//!
//! # How
//!
//! The syntax tree of the `regex-syntax` crate is traversed once. A part of the expression that matches only
//! a few texts becomes the set of these texts. The sets of neighbouring parts are concatenated. The result is
//! the set whose shortest text is longest.
//!
//! # Source
//!
//! The idea of Cox, "Regular Expression Matching with a Trigram Index", 2012.

use regex_syntax::hir::{Class, Hir, HirKind, Repetition};

use crate::matcher::LONGEST_PATTERN;

/// Set of texts. Every match contains at least one of them.
type RequiredTexts = Vec<Vec<u8>>;

/// Maximum number of texts in the concatenation of two sets.
const MAX_JOINED: usize = 16;
/// Maximum number of texts in a result. The chips need eight passes to search for them.
const MAX_TEXTS: usize = 64;
/// Maximum number of bytes in a character class that is expanded to texts.
const MAX_CLASS_MEMBERS: usize = 4;
/// Maximum count of a repetition that is expanded to texts.
const MAX_REPETITIONS: u32 = 32;

/// Returns a set of texts of 1 to 32 bytes, or `None` if there is no suitable set. Every match contains at
/// least one of the texts.
pub fn required(hir: &Hir) -> Option<RequiredTexts> {
    let found = match hir.kind() {
        HirKind::Concat(parts) => of_sequence(parts),
        HirKind::Alternation(parts) => {
            let each: Option<Vec<RequiredTexts>> = parts.iter().map(required).collect();
            each.map(|each| each.concat())
        }
        HirKind::Capture(capture) => required(&capture.sub),
        HirKind::Repetition(Repetition { min: 1.., sub, .. }) => exact(hir).or_else(|| required(sub)),
        _ => exact(hir),
    };
    usable(found?)
}

fn of_sequence(parts: &[Hir]) -> Option<RequiredTexts> {
    let mut best: Option<RequiredTexts> = None;
    let mut offer = |texts: Option<RequiredTexts>| {
        if let Some(texts) = texts.and_then(usable)
            && best.as_ref().is_none_or(|best| worth(best) < worth(&texts))
        {
            best = Some(texts);
        }
    };
    let mut run: RequiredTexts = vec![Vec::new()];
    for part in parts {
        let texts = exact(part);
        if let Some(joined) = texts.as_ref().and_then(|texts| joined(&run, texts)) {
            run = joined;
            continue;
        }
        offer(Some(run));
        offer(required(part));
        run = texts.unwrap_or_else(|| vec![Vec::new()]);
    }
    offer(Some(run));
    best
}

/// Returns all texts that a part of an expression matches, or `None` if there are too many.
fn exact(hir: &Hir) -> Option<RequiredTexts> {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => Some(vec![Vec::new()]),
        HirKind::Literal(text) => Some(vec![text.0.to_vec()]),
        HirKind::Class(class) => of_class(class),
        HirKind::Capture(capture) => exact(&capture.sub),
        HirKind::Concat(parts) => {
            parts.iter().try_fold(vec![Vec::new()], |run: RequiredTexts, part| joined(&run, &exact(part)?))
        }
        HirKind::Alternation(parts) => {
            let each: Option<Vec<RequiredTexts>> = parts.iter().map(exact).collect();
            each.map(|each| each.concat()).filter(|texts| texts.len() <= MAX_JOINED)
        }
        HirKind::Repetition(Repetition { min, max: Some(max), sub, .. }) if *max <= MAX_REPETITIONS => {
            let sub = exact(sub)?;
            let mut run: RequiredTexts = vec![Vec::new()];
            let mut all = Vec::new();
            for times in 0..=*max {
                if times >= *min {
                    all.extend(run.iter().cloned());
                }
                if times < *max {
                    run = joined(&run, &sub)?;
                }
            }
            (all.len() <= MAX_JOINED).then_some(all)
        }
        HirKind::Repetition(_) => None,
    }
}

fn of_class(class: &Class) -> Option<RequiredTexts> {
    let Class::Bytes(class) = class else { return None };
    let bytes = class.iter().flat_map(|range| range.start()..=range.end());
    let texts: RequiredTexts = bytes.take(MAX_CLASS_MEMBERS + 1).map(|byte| vec![byte]).collect();
    (1..=MAX_CLASS_MEMBERS).contains(&texts.len()).then_some(texts)
}

fn joined(run: &RequiredTexts, next: &RequiredTexts) -> Option<RequiredTexts> {
    let pair =
        |first: &Vec<u8>| next.iter().map(|second| [&first[..], second].concat()).collect::<RequiredTexts>();
    (run.len() * next.len() <= MAX_JOINED).then(|| run.iter().flat_map(pair).collect())
}

/// Truncates texts to the maximum pattern length of a chip. A match that contains a text also contains its
/// prefix.
fn usable(mut texts: RequiredTexts) -> Option<RequiredTexts> {
    for text in &mut texts {
        text.truncate(LONGEST_PATTERN);
    }
    texts.sort_unstable();
    texts.dedup();
    let is_usable = (1..=MAX_TEXTS).contains(&texts.len()) && texts.iter().all(|text| !text.is_empty());
    is_usable.then_some(texts)
}

/// Returns the key by which sets of texts are compared: the set with the greatest key is the best. A longer
/// shortest text is better; among equals, a smaller number of texts.
fn worth(texts: &RequiredTexts) -> (usize, usize) {
    let shortest = texts.iter().map(Vec::len).min().unwrap_or(0);
    (shortest, usize::MAX - texts.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(expression: &str) -> Option<Vec<String>> {
        let mut parser = regex_syntax::ParserBuilder::new().utf8(false).unicode(false).build();
        let texts = required(&parser.parse(expression).unwrap())?;
        Some(texts.into_iter().map(|text| String::from_utf8(text).unwrap()).collect())
    }

    #[test]
    fn every_match_holds_one_of_the_texts() {
        let some = |texts: &[&str]| Some(texts.iter().map(|&text| text.to_owned()).collect::<Vec<_>>());
        assert_eq!(of("[0-9]+ error: .*disk"), some(&[" error: "]));
        assert_eq!(of("(?:foo|ba[rz]) *x"), some(&["bar", "baz", "foo"]));
        assert_eq!(of("(?:abc)+[0-9]"), some(&["abc"]));
        assert_eq!(of("colou?r"), some(&["color", "colour"]));
        assert_eq!(of("^ab$"), some(&["ab"]));
        assert_eq!(of("a{3}"), some(&["aaa"]));
        assert_eq!(of("x*|abc"), None);
        assert_eq!(of("[0-9]+"), None);
        assert_eq!(of("(?:abc)?"), None);
        assert_eq!(of(&"y".repeat(40)), some(&[&"y".repeat(32)]));
    }
}
