//! Work: the transaction, a page-sized piece of it, which all rooms pass on.
//!
//! # What it models
//! A request of the host is cut into transactions of one page each; the translation layer adds its own, for its map and for
//! collection. A transaction knows what it is for ([`Purpose`]), on which plane, of which page, and keeps its own
//! [stage clock](crate::accounting::StageClock), so that every instant of its life belongs to a stage.
//!
//! # How
//! [`Transactions`] is the table of all in flight; everybody else names them by [`TransactionId`](crate::geometry::TransactionId). A
//! transaction waits in one [`List`] at a time, whose links it carries, so that waiting takes no memory of its own.
//!
//! # What is left out
//! Who may start when is the translation layer's to say, who is next the controller's, what moves over which wires the device's.

mod charges;
mod links;
mod list;
mod purpose;
mod table;
mod transaction;

pub use charges::MovedPage;
pub use links::Links;
pub use list::List;
pub use purpose::{Class, Kind, Origin, Purpose};
pub use table::Transactions;
pub use transaction::{PageState, Transaction};
