//! The macro behind the parameter table: one declaration yields the list and the typed structure.

use super::choice::Choice;
use super::parameter::Kind;
use super::value::{LinkRate, Value};

/// Declares sections of parameters.
///
/// Yields [`SECTIONS`](super::table::SECTIONS), the typed [`Config`](super::Config) with one structure for
/// each section, and the conversion from accepted values, in the order of the table. The comment of
/// a line is both the field's documentation and the text shown to users: its first paragraph says
/// what the parameter is, the rest is detail.
macro_rules! parameters {
    ($(
        $(#[doc = $section_doc:literal])+
        section $section:ident $prefix:literal $struct:ident {
            $(
                $(#[doc = $doc:literal])+
                $field:ident: $type:ty = $kind:expr, unit $unit:literal,
                $(default $default:literal,)? $(required,)? source $source:literal;
            )+
        }
    )+) => {
        /// Every parameter of a drive, by section, in the order in which files list them.
        pub(super) static SECTIONS: &[Section] = &[$(Section {
            name: section_name($prefix),
            doc: &[$($section_doc),+],
            parameters: &[$(Parameter {
                key: concat!($prefix, stringify!($field)),
                kind: $kind,
                unit: $unit,
                default: [$(Some($default),)? None][0],
                source: $source,
                doc: &[$($doc),+],
            }),+],
        }),+];

        /// A validated drive: every parameter has a value of its type and within its range.
        #[derive(Clone, Debug, PartialEq)]
        pub struct Config {
            $($(#[doc = $section_doc])+ pub $section: $struct,)+
        }

        $(
            $(#[doc = $section_doc])+
            #[derive(Clone, Debug, PartialEq)]
            pub struct $struct {
                $($(#[doc = $doc])+ pub $field: $type,)+
            }
        )+

        impl Config {
            /// The typed form of accepted values, one for each parameter, in the table's order.
            pub(super) fn from_values<'a>(mut values: impl Iterator<Item = &'a Value>) -> Self {
                Self {$(
                    $section: $struct {
                        $($field: <$type>::from_value(values.next().expect("one value for each parameter")),)+
                    },
                )+}
            }
        }
    };
}
pub(super) use parameters;

/// `"flash.command."` without its last dot.
pub(super) const fn section_name(prefix: &'static str) -> &'static str {
    match prefix.as_bytes() {
        [] => "",
        bytes => prefix.split_at(bytes.len() - 1).0,
    }
}

/// A whole number.
pub(super) const fn whole(min: u64, max: u64) -> Kind {
    Kind::Integer { min, max, step: 1 }
}

/// A number that may have decimals.
pub(super) const fn number(min: f64, max: f64) -> Kind {
    Kind::Number { min, max }
}

/// One of the names of `C`.
pub(super) const fn one_of<C: Choice>() -> Kind {
    Kind::Choice { noun: C::NOUN, names: C::NAMES }
}

/// A list of names of `C`.
pub(super) const fn names_of<C: Choice>() -> Kind {
    Kind::Choices { noun: C::NOUN, names: C::NAMES }
}

/// A field's type: built from a value that its parameter's kind has accepted.
///
/// # Panics
/// When the table gives a field a kind that does not fit its type: a bug of ours, found by any load.
pub(super) trait Field {
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
