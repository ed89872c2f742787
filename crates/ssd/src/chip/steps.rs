//! What there is to say of the steps of a die: what it is told, and what they come to.

use venice_kernel::SimTime;

use crate::geometry::{ChipId, DieId, TransactionId};

use super::die::{ArrayWork, Carried, Operation, WireWork};
use super::parked::Stayed;

/// A command for a die.
#[derive(Clone, Copy, Debug)]
pub struct Issue<'a> {
    /// What the array will do.
    pub operation: Operation,
    /// Its transactions, at most one a plane.
    pub batch: &'a [TransactionId],
    /// What it takes on the wires.
    pub wires: WireWork,
    /// What it takes in the array.
    pub work: ArrayWork,
    /// The die from whose register its data comes, if from no controller.
    pub fed_by: Option<DieId>,
    /// Whether it had to wait for a path.
    pub conflicted: bool,
}

/// A transfer that has reached its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ended {
    /// What it was.
    pub carried: Carried,
    /// When it began.
    pub since: SimTime,
    /// Whether it had met a path conflict.
    pub conflicted: bool,
    /// The die from whose register the data of a command came, if from no controller.
    pub fed_by: Option<DieId>,
}

/// A transfer that has found no path after all: what it carried waits again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bounced {
    /// A command, in the die's name.
    Command,
    /// Data, in its register.
    Data,
    /// A command to suspend or to resume is forgotten.
    Suspension(Stayed),
}

/// A page that has left the register of its die.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageLeft {
    /// Whose it was.
    pub id: TransactionId,
    /// Whether another one waits behind it.
    pub has_more: bool,
    /// The chip that it was read on, unless it was combined there.
    pub read_on: Option<ChipId>,
}
