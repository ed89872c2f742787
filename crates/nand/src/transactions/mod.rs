//! Transactions: page-sized units of work that the components of a drive exchange.
//!
//! # What it models
//! A host request is divided into transactions of one page each; the translation layer adds transactions for
//! its mapping and for garbage collection. A transaction records its purpose ([`Purpose`]), plane and page,
//! and has a [stage clock](crate::latency::StageClock), so that every instant of its life belongs to a stage.
//!
//! # How
//! [`Transactions`] is the table of all transactions in flight; other components refer to them by
//! [`TransactionId`](crate::geometry::TransactionId). A transaction waits in at most one [`List`], whose
//! links it contains, so that waiting needs no memory.
//!
//! # What is left out
//! The translation layer checks that operations are legal, the controller chooses their order, and the fabric
//! transfers the data.

mod charges;
mod links;
mod list;
mod purpose;
mod table;
mod transaction;

pub use charges::MovedPage;
pub use links::ListLinks;
pub use list::List;
pub use purpose::{Origin, ParityCause, Purpose, TransactionClass, TransactionKind};
pub use table::Transactions;
pub use transaction::{PageState, SearchStep, Transaction};
