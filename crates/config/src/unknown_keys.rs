//! Error messages for unknown keys: suggestions of similar keys, and alternatives for derived quantities.

use venice_params::{Parameter, PositionedValue, Section, last_segment, nearest};

use super::document::SourcePosition;
use super::entry::Entries;
use super::error::Problem;
use super::renames::present_name;
use super::table::{DERIVED, SECTIONS, find, parameters};

/// Returns the problem that reports an unknown key.
pub(super) fn problem(
    entries: &Entries,
    key: &str,
    place: &SourcePosition,
    raw: &PositionedValue,
) -> Problem {
    let shown = if place.span.is_some() { last_segment(key) } else { key };
    if let Some((_, from)) = DERIVED.iter().find(|(name, _)| *name == last_segment(key)) {
        let message = format!("`{shown}` is computed from {from} and cannot be set");
        return Problem::new(message).at(Some(place.clone()));
    }
    if raw.as_table().is_some() && place.span.is_some() {
        return unknown_table(key, place);
    }
    let problem = Problem::new(format!("unknown key `{shown}`")).at(Some(place.clone()));
    if let Some(present) = present_name(key) {
        let advice = "expected: the new name; `venice migrate FILE` updates a file";
        return problem.hint(Some(format!("renamed to `{present}`"))).note(advice);
    }
    match nearest_parameter(key) {
        Some((index, meant)) => {
            let name =
                if place.span.is_some() && same_section(key, meant) { meant.name() } else { meant.key };
            let expected = format!("expected: {}{}", meant.expectation(), entries.below(index, meant));
            problem.hint(Some(format!("did you mean `{name}`?"))).note(expected)
        }
        None => problem.hint(Some("no such key".to_owned())).note(keys_nearby(key)),
    }
}

/// Maximum number of suggested keys that contain the unknown word.
const MAX_SUGGESTIONS: usize = 3;
/// Minimum length of an unknown word for suggestions of keys that contain it.
const SEARCHED_LENGTH: usize = 4;

/// Returns suggestions for an unknown key: the most similar key or table or, if none is similar, the first
/// keys that contain the word.
pub(super) fn suggestions(key: &str) -> Vec<&'static str> {
    let sections = SECTIONS.iter().map(|section| section.name).filter(|name| !name.is_empty());
    let nearest = present_name(key)
        .or_else(|| nearest_parameter(key).map(|(_, parameter)| parameter.key))
        .or_else(|| nearest(key, sections));
    let word = last_segment(key);
    let containing = parameters().filter(|parameter| parameter.name().contains(word));
    match nearest {
        Some(nearest) => vec![nearest],
        None if word.len() < SEARCHED_LENGTH => Vec::new(),
        None => containing.map(|parameter| parameter.key).take(MAX_SUGGESTIONS).collect(),
    }
}

fn unknown_table(key: &str, place: &SourcePosition) -> Problem {
    let names = || SECTIONS.iter().map(|section| section.name).filter(|name| !name.is_empty());
    let hint =
        nearest(key, names()).map_or("no such table".to_owned(), |name| format!("did you mean `{name}`?"));
    let listed: Vec<String> = names().map(|name| format!("[{name}]")).collect();
    let problem = Problem::new(format!("unknown table `{key}`")).at(Some(place.clone())).hint(Some(hint));
    problem.note(format!("expected: one of {}", listed.join(", ")))
}

/// Returns the parameter with the most similar key. Keys of the same table are compared first, then the last
/// parts of all keys, then full keys.
fn nearest_parameter(key: &str) -> Option<(usize, &'static Parameter)> {
    let name = last_segment(key);
    let siblings = || parameters().filter(|parameter| same_section(key, parameter));
    let sibling = nearest(name, siblings().map(Parameter::name));
    let found = match sibling {
        Some(sibling) => siblings().find(|parameter| parameter.name() == sibling),
        None => elsewhere(name).or_else(|| {
            let full = nearest(key, parameters().map(|parameter| parameter.key))?;
            parameters().find(|parameter| parameter.key == full)
        }),
    };
    find(found?.key)
}

fn elsewhere(name: &str) -> Option<&'static Parameter> {
    parameters().find(|parameter| parameter.name() == name && !parameter.section().is_empty())
}

fn same_section(key: &str, parameter: &Parameter) -> bool {
    key.rsplit_once('.').map_or("", |(section, _)| section) == parameter.section()
}

fn keys_nearby(key: &str) -> String {
    let name = key.rsplit_once('.').map_or("", |(section, _)| section);
    match SECTIONS.iter().find(|section| section.name == name) {
        Some(section) => format!("expected: one of {}", key_list(section)),
        None => "expected: a key listed by `venice config explain`".to_owned(),
    }
}

fn key_list(section: &Section) -> String {
    let names: Vec<String> =
        section.parameters.iter().map(|parameter| format!("`{}`", parameter.name())).collect();
    names.join(", ")
}
