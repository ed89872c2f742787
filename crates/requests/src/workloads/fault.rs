//! What is wrong with a definition's keys and types, in words of who wrote it.
//!
//! The parser of TOML speaks of the engine's types (`expected u64`), which say nothing to who writes a workload. What it says
//! of the file's form, and where, stands as it is.

use toml::de::Error;

use super::error::nearest;

/// What stands before the place in a message of the parser; only of a text that is not TOML it is true.
const NOT_TOML: &str = "TOML parse error at ";

/// Types, as the parser names them, and what it is that they take.
const KINDS: &[(&str, &str)] = &[
    ("u64", "a whole number, 0 or more"),
    ("u32", "a whole number, from 0 to 4294967295"),
    ("f64", "a number"),
    ("a boolean", "true or false"),
    ("a string", "a text in quotes"),
    ("a sequence", "a list in brackets"),
];

/// Words that the parser puts before a value that it found, and what stands in their place.
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

/// Choices among laws, by their last key, and how each is written.
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

/// Says what is wrong and where; `text` is what was parsed, if it was one.
pub(super) fn told(error: &Error, text: Option<&str>) -> String {
    let all = error.to_string();
    let all = all.trim_end();
    let path = all.rsplit_once("\nin `").and_then(|(_, path)| path.strip_suffix('`'));
    let key = path.or_else(|| key_before(text?, error.span()?.start));
    let Some(said) = in_words(error.message(), key) else { return all.to_owned() };
    // Where the key is told, it is the place.
    let place = all.split_once(error.message()).map_or("", |(place, _)| place).replacen(NOT_TOML, "at ", 1);
    let place_of_part = path.filter(|path| !said.starts_with(&format!("`{path}`")));
    let place_of_part = place_of_part.map_or_else(String::new, |path| format!("\nin `{path}`"));
    let hint = meant(error.message()).map_or_else(String::new, |name| format!("\ndid you mean `{name}`?"));
    format!("{place}{said}{place_of_part}{hint}")
}

/// The parser's message about a key or a type in other words; nothing of another one.
fn in_words(message: &str, key: Option<&str>) -> Option<String> {
    if let Some(missing) = message.strip_prefix("missing field ") {
        return Some(format!("the key {missing} is missing; give it, or `extends` a workload that has it"));
    }
    if let Some(unknown) = message.strip_prefix("unknown field ") {
        return Some(format!("unknown key {unknown}"));
    }
    if let Some(unknown) = message.strip_prefix("unknown variant ") {
        return Some(format!("unknown choice {unknown}"));
    }
    let form = key.and_then(|key| form_of(last(key)));
    let subject = key.map_or_else(|| "this value".to_owned(), |key| format!("`{key}`"));
    let Some((found, expected)) = found_and_expected(message) else {
        // All others are about a choice among laws.
        let form = form.filter(|_| message.starts_with("wanted "))?;
        return Some(format!("{subject} should be {form}"));
    };
    let kind = KINDS.iter().find(|(kind, _)| *kind == expected).map(|&(_, words)| words);
    let expected = kind.or(form).unwrap_or("a table");
    Some(format!("{subject} is {}; it should be {expected}", of_file(found)))
}

fn found_and_expected(message: &str) -> Option<(&str, &str)> {
    let rest = message.strip_prefix("invalid type: ").or_else(|| message.strip_prefix("invalid value: "))?;
    rest.rsplit_once(", expected ")
}

/// A value that the parser found, as it stands in the file.
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

/// The key whose value begins at a place of a text; nothing where none stands right before it.
fn key_before(text: &str, place: usize) -> Option<&str> {
    let before = text.get(..place)?.trim_end().strip_suffix('=')?.trim_end();
    let is_of_key =
        |character: char| character.is_ascii_alphanumeric() || matches!(character, '_' | '.' | '-');
    let start = before.rfind(|character| !is_of_key(character)).map_or(0, |end| end + 1);
    Some(&before[start..]).filter(|key| !key.is_empty())
}

/// Of a message that a key or choice is unknown, the one of those expected that is nearest to it: names stand in grave accents there.
fn meant(message: &str) -> Option<&str> {
    let (_, rest) =
        message.split_once("unknown field `").or_else(|| message.split_once("unknown variant `"))?;
    let mut names = rest.split('`').step_by(2);
    let unknown = names.next()?;
    nearest(unknown, names)
}
