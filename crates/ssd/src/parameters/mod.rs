//! The mechanism of parameters: what one is, the values it takes, and how a declaration becomes a typed field.
//!
//! # How
//! A parameter stands in the file of the policy or room that it is of, and nowhere else; those of a drive as a whole stand in
//! `config/table.rs`. [`declare!`] yields their structure, which is what the model is told. A seam's [catalogue](venice_kernel::catalogue) gathers the structures
//! of all its policies into one ([`gather!`]). The table takes them in: as a section of their own, or behind the key that chooses among
//! them. Checks, messages, `config explain`, the schema and the reference page follow, for they read the table. What values of one room
//! do not go together, the room says ([`Conflict`]).
//!
//! This room knows no word of storage.

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
