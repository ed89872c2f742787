//! Flash chips, their dies and planes.
//!
//! # What it models
//! A die is idle, receiving a command, working in its array, or giving its data back, plane by
//! plane. Dies of a chip work independently but share the chip's pins: one transfer at a time.
//! Planes of a die work together in one multi-plane command of one kind. A program or erase may be suspended
//! for others. A page may be moved inside its plane without crossing the pins (copyback).
//!
//! # How
//! [`Chips`] has the state of every die; [`AtDie`] moves it on, one call for each thing that happens; [`Die::accepts`] says what a die
//! can be told in each. When things happen, and what follows from them, its caller knows.
//!
//! # What is left out
//! Cache read (double buffering of the page register): but for a suspended one, a die holds one command at a
//! time, from its first cycle to its last byte.
//!
//! # Source
//! ONFI 4.2, chapters 3 (addressing, multi-plane) and 5 (commands); Tavakkol et al., "MQSim",
//! FAST 2018, §4.

mod at_die;
mod chips;
mod command_times;
mod die;
mod package;
mod page_types;
mod parked;
mod settings;
mod steps;
mod suspending;
mod suspension;

pub use at_die::AtDie;
pub use chips::{ArrayEnd, Chips, UnderWay};
pub use command_times::{CommandParameters, CommandTimes, CommandTiming};
pub use die::{Accepts, ArrayWork, Carried, DataFor, Die, Operation, Sent, WireWork};
pub use package::Package;
pub use page_types::PageTypeOrder;
pub use parked::{Arrived, Stayed};
pub use settings::{ArrayTimes, DieWork, FlashParameters, FlashSettings};
pub use steps::{Bounced, Ended, Issue, PageLeft};
pub use suspension::{SuspendParameters, Suspendable, Suspension, Yielding};
