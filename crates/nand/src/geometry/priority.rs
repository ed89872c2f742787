//! Priority class of a host queue, which its requests and their transactions inherit.

use venice_params::choices;

/// Priority classes of NVM Express.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Priority {
    /// Strict priority over all other classes.
    Urgent,
    /// Weighted class with the largest default weight.
    #[default]
    High,
    /// Weighted class with the medium default weight.
    Medium,
    /// Weighted class with the smallest default weight.
    Low,
}

/// Number of priority classes.
pub const PRIORITIES: usize = 4;

impl Priority {
    /// All priority classes, the highest first.
    pub const ALL: [Self; PRIORITIES] = [Self::Urgent, Self::High, Self::Medium, Self::Low];

    /// Returns the name of the class in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Urgent => "urgent",
            Self::High => "high",
            Self::Medium => "medium",
            Self::Low => "low",
        }
    }
}

choices! {
    Priority, "priority class": "urgent" => Urgent, "high" => High, "medium" => Medium, "low" => Low;
}
