//! Flash chips, their dies and planes.
//!
//! # What it models
//! A die is idle, receives a command, executes an array operation, or sends data, plane by plane. Dies of a
//! chip work independently but share the chip's pins, which carry one transfer at a time. Planes of a die
//! work together in a multi-plane command of one kind. A program or erase can be suspended for other
//! commands. A page can be moved within its plane without crossing the pins (copyback).
//!
//! # How
//! [`Chips`] holds the state of every die; [`DieAccess`] has one method per step; [`Die::accepts`] defines
//! the accepted commands in each state. The caller schedules the events and handles their results.
//!
//! # What is left out
//! More than two commands in a die: besides its current command, a die holds at most a suspended operation or
//! a next command (cache operations, `next_command`).
//!
//! # Source
//! ONFI 4.2, chapters 3 (addressing, multi-plane) and 5 (commands); Tavakkol et al., "MQSim", FAST 2018, §4.

mod array_times;
mod bad_blocks;
mod chips;
mod command_times;
mod die;
mod die_access;
mod next_command;
mod package;
mod page_types;
mod search_output;
mod settings;
mod steps;
mod suspend_commands;
mod suspended_operation;
mod suspension;
mod word_lines;

pub use array_times::{ArrayTimes, ProgramScheme};
pub use bad_blocks::BadBlockParameters;
pub use chips::{ArrayEnd, Chips, WorkInProgress};
pub use command_times::{CommandParameters, CommandTimes, CommandTiming};
pub use die::{
    AcceptedCommands, ArrayWork, DataConsumer, Die, DieTransfer, Operation, PageOperation, PageSet,
    TransferContent, WireWork,
};
pub use die_access::DieAccess;
pub use next_command::NextCommandStep;
pub use package::Package;
pub use page_types::PageTypeOrder;
pub use search_output::{OUTPUTS_PER_CHIP, OutputKind, SearchOutput};
pub use settings::{CacheOperations, DieWork, FlashParameters, FlashSettings};
pub use steps::{BouncedTransfer, DepartedPage, EndedTransfer, IssuedCommand};
pub use suspended_operation::{BouncedCommandState, SuspendEffect};
pub use suspension::{SuspendParameters, SuspendableOperations, Suspension, SuspensionRule};
pub use word_lines::{BitOperation, WordLines};
