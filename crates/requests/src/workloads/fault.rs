//! Messages for invalid keys and types of a definition, in terms of workload files.
//!
//! The TOML parser refers to types of the engine (`expected u64`), which users do not know. Messages about
//! syntax, and locations, are kept.

use toml::de::Error;

use super::error::nearest;

/// Prefix of the location in the parser's messages, replaced unless the text is not TOML.
const NOT_TOML: &str = "TOML parse error at ";

/// Types in the parser's messages, with their descriptions.
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

/// Keys with alternative forms, with a description of these forms.
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

/// Returns the message for an error of the parser; `text` is the parsed text, if it is available.
pub(super) fn describe(error: &Error, text: Option<&str>) -> String {
    let all = error.to_string();
    let all = all.trim_end();
    let path = all.rsplit_once("\nin `").and_then(|(_, path)| path.strip_suffix('`'));
    let key = path.or_else(|| key_before(text?, error.span()?.start));
    let Some(message) = in_words(error.message(), key) else { return all.to_owned() };
    // If the message names the key, its path is not repeated.
    let place = all.split_once(error.message()).map_or("", |(place, _)| place).replacen(NOT_TOML, "at ", 1);
    let place_of_part = path.filter(|path| !message.contains(&format!("`{path}`")));
    let place_of_part = place_of_part.map_or_else(String::new, |path| format!("\nin `{path}`"));
    let hint =
        suggestion(error.message()).map_or_else(String::new, |name| format!("\ndid you mean `{name}`?"));
    format!("{place}{message}{place_of_part}{hint}")
}

/// Rephrases a message about a key or a type; `None` for other messages.
fn in_words(message: &str, key: Option<&str>) -> Option<String> {
    if let Some(missing) = message.strip_prefix("missing field ") {
        return Some(format!(
            "the key {missing} is missing; expected: this key, or `extends` with a workload that has it"
        ));
    }
    if let Some(unknown) = message.strip_prefix("unknown field ") {
        return Some(format!("unknown key {unknown}"));
    }
    if let Some(unknown) = message.strip_prefix("unknown variant ") {
        return Some(format!("unknown value {unknown}"));
    }
    let form = key.and_then(|key| form_of(last(key)));
    let subject = key.map_or_else(|| "this value".to_owned(), |key| format!("`{key}`"));
    let Some((found, expected)) = found_and_expected(message) else {
        // The remaining messages concern alternative forms.
        let form = form.filter(|_| message.starts_with("wanted "))?;
        return Some(format!("invalid {subject}; expected: {form}"));
    };
    let kind = KINDS.iter().find(|(kind, _)| *kind == expected).map(|&(_, words)| words);
    let expected = kind.or(form).unwrap_or("a table");
    Some(format!("{subject} is {}; expected: {expected}", of_file(found)))
}

fn found_and_expected(message: &str) -> Option<(&str, &str)> {
    let rest = message.strip_prefix("invalid type: ").or_else(|| message.strip_prefix("invalid value: "))?;
    rest.rsplit_once(", expected ")
}

/// Returns a value from the parser's message in the notation of the file.
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

/// Returns the key directly before the value at an offset of the text, if there is one.
fn key_before(text: &str, place: usize) -> Option<&str> {
    let before = text.get(..place)?.trim_end().strip_suffix('=')?.trim_end();
    let is_of_key =
        |character: char| character.is_ascii_alphanumeric() || matches!(character, '_' | '.' | '-');
    let start = before.rfind(|character| !is_of_key(character)).map_or(0, |end| end + 1);
    Some(&before[start..]).filter(|key| !key.is_empty())
}

/// Returns the expected key or choice that is most similar to an unknown one. The parser's message lists
/// names in backticks.
fn suggestion(message: &str) -> Option<&str> {
    let (_, rest) =
        message.split_once("unknown field `").or_else(|| message.split_once("unknown variant `"))?;
    let mut names = rest.split('`').step_by(2);
    let unknown = names.next()?;
    nearest(unknown, names)
}
