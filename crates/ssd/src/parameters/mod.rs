//! Mechanism of parameters: kinds, accepted values, and typed fields from declarations.
//!
//! # How
//! A parameter is declared once, in the file of its policy or module; parameters of the drive as a whole are
//! declared in `config/table.rs`. [`declare!`] generates the structure of a declaration, the input of the
//! model. The [catalogue](venice_kernel::catalogue) of an extension point collects the structures of all its
//! policies in one ([`gather!`]). The parameter table includes these structures, as sections of their own or
//! after the key that selects a policy. Checks, messages, `config explain`, the schema and the reference page
//! are generated from the table. A module reports its own inconsistent combinations of values ([`Conflict`]).
//!
//! This module is independent of storage.

mod choice;
mod conflict;
mod declare;
mod field;
mod gather;
mod kind;
mod parameter;
mod raw;
mod value;

pub(crate) use choice::{Choice, choices};
pub(crate) use conflict::Conflict;
pub(crate) use declare::{Declared, Values, declare, default_of, joined, key_of, total};
pub(crate) use field::{
    Field, LONGEST_NS, LONGEST_US, SHORTEST_NS, names_of, number, one_of, whole, wire_rate, wire_rate_or,
};
pub(crate) use gather::gather;
pub use kind::Kind;
pub(crate) use parameter::last_segment;
pub use parameter::{Parameter, Section};
pub(crate) use raw::{Raw, RawField, RawTable, RawValue, SyntaxError, parse_document, parse_word};
pub use value::Value;
pub(crate) use value::{Refusal, Wrong};
