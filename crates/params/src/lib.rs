//! Declaration of parameters: kinds, accepted values, and structures with typed fields.
//!
//! # How
//! A parameter is declared once, in the file of the policy or module that uses it. Parameters of the whole
//! drive are declared in `config/table.rs`. [`declare!`] generates a structure, which is passed to the model.
//! The [catalogue](catalogue!) of an extension point combines the structures of all its policies
//! ([`gather!`]). The table of all parameters includes these structures, as separate sections or after the
//! key that selects a policy. Checks, messages, `config explain`, the schema and the reference page are
//! generated from the table. A module reports its own inconsistent combinations of values ([`Conflict`]).
//!
//! This crate declares no parameters itself, and contains nothing about storage.

mod catalogue;
mod choice;
mod conflict;
mod declare;
mod field;
mod gather;
mod kind;
mod parameter;
mod raw;
mod suggest;
mod value;

pub use choice::Choice;
pub use conflict::Conflict;
pub use declare::{AcceptedValues, ParameterSet, joined, total};
pub use field::{
    Field, LONGEST_NS, LONGEST_US, SHORTEST_NS, names_of, number, one_of, whole, wire_rate, wire_rate_or,
};
pub use kind::ParameterKind;
pub use parameter::{Parameter, Section, last_segment};
pub use raw::{PositionedValue, RawField, RawTable, RawValue, SyntaxError, parse_document, parse_word};
pub use suggest::nearest;
pub use value::{Rejection, RejectionKind, Value};
