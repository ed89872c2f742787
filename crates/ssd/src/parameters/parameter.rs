//! What a parameter is: its key, the values it takes, its default, and what it means.
//!
//! A drive's parameters are a list of these. Parsing, range checks, explanations, the schema and
//! the reference page are all read off that list, so nothing about a parameter is said twice.

use super::kind::Kind;
use super::raw::parse_word;
use super::value::{Value, format_number};

/// A parameter of a drive, as the table or a policy's file declares it.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// The full key: `flash.command.t_cmd_ns`.
    pub key: &'static str,
    /// Which values are accepted.
    pub kind: Kind,
    /// The unit of the value; empty for counts, names and yes-or-no.
    pub unit: &'static str,
    /// The value of a drive that does not say, as TOML or a bare word; without one, every drive has to say.
    pub default: Option<&'static str>,
    /// Where the meaning and the default come from.
    pub source: &'static str,
    /// The lines of the declaration's comment.
    pub(crate) doc: &'static [&'static str],
}

/// A group of parameters: a table of the TOML file.
#[derive(Debug)]
pub struct Section {
    /// The table's name (`flash.command`); empty for the keys at the top of a file.
    pub name: &'static str,
    /// Its parameters, in the order of the table.
    pub parameters: &'static [Parameter],
    /// The lines of the declaration's comment.
    pub(crate) doc: &'static [&'static str],
}

impl Parameter {
    /// The key's section, without the last dot: `flash.command`; empty at the top of the file.
    pub fn section(&self) -> &'static str {
        self.key.rsplit_once('.').map_or("", |(section, _)| section)
    }

    /// The key inside its section: `t_cmd_ns`.
    pub fn name(&self) -> &'static str {
        last_segment(self.key)
    }

    /// The meaning in a few words, without a full stop.
    pub fn what(&self) -> String {
        first_paragraph(self.doc)
    }

    /// What else there is to know; often empty. Of a seam's policies, what each does.
    pub fn note(&self) -> String {
        let note = further_paragraphs(self.doc);
        let Kind::Choice { names, about, .. } = self.kind else { return note };
        let each = names.iter().zip(about).map(|(name, about)| format!("`{name}`: {about}."));
        let said = std::iter::once(note).filter(|note| !note.is_empty());
        said.chain(each).collect::<Vec<_>>().join(" ")
    }

    /// The accepted values with their unit: "0.001 to 100000 µs".
    pub fn accepted(&self) -> String {
        let range = |min: String, max: String| format!("{min} to {max}{}", self.spaced_unit());
        match self.kind {
            Kind::Integer { min, max, step: 1 } => range(min.to_string(), max.to_string()),
            Kind::Integer { min, max, step } => {
                format!("{}, a multiple of {step}", range(min.to_string(), max.to_string()))
            }
            Kind::Number { min, max } => range(format_number(min), format_number(max)),
            Kind::Numbers { min, max, max_len } => {
                format!("{}, or a list of at most {max_len}", range(format_number(min), format_number(max)))
            }
            Kind::NumberOr { min, max, word } => {
                format!("{}, or \"{word}\"", range(format_number(min), format_number(max)))
            }
            Kind::Choice { names, .. } => one_of(names),
            Kind::Choices { names, .. } => format!("a list of {}", one_of(names)),
            Kind::Lists { max } => format!("a list of lists of 0 to {max}{}", self.spaced_unit()),
            Kind::Boolean => "true or false".to_owned(),
            Kind::Text => "text".to_owned(),
        }
    }

    /// The default with its unit, if there is one.
    pub fn default_with_unit(&self) -> Option<String> {
        let default = self.default?;
        if matches!(self.kind, Kind::NumberOr { word, .. } if word == default) {
            return Some(default.to_owned());
        }
        Some(if default.is_empty() { "empty".to_owned() } else { format!("{default}{}", self.spaced_unit()) })
    }

    /// The default as a value; the table's own test reads every one.
    pub(crate) fn default_value(&self) -> Option<Value> {
        let raw = parse_word(self.default?).expect("the table's defaults are TOML or bare words");
        Some(self.kind.accept(&raw).expect("the table's defaults are within their ranges"))
    }

    /// What to expect, after the word: "array read time (tR), 1 to 1000 µs".
    pub(crate) fn expectation(&self) -> String {
        let link = if matches!(self.kind, Kind::Choice { .. }) { ": one of" } else { "," };
        format!("{}{link} {}", lowercase_first(&self.what()), self.accepted())
    }

    /// The unit with a space in front, or nothing.
    pub(crate) fn spaced_unit(&self) -> String {
        if self.unit.is_empty() { String::new() } else { format!(" {}", self.unit) }
    }
}

impl Section {
    /// What the section is about, in a few words.
    pub fn what(&self) -> String {
        first_paragraph(self.doc)
    }

    /// What else there is to know; often empty.
    pub fn note(&self) -> String {
        further_paragraphs(self.doc)
    }
}

/// The part of a dotted key after the last dot.
pub(crate) fn last_segment(key: &str) -> &str {
    key.rsplit_once('.').map_or(key, |(_, name)| name)
}

/// "Rows of chips" becomes "rows of chips"; a name such as "ONFI" stays.
fn lowercase_first(text: &str) -> String {
    let mut letters = text.chars();
    match (letters.next(), letters.clone().next()) {
        (Some(first), Some(second)) if second.is_lowercase() || second == ' ' => {
            first.to_lowercase().chain(letters).collect()
        }
        _ => text.to_owned(),
    }
}

fn one_of(names: &[&str]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("\"{name}\"")).collect();
    quoted.join(", ")
}

fn first_paragraph(doc: &[&str]) -> String {
    let lines: Vec<&str> = doc.iter().map(|line| line.trim()).take_while(|line| !line.is_empty()).collect();
    lines.join(" ").trim_end_matches('.').to_owned()
}

fn further_paragraphs(doc: &[&str]) -> String {
    let lines: Vec<&str> = doc.iter().map(|line| line.trim()).skip_while(|line| !line.is_empty()).collect();
    lines.join(" ").trim().to_owned()
}
