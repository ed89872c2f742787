//! Messages for invalid keys and types in a workload definition, in terms that its author knows.
//!
//! The TOML parser mentions Rust types (`expected u64`), which are replaced here. Its messages about syntax
//! and all locations are kept.

use toml::de::Error;

use super::error::nearest;
use super::problem::{DefinitionProblem, value_span};

/// Names of types in the parser's messages, with their replacements.
const KINDS: &[(&str, &str)] = &[
    ("u64", "a whole number, 0 or more"),
    ("u32", "a whole number, from 0 to 4294967295"),
    ("f64", "a number"),
    ("a boolean", "true or false"),
    ("a string", "a string in quotes"),
    ("a sequence", "a list in brackets"),
];

/// Words before a value in the parser's messages, with their replacements.
const FOUND: &[(&str, &str)] = &[
    ("integer ", ""),
    ("floating point ", ""),
    ("boolean ", ""),
    ("string ", ""),
    ("map", "a table"),
    ("sequence", "a list"),
    ("unit variant", "of another form"),
    ("newtype variant", "of another form"),
];

/// Keys whose values have alternative forms, with descriptions of these forms.
const FORMS: &[(&str, &str)] = &[
    ("size", SIZE),
    ("read", SIZE),
    ("write", SIZE),
    (
        "pattern",
        "\"uniform\", \"sequential\", \"permutation\", or a table with one key: zipf, hot_cold, pareto or normal",
    ),
    ("footprint", "a table with one key: bytes, at_most_bytes or drive_pct"),
    ("gaps", "\"constant\", \"exponential\", or a table with one key: hyperexponential or pareto"),
];

const SIZE: &str = "a table with one key: fixed_bytes, choices, normal or by_operation";

/// Error of a key whose value is out of range.
#[derive(Debug)]
pub(super) struct ValueFault {
    /// Full dotted path of the key.
    pub(super) key: &'static str,
    /// Value of the key in the file, as text.
    pub(super) found: String,
    /// Values that the key accepts.
    pub(super) expected: &'static str,
}

impl ValueFault {
    /// Returns the problem, with its location if the text is available.
    pub(super) fn problem(self, text: Option<&str>) -> DefinitionProblem {
        let Self { key, found, expected } = self;
        let span = text.and_then(|text| value_span(text, key));
        let problem = DefinitionProblem::new(format!("`{key}` is {found}"));
        problem.at(text, span).hint(Some(format!("expected: {expected}")))
    }
}

/// True for the error of a missing key.
pub(super) fn names_missing_key(error: &Error) -> bool {
    error.message().starts_with("missing field ")
}

/// Returns the problem of several missing keys, each in backticks.
pub(super) fn missing_several(keys: &[String]) -> DefinitionProblem {
    let problem = DefinitionProblem::new(format!("the keys {} are missing", keys.join(", ")));
    problem.note("expected: these keys, or `extends` with a workload that has them")
}

/// Returns the problem that describes an error of the parser. `text` is the parsed text, if available.
pub(super) fn describe(error: &Error, text: Option<&str>) -> DefinitionProblem {
    let all = error.to_string();
    let path = all.trim_end().rsplit_once("\nin `").and_then(|(_, path)| path.strip_suffix('`'));
    let key = path.or_else(|| key_before(text?, error.span()?.start));
    let problem = match in_words(error.message(), key, path) {
        Some(problem) => problem,
        None => match error.message().split_once("; expected: ") {
            Some((found, expected)) => expecting(found.to_owned(), expected),
            None => DefinitionProblem::new("invalid TOML").hint(Some(error.message().replace('\n', ", "))),
        },
    };
    let span = error.span().filter(|_| !names_missing_key(error));
    problem.at(text, span)
}

/// Returns the rephrased problem for a message about a key or a type; `None` for other messages.
fn in_words(message: &str, key: Option<&str>, path: Option<&str>) -> Option<DefinitionProblem> {
    if let Some(missing) = message.strip_prefix("missing field ") {
        let problem = DefinitionProblem::new(format!("the key {missing} is missing"));
        return Some(problem.note("expected: this key, or `extends` with a workload that has it"));
    }
    if let Some(unknown) = message.strip_prefix("unknown field ") {
        return Some(unknown_name("key", unknown, path));
    }
    if let Some(unknown) = message.strip_prefix("unknown variant ") {
        return Some(unknown_name("value", unknown, path));
    }
    let form = key.and_then(|key| form_of(last(key)));
    let subject = key.map_or_else(|| "this value".to_owned(), |key| format!("`{key}`"));
    let Some((found, expected)) = found_and_expected(message) else {
        // The remaining messages concern alternative forms.
        let form = form.filter(|_| message.starts_with("wanted "))?;
        return Some(expecting(format!("invalid {subject}"), form));
    };
    let kind = KINDS.iter().find(|(kind, _)| *kind == expected).map(|&(_, words)| words);
    let expected = kind.or(form).unwrap_or("a table");
    Some(expecting(format!("{subject} is {}", of_file(found)), expected))
}

fn expecting(message: String, expected: &str) -> DefinitionProblem {
    DefinitionProblem::new(message).hint(Some(format!("expected: {expected}")))
}

/// Returns the problem for an unknown key or value. Suggests the most similar known name, or lists all known
/// names if none is similar. The parser's message lists names in backticks: `` `found`, expected one of `a`,
/// `b` ``.
fn unknown_name(kind: &str, message: &str, path: Option<&str>) -> DefinitionProblem {
    let mut names = message.split('`').skip(1).step_by(2);
    let unknown = names.next().unwrap_or_default();
    let names: Vec<&str> = names.collect();
    let place = path.map_or_else(String::new, |path| format!(" in `{path}`"));
    let problem = DefinitionProblem::new(format!("unknown {kind} `{unknown}`{place}"));
    match nearest(unknown, names.iter().copied()) {
        Some(name) => problem.hint(Some(format!("did you mean `{name}`?"))),
        None => problem.hint(Some(format!("expected: one of `{}`", names.join("`, `")))),
    }
}

fn found_and_expected(message: &str) -> Option<(&str, &str)> {
    let rest = message.strip_prefix("invalid type: ").or_else(|| message.strip_prefix("invalid value: "))?;
    rest.rsplit_once(", expected ")
}

/// Converts a value in the parser's message to the notation of the file.
fn of_file(found: &str) -> String {
    let named = FOUND.iter().find_map(|(word, ours)| Some(format!("{ours}{}", found.strip_prefix(word)?)));
    named.unwrap_or_else(|| found.to_owned()).replace('`', "")
}

fn form_of(key: &str) -> Option<&'static str> {
    FORMS.iter().find(|(name, _)| *name == key).map(|&(_, form)| form)
}

fn last(path: &str) -> &str {
    path.rsplit('.').next().unwrap_or(path)
}

/// Returns the key directly before the value at byte `place` of the text, if there is one.
fn key_before(text: &str, place: usize) -> Option<&str> {
    let before = text.get(..place)?.trim_end().strip_suffix('=')?.trim_end();
    let is_of_key =
        |character: char| character.is_ascii_alphanumeric() || matches!(character, '_' | '.' | '-');
    let start = before.rfind(|character| !is_of_key(character)).map_or(0, |end| end + 1);
    Some(&before[start..]).filter(|key| !key.is_empty())
}
