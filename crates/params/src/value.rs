//! Accepted parameter values, and reasons for rejecting a value.

use super::kind::ParameterKind;
use super::raw::{PositionedValue, RawValue};
use crate::suggest::nearest;

/// Value of a parameter that has passed the checks.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Value of a [`ParameterKind::Integer`].
    Integer(u64),
    /// Value of a [`ParameterKind::Number`] or [`ParameterKind::NumberOr`].
    Number(f64),
    /// Value of a [`ParameterKind::Numbers`]; never empty.
    Numbers(Vec<f64>),
    /// Word of a [`ParameterKind::NumberOr`].
    Word(&'static str),
    /// Name of a [`ParameterKind::Choice`].
    Choice(&'static str),
    /// Names of a [`ParameterKind::Choices`].
    Choices(Vec<&'static str>),
    /// Value of a [`ParameterKind::Lists`]; no inner list is empty.
    Lists(Vec<Vec<u64>>),
    /// Value of a [`ParameterKind::Boolean`].
    Boolean(bool),
    /// Value of a [`ParameterKind::Text`].
    Text(String),
    /// Value of a [`ParameterKind::Texts`].
    Texts(Vec<String>),
}

/// Reason for rejecting a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rejection {
    /// Type of the problem, which determines the message after the key.
    pub problem: RejectionKind,
    /// Hint under the value.
    pub hint: String,
}

/// Type of problem with a value, which determines the message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RejectionKind {
    /// The value has the right type but is out of range.
    Range,
    /// The value has a type that the parameter does not accept.
    Type,
    /// The name is unknown: noun of the choice, and the name.
    Name(&'static str, String),
}

impl ParameterKind {
    /// Converts an unchecked value.
    ///
    /// # Errors
    ///
    /// Returns a [`Rejection`] if the value has another type or is out of range.
    pub fn accept(self, raw: &PositionedValue) -> Result<Value, Rejection> {
        match self {
            Self::Integer { min, max, step } => integer(raw, min, max, step).map(Value::Integer),
            Self::Number { min, max } => number(raw, min, max).map(Value::Number),
            Self::Numbers { min, max, max_len } => numbers(raw, min, max, max_len).map(Value::Numbers),
            Self::NumberOr { min, max, word } => number_or(raw, min, max, word),
            Self::Choice { noun, names, .. } => choice(raw, noun, names).map(Value::Choice),
            Self::Choices { noun, names } => list(raw, "names")?
                .iter()
                .map(|entry| choice(entry, noun, names))
                .collect::<Result<_, _>>()
                .map(Value::Choices),
            Self::Lists { max } => list(raw, "lists")?
                .iter()
                .map(|entry| integers(entry, max))
                .collect::<Result<_, _>>()
                .map(Value::Lists),
            Self::Boolean => boolean(raw).map(Value::Boolean),
            Self::Text => text(raw).map(Value::Text),
            Self::Texts => list(raw, "texts")?.iter().map(text).collect::<Result<_, _>>().map(Value::Texts),
        }
    }
}

impl Value {
    /// Returns the value as TOML text.
    pub fn to_toml(&self) -> String {
        match self {
            Self::Integer(n) => n.to_string(),
            Self::Number(x) => format_number(*x),
            Self::Numbers(list) => match list.as_slice() {
                [single] => format_number(*single),
                several => bracketed(several.iter().map(|x| format_number(*x))),
            },
            Self::Choice(name) | Self::Word(name) => format!("\"{name}\""),
            Self::Choices(list) => bracketed(list.iter().map(|name| format!("\"{name}\""))),
            Self::Lists(lists) => {
                bracketed(lists.iter().map(|list| bracketed(list.iter().map(ToString::to_string))))
            }
            Self::Boolean(flag) => flag.to_string(),
            Self::Text(text) => quoted(text),
            Self::Texts(list) => bracketed(list.iter().map(|text| quoted(text))),
        }
    }

    /// Returns the value as JSON, with the structure of the TOML value.
    pub fn to_json(&self) -> serde_json::Value {
        match self {
            Self::Integer(n) => (*n).into(),
            Self::Number(x) => json_number(*x),
            Self::Numbers(list) => match list.as_slice() {
                [single] => json_number(*single),
                several => several.iter().map(|x| json_number(*x)).collect(),
            },
            Self::Choice(name) | Self::Word(name) => (*name).into(),
            Self::Choices(list) => list.clone().into(),
            Self::Lists(lists) => lists.clone().into(),
            Self::Boolean(flag) => (*flag).into(),
            Self::Text(text) => text.as_str().into(),
            Self::Texts(list) => list.clone().into(),
        }
    }
}

/// Formats a number without a decimal point if it is an integer.
pub fn format_number(x: f64) -> String {
    format!("{x}")
}

fn quoted(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}

fn bracketed(entries: impl Iterator<Item = String>) -> String {
    format!("[{}]", entries.collect::<Vec<_>>().join(", "))
}

fn json_number(x: f64) -> serde_json::Value {
    if x.fract() == 0.0 && x.abs() < 1e15 { (x as i64).into() } else { x.into() }
}

fn refuse<T>(problem: RejectionKind, hint: impl Into<String>) -> Result<T, Rejection> {
    Err(Rejection { problem, hint: hint.into() })
}

fn wrong_type(raw: &PositionedValue, wanted: &str) -> Rejection {
    Rejection { problem: RejectionKind::Type, hint: format!("{}, not {wanted}", raw.describe()) }
}

fn text(raw: &PositionedValue) -> Result<String, Rejection> {
    raw.as_text().map(ToOwned::to_owned).ok_or_else(|| wrong_type(raw, "a text"))
}

fn boolean(raw: &PositionedValue) -> Result<bool, Rejection> {
    match raw.value {
        RawValue::Boolean(flag) => Ok(flag),
        _ => Err(wrong_type(raw, "true or false")),
    }
}

fn integer(raw: &PositionedValue, min: u64, max: u64, step: u64) -> Result<u64, Rejection> {
    match raw.value {
        RawValue::Integer(n) if n < i128::from(min) => refuse(RejectionKind::Range, "too small"),
        RawValue::Integer(n) if n > i128::from(max) => refuse(RejectionKind::Range, "too large"),
        RawValue::Integer(n) => multiple(n as u64, step),
        _ => Err(wrong_type(raw, "a whole number")),
    }
}

fn multiple(n: u64, step: u64) -> Result<u64, Rejection> {
    if n.is_multiple_of(step) {
        Ok(n)
    } else {
        refuse(RejectionKind::Range, format!("not a multiple of {step}"))
    }
}

fn number(raw: &PositionedValue, min: f64, max: f64) -> Result<f64, Rejection> {
    match raw.as_number() {
        None => Err(wrong_type(raw, "a number")),
        Some(x) if x.is_nan() => refuse(RejectionKind::Range, "not a number"),
        Some(x) if x < min => refuse(RejectionKind::Range, "too small"),
        Some(x) if x > max => refuse(RejectionKind::Range, "too large"),
        Some(x) => Ok(x),
    }
}

fn numbers(raw: &PositionedValue, min: f64, max: f64, max_len: usize) -> Result<Vec<f64>, Rejection> {
    let RawValue::List(list) = &raw.value else { return number(raw, min, max).map(|x| vec![x]) };
    if list.is_empty() {
        return refuse(RejectionKind::Range, "an empty list");
    }
    if list.len() > max_len {
        return refuse(
            RejectionKind::Range,
            format!("{} numbers, at most {max_len} are allowed", list.len()),
        );
    }
    list.iter().map(|entry| number(entry, min, max)).collect()
}

fn list<'a>(raw: &'a PositionedValue, of: &str) -> Result<&'a [PositionedValue], Rejection> {
    match &raw.value {
        RawValue::List(list) => Ok(list),
        _ => Err(wrong_type(raw, &format!("a list of {of}"))),
    }
}

fn integers(raw: &PositionedValue, max: u64) -> Result<Vec<u64>, Rejection> {
    let entries = list(raw, "whole numbers")?;
    if entries.is_empty() {
        return refuse(RejectionKind::Range, "an empty list");
    }
    entries.iter().map(|entry| integer(entry, 0, max, 1)).collect()
}

fn number_or(raw: &PositionedValue, min: f64, max: f64, word: &'static str) -> Result<Value, Rejection> {
    match raw.as_text() {
        Some(text) if text == word => Ok(Value::Word(word)),
        Some(_) => Err(wrong_type(raw, &format!("a number or \"{word}\""))),
        None => number(raw, min, max).map(Value::Number),
    }
}

fn choice(
    raw: &PositionedValue,
    noun: &'static str,
    names: &'static [&'static str],
) -> Result<&'static str, Rejection> {
    let Some(text) = raw.as_text() else { return Err(wrong_type(raw, "a name")) };
    names.iter().find(|name| **name == text).copied().ok_or_else(|| {
        let hint = nearest(text, names.iter().copied())
            .map_or("no such name".to_owned(), |name| format!("did you mean `{name}`?"));
        Rejection { problem: RejectionKind::Name(noun, text.to_owned()), hint }
    })
}
