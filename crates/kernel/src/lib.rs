//! Discrete-event engine, independent of the simulated system.
//!
//! # Contents
//!
//! - [`SimTime`] and [`SimSpan`]: integer picoseconds. 2^64 ps is about 213 days.
//! - [`Rate`]: an exact rational number of picoseconds per byte, rounded up once per transfer.
//! - [`EventQueue`]: scheduled events, in a total order.
//! - [`Engine`]: event loop; hands each event to an [`EventHandler`] and stops event storms at one instant.
//! - [`TimeSeries`]: a quantity over the time of a run, in bounded memory.
//! - [`RandomStream`]: an independent random stream for each component, derived from (seed, name).
//! - [`mem`]: sparse and packed tables and slots, for state that is indexed by number.
//!
//! # Order of events
//!
//! The order is part of the specification:
//!
//! 1. Events leave in the order of their instants.
//! 2. Events of one instant leave in the order in which they were scheduled.
//!
//! The order does not depend on hashes, pointers, threads or the host. Scheduling for the present instant is
//! allowed. Scheduling for the past is a bug in the caller and panics. A handler that keeps scheduling for the
//! present instant is stopped with [`EngineError::EventStorm`].

mod counters;
mod engine;
mod key;
mod lanes;
pub mod mem;
mod queue;
mod random;
mod rate;
mod scheduled_event;
mod series;
mod sorted_queue;
mod time;

pub use engine::{Engine, EngineError, EventHandler, Progress};
pub use queue::EventQueue;
pub use random::RandomStream;
pub use rate::Rate;
pub use series::TimeSeries;
pub use time::{SimSpan, SimTime};
