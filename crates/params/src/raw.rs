//! Unchecked TOML content, with the position of each key and value; the first stage of reading a file.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeInteger, DeTable, DeValue};

/// An unchecked value with its position.
#[derive(Clone, Debug, PartialEq)]
pub struct PositionedValue {
    /// Byte range of the value's text in the document.
    pub span: Range<usize>,
    /// Unchecked value.
    pub value: RawValue,
}

/// Value of one of the TOML types.
#[derive(Clone, Debug, PartialEq)]
pub enum RawValue {
    /// A TOML string.
    Text(String),
    /// An integer; integers beyond 128 bits become the largest value, which is outside all ranges.
    Integer(i128),
    /// A TOML float.
    Float(f64),
    /// A TOML boolean.
    Boolean(bool),
    /// A date or time, which no parameter accepts.
    Date,
    /// A TOML array.
    List(Vec<PositionedValue>),
    /// A TOML table.
    Table(RawTable),
}

/// Entries of a table, in document order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RawTable(pub Vec<RawField>);

/// Entry of a TOML table.
#[derive(Clone, Debug, PartialEq)]
pub struct RawField {
    /// Name of the key.
    pub name: String,
    /// Byte range of the key in the document.
    pub span: Range<usize>,
    /// Value of the key.
    pub raw: PositionedValue,
}

/// TOML syntax error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    /// Message of the TOML parser.
    pub message: String,
    /// Byte range of the error in the document, if known.
    pub span: Option<Range<usize>>,
}

/// Maximum number of syntax errors reported for a document. The limit matters for excessive nesting, which
/// causes one error per level.
const MAX_SYNTAX_ERRORS: usize = 10;

/// Parses a TOML document.
///
/// # Errors
///
/// Returns the syntax errors with their positions, up to a limit.
pub fn parse_document(text: &str) -> Result<RawTable, Vec<SyntaxError>> {
    let (table, errors) = DeTable::parse_recoverable(text);
    if errors.is_empty() {
        Ok(raw_table(table.get_ref()))
    } else {
        Err(errors.iter().take(MAX_SYNTAX_ERRORS).map(syntax_error).collect())
    }
}

/// Parses the value of a command-line option as TOML. A bare word becomes a string.
///
/// # Errors
/// Returns a [`SyntaxError`] for an invalid TOML string, list or table.
pub fn parse_word(text: &str) -> Result<PositionedValue, SyntaxError> {
    match DeValue::parse(text) {
        Ok(value) => Ok(raw(&value)),
        Err(error) if text.starts_with(['"', '\'', '[', '{']) => Err(syntax_error(&error)),
        Err(_) => Ok(PositionedValue { span: 0..text.len(), value: RawValue::Text(text.to_owned()) }),
    }
}

impl RawTable {
    /// Returns the value of a key.
    pub fn get(&self, name: &str) -> Option<&PositionedValue> {
        self.0.iter().find(|field| field.name == name).map(|field| &field.raw)
    }
}

impl PositionedValue {
    /// Returns the string; `None` for another type.
    pub fn as_text(&self) -> Option<&str> {
        match &self.value {
            RawValue::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Returns the table; `None` for another type.
    pub fn as_table(&self) -> Option<&RawTable> {
        match &self.value {
            RawValue::Table(table) => Some(table),
            _ => None,
        }
    }

    /// Returns the number; `None` for another type.
    pub fn as_number(&self) -> Option<f64> {
        match self.value {
            RawValue::Integer(n) => Some(n as f64),
            RawValue::Float(x) => Some(x),
            _ => None,
        }
    }

    /// Returns a phrase for the value's type, for messages.
    pub fn describe(&self) -> &'static str {
        match self.value {
            RawValue::Text(_) => "a text",
            RawValue::Integer(_) => "a whole number",
            RawValue::Float(_) => "a decimal number",
            RawValue::Boolean(_) => "true or false",
            RawValue::Date => "a date",
            RawValue::List(_) => "a list",
            RawValue::Table(_) => "a table",
        }
    }
}

fn raw(value: &Spanned<DeValue<'_>>) -> PositionedValue {
    PositionedValue { span: value.span(), value: raw_value(value.get_ref()) }
}

fn raw_value(value: &DeValue<'_>) -> RawValue {
    match value {
        DeValue::String(text) => RawValue::Text(text.to_string()),
        DeValue::Integer(digits) => RawValue::Integer(integer(digits)),
        DeValue::Float(digits) => RawValue::Float(digits.as_str().parse().unwrap_or(f64::NAN)),
        DeValue::Boolean(flag) => RawValue::Boolean(*flag),
        DeValue::Datetime(_) => RawValue::Date,
        DeValue::Array(list) => RawValue::List(list.iter().map(raw).collect()),
        DeValue::Table(table) => RawValue::Table(raw_table(table)),
    }
}

fn integer(digits: &DeInteger<'_>) -> i128 {
    i128::from_str_radix(digits.as_str(), digits.radix()).unwrap_or(i128::MAX)
}

fn raw_table(table: &DeTable<'_>) -> RawTable {
    let field = |(key, value): (&Spanned<_>, &Spanned<DeValue<'_>>)| RawField {
        name: AsRef::<std::borrow::Cow<'_, str>>::as_ref(key).to_string(),
        span: key.span(),
        raw: raw(value),
    };
    let mut fields: Vec<RawField> = table.iter().map(field).collect();
    fields.sort_by_key(|field| field.span.start);
    RawTable(fields)
}

fn syntax_error(error: &toml::de::Error) -> SyntaxError {
    SyntaxError { message: error.message().replace('\n', ", "), span: error.span() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_may_have_underscores_signs_and_bases() {
        let table = parse_document("a = 1_000\nb = 0x10\nc = -7\nd = 1e3\n").unwrap();
        let numbers: Vec<f64> = table.0.iter().filter_map(|field| field.raw.as_number()).collect();
        assert_eq!(numbers, [1000.0, 16.0, -7.0, 1000.0]);
    }

    #[test]
    fn a_word_that_is_not_toml_is_a_text_but_a_broken_list_is_an_error() {
        assert_eq!(parse_word("venice").unwrap().as_text(), Some("venice"));
        assert_eq!(parse_word("\"bus\"").unwrap().as_text(), Some("bus"));
        assert_eq!(parse_word("45").unwrap().as_number(), Some(45.0));
        assert!(parse_word("[1, 2").is_err());
    }

    #[test]
    fn a_table_keeps_the_order_of_the_document() {
        let table = parse_document("b = 1\na = 2\n").unwrap();
        let names: Vec<&str> = table.0.iter().map(|field| field.name.as_str()).collect();
        assert_eq!(names, ["b", "a"]);
    }
}
