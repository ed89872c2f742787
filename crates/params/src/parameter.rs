//! Parameters and sections: keys, accepted values, defaults, and help texts.
//!
//! A drive's parameters form a list. Parsing, range checks, help, the schema and the reference page all use
//! this list, so each property of a parameter is defined once.

use super::kind::ParameterKind;
use super::raw::parse_word;
use super::value::{Value, format_number};

/// Declaration of a parameter: key, accepted values, default, and help text.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// Full key, such as `flash.command.t_cmd_ns`.
    pub key: &'static str,
    /// Type and range of the accepted values.
    pub kind: ParameterKind,
    /// Unit of the value; empty for counts, names and booleans.
    pub unit: &'static str,
    /// Default, as TOML or a bare word; `None` for a required parameter.
    pub default: Option<&'static str>,
    /// Source of the parameter's definition and default.
    pub source: &'static str,
    /// Lines of the declaration's doc comment.
    pub doc: &'static [&'static str],
}

/// A group of parameters: a table of the TOML file.
#[derive(Debug)]
pub struct Section {
    /// Name of the table (`flash.command`); empty for the top level of a file.
    pub name: &'static str,
    /// Parameters, in the order of the table.
    pub parameters: &'static [Parameter],
    /// Lines of the section's doc comment.
    pub doc: &'static [&'static str],
}

impl Parameter {
    /// Returns the section part of the key, without the last dot, such as `flash.command`; empty at the top
    /// level.
    pub fn section(&self) -> &'static str {
        self.key.rsplit_once('.').map_or("", |(section, _)| section)
    }

    /// Returns the last part of the key, such as `t_cmd_ns`.
    pub fn name(&self) -> &'static str {
        last_segment(self.key)
    }

    /// Returns the short definition of the parameter, without a full stop.
    pub fn what(&self) -> String {
        first_paragraph(self.doc)
    }

    /// Returns the details of the parameter, possibly empty. For a choice of policies they include the
    /// description of each.
    pub fn note(&self) -> String {
        let note = further_paragraphs(self.doc);
        let ParameterKind::Choice { names, about, .. } = self.kind else { return note };
        let each = names.iter().zip(about).map(|(name, about)| format!("`{name}`: {about}."));
        let parts = std::iter::once(note).filter(|note| !note.is_empty());
        parts.chain(each).collect::<Vec<_>>().join(" ")
    }

    /// Returns the accepted values with their unit, such as "0.001 to 100000 µs".
    pub fn accepted(&self) -> String {
        let range = |min: String, max: String| format!("{min} to {max}{}", self.spaced_unit());
        match self.kind {
            ParameterKind::Integer { min, max, step: 1 } => range(min.to_string(), max.to_string()),
            ParameterKind::Integer { min, max, step } => {
                format!("{}, a multiple of {step}", range(min.to_string(), max.to_string()))
            }
            ParameterKind::Number { min, max } => range(format_number(min), format_number(max)),
            ParameterKind::Numbers { min, max, max_len } => {
                format!("{}, or a list of at most {max_len}", range(format_number(min), format_number(max)))
            }
            ParameterKind::NumberOr { min, max, word } => {
                format!("{}, or \"{word}\"", range(format_number(min), format_number(max)))
            }
            ParameterKind::Choice { names, .. } => one_of(names),
            ParameterKind::Choices { names, .. } => format!("a list of {}", one_of(names)),
            ParameterKind::Lists { max } => format!("a list of lists of 0 to {max}{}", self.spaced_unit()),
            ParameterKind::Boolean => "true or false".to_owned(),
            ParameterKind::Text => "text".to_owned(),
            ParameterKind::Texts => "a list of texts".to_owned(),
        }
    }

    /// Returns the default with its unit; `None` for a required parameter.
    pub fn default_with_unit(&self) -> Option<String> {
        let default = self.default?;
        if matches!(self.kind, ParameterKind::NumberOr { word, .. } if word == default) {
            return Some(default.to_owned());
        }
        Some(if default.is_empty() { "empty".to_owned() } else { format!("{default}{}", self.spaced_unit()) })
    }

    /// Returns the default as a value; a test of the table evaluates all defaults.
    ///
    /// # Panics
    /// Panics if the declared default is not an accepted value.
    pub fn default_value(&self) -> Option<Value> {
        let raw = parse_word(self.default?).expect("the table's defaults are TOML or bare words");
        Some(self.kind.accept(&raw).expect("the table's defaults are within their ranges"))
    }

    /// Returns a description of the expected value for messages, such as "array read time (tR), 1 to 1000
    /// µs".
    pub fn expectation(&self) -> String {
        let link = if matches!(self.kind, ParameterKind::Choice { .. }) { ": one of" } else { "," };
        format!("{}{link} {}", lowercase_first(&self.what()), self.accepted())
    }

    /// Returns the unit with a leading space; empty without a unit.
    pub fn spaced_unit(&self) -> String {
        if self.unit.is_empty() { String::new() } else { format!(" {}", self.unit) }
    }
}

impl Section {
    /// Returns the short definition of the section.
    pub fn what(&self) -> String {
        first_paragraph(self.doc)
    }

    /// Returns the details of the section, possibly empty.
    pub fn note(&self) -> String {
        further_paragraphs(self.doc)
    }
}

/// Returns the part of a dotted key after the last dot.
pub fn last_segment(key: &str) -> &str {
    key.rsplit_once('.').map_or(key, |(_, name)| name)
}

/// Converts the first letter of `text` to lower case, except in names such as "ONFI".
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
