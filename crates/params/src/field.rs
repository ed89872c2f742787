//! Conversion of an accepted parameter value to a typed field.

use venice_kernel::{Rate, SimSpan};

use super::choice::Choice;
use super::kind::ParameterKind;
use super::value::Value;

/// Upper limit of times on a wire, such as a clock cycle, in nanoseconds.
pub const LONGEST_NS: f64 = 1e6;
/// Upper limit of the duration of an operation, in microseconds.
pub const LONGEST_US: f64 = 1e6;
/// Smallest accepted duration above zero (one picosecond), in nanoseconds.
pub const SHORTEST_NS: f64 = 0.001;
/// Lower and upper limit of the transfer rate of a wire, in 10^6 bytes per second.
const RATE_MB_PER_S: (f64, f64) = (1.0, 1e6);

/// Returns the kind of a parameter for the transfer rate of a wire.
pub const fn wire_rate() -> ParameterKind {
    number(RATE_MB_PER_S.0, RATE_MB_PER_S.1)
}

/// Returns the kind of a parameter for the transfer rate of a wire. The parameter also accepts `word`, which
/// stands for a rate that other parameters determine.
pub const fn wire_rate_or(word: &'static str) -> ParameterKind {
    ParameterKind::NumberOr { min: RATE_MB_PER_S.0, max: RATE_MB_PER_S.1, word }
}

/// Returns the kind of a parameter that is an integer from `min` to `max`.
pub const fn whole(min: u64, max: u64) -> ParameterKind {
    ParameterKind::Integer { min, max, step: 1 }
}

/// Returns the kind of a parameter that is a decimal number from `min` to `max`.
pub const fn number(min: f64, max: f64) -> ParameterKind {
    ParameterKind::Number { min, max }
}

/// Returns the kind of a parameter whose value is one name of `C`.
pub const fn one_of<C: Choice>() -> ParameterKind {
    ParameterKind::Choice { noun: C::NOUN, names: C::NAMES, about: C::ABOUT }
}

/// Returns the kind of a parameter whose value is a list of names of `C`.
pub const fn names_of<C: Choice>() -> ParameterKind {
    ParameterKind::Choices { noun: C::NOUN, names: C::NAMES }
}

/// Type of a parameter field, created from an accepted value.
///
/// # Panics
/// Panics if the kind of the parameter does not fit the type, which is a bug in the simulator that loading
/// any configuration detects.
pub trait Field {
    /// Converts a value in `unit` to the field type.
    fn from_value(value: &Value, unit: &str) -> Self;
}

macro_rules! fields {
    ($($type:ty: $pattern:pat => $result:expr;)+) => {$(
        impl Field for $type {
            fn from_value(value: &Value, _unit: &str) -> Self {
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
    Vec<Vec<u32>>: Value::Lists(lists) => lists.iter().map(|list| list.iter().map(|&n| n as u32).collect()).collect();
    Vec<f64>: Value::Numbers(list) => list.clone();
    bool: Value::Boolean(flag) => *flag;
    String: Value::Text(text) => text.clone();
    Vec<String>: Value::Texts(list) => list.clone();
}

impl Field for SimSpan {
    fn from_value(value: &Value, unit: &str) -> Self {
        match (value, unit) {
            (Value::Number(ns), "ns") => Self::from_ps((ns * 1e3).round() as u64),
            (Value::Number(us), "µs") => Self::from_us_f64(*us),
            (Value::Integer(ms), "ms") => Self::from_us(ms * 1000),
            other => unreachable!("a span of time cannot be made from {other:?}"),
        }
    }
}

impl Field for Vec<SimSpan> {
    fn from_value(value: &Value, unit: &str) -> Self {
        match value {
            Value::Numbers(list) => {
                list.iter().map(|number| SimSpan::from_value(&Value::Number(*number), unit)).collect()
            }
            other => unreachable!("spans of time cannot be made from {other:?}"),
        }
    }
}

impl Field for Rate {
    fn from_value(value: &Value, unit: &str) -> Self {
        match (value, unit) {
            (Value::Number(rate), "MB/s") => Self::from_mb_per_s(*rate),
            (Value::Word("unlimited"), "MB/s") => Self::UNLIMITED,
            other => unreachable!("a rate cannot be made from {other:?}"),
        }
    }
}

/// Converts the special word of a [`ParameterKind::NumberOr`] to `None`, and numbers to `Some`.
impl<T: Field> Field for Option<T> {
    fn from_value(value: &Value, unit: &str) -> Self {
        match value {
            Value::Word(_) => None,
            stated => Some(T::from_value(stated, unit)),
        }
    }
}

impl<C: Choice> Field for C {
    fn from_value(value: &Value, _unit: &str) -> Self {
        match value {
            Value::Choice(name) => C::from_name(name).expect("every accepted name has a value"),
            other => unreachable!("a {} cannot be made from {other:?}", C::NOUN),
        }
    }
}

impl<C: Choice> Field for Vec<C> {
    fn from_value(value: &Value, unit: &str) -> Self {
        match value {
            Value::Choices(names) => {
                names.iter().map(|name| C::from_value(&Value::Choice(name), unit)).collect()
            }
            other => unreachable!("a list of {} cannot be made from {other:?}", C::NOUN),
        }
    }
}
