//! The priority class of a host queue, which its requests and their transactions carry along.

/// The four classes of NVM Express.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Priority {
    /// Before all others.
    Urgent,
    /// The largest weight.
    #[default]
    High,
    /// A middle one.
    Medium,
    /// The smallest.
    Low,
}

/// How many classes there are.
pub const PRIORITIES: usize = 4;

impl Priority {
    /// All of them, the highest first.
    pub const ALL: [Self; PRIORITIES] = [Self::Urgent, Self::High, Self::Medium, Self::Low];

    /// Its name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Urgent => "urgent",
            Self::High => "high",
            Self::Medium => "medium",
            Self::Low => "low",
        }
    }
}
