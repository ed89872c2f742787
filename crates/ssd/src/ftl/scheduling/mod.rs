//! In which order an idle die serves its queues.
//!
//! # The contract
//!
//! 1. A policy names an order of all classes; the first class with work that can be done now is
//!    served.
//! 2. While collection is urgent (a plane of the die has no block left for the host), collection
//!    comes before whatever consumes free pages.
//! 3. A policy names the class, of the same operation, that may fill up a multi-plane command.

mod out_of_order;

pub use out_of_order::{joining_class, service_order};
