//! How a declared parameter becomes a field of a structure.

use super::choice::Choice;
use super::parameter::Kind;
use super::value::{LinkRate, Value};

/// `"flash.command."` without its last dot.
pub(crate) const fn section_name(prefix: &'static str) -> &'static str {
    match prefix.as_bytes() {
        [] => "",
        bytes => prefix.split_at(bytes.len() - 1).0,
    }
}

/// A whole number.
pub(crate) const fn whole(min: u64, max: u64) -> Kind {
    Kind::Integer { min, max, step: 1 }
}

/// A number that may have decimals.
pub(crate) const fn number(min: f64, max: f64) -> Kind {
    Kind::Number { min, max }
}

/// One of the names of `C`.
pub(crate) const fn one_of<C: Choice>() -> Kind {
    Kind::Choice { noun: C::NOUN, names: C::NAMES, about: C::ABOUT }
}

/// A list of names of `C`.
pub(crate) const fn names_of<C: Choice>() -> Kind {
    Kind::Choices { noun: C::NOUN, names: C::NAMES }
}

/// A field's type: built from a value that its parameter's kind has accepted.
///
/// # Panics
/// When the table gives a field a kind that does not fit its type: a bug of ours, found by any load.
pub(crate) trait Field {
    /// The typed form.
    fn from_value(value: &Value) -> Self;
}

macro_rules! fields {
    ($($type:ty: $pattern:pat => $result:expr;)+) => {$(
        impl Field for $type {
            fn from_value(value: &Value) -> Self {
                match value {
                    $pattern => $result,
                    other => unreachable!("a {} cannot be made from {other:?}", stringify!($type)),
                }
            }
        }
    )+};
}

fields! {
    u64: Value::Integer(n) => *n;
    u32: Value::Integer(n) => u32::try_from(*n).expect("the table's ranges fit their fields");
    f64: Value::Number(x) => *x;
    Vec<f64>: Value::Numbers(list) => list.clone();
    Vec<Vec<u32>>: Value::Lists(lists) => lists.iter().map(|list| list.iter().map(|&n| n as u32).collect()).collect();
    LinkRate: Value::Rate(rate) => *rate;
    bool: Value::Boolean(flag) => *flag;
    String: Value::Text(text) => text.clone();
}

impl<C: Choice> Field for C {
    fn from_value(value: &Value) -> Self {
        match value {
            Value::Choice(name) => C::from_name(name).expect("every accepted name has a value"),
            other => unreachable!("a {} cannot be made from {other:?}", C::NOUN),
        }
    }
}

impl<C: Choice> Field for Vec<C> {
    fn from_value(value: &Value) -> Self {
        match value {
            Value::Choices(names) => names.iter().map(|name| C::from_value(&Value::Choice(name))).collect(),
            other => unreachable!("a list of {} cannot be made from {other:?}", C::NOUN),
        }
    }
}
