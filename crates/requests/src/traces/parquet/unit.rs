//! Units of time: what a column's name says, what its type says, and what follows.

use std::fmt;

/// The unit of a column of times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TimeUnit {
    Pico,
    Nano,
    Micro,
    Milli,
    Second,
}

impl TimeUnit {
    /// All, the finest first.
    pub(super) const ALL: [Self; 5] = [Self::Pico, Self::Nano, Self::Micro, Self::Milli, Self::Second];

    /// How it is called at the end of a column's name.
    pub(super) const fn suffix(self) -> &'static str {
        match self {
            Self::Pico => "ps",
            Self::Nano => "ns",
            Self::Micro => "us",
            Self::Milli => "ms",
            Self::Second => "s",
        }
    }

    /// Its length in picoseconds.
    pub(super) const fn ps(self) -> u64 {
        match self {
            Self::Pico => 1,
            Self::Nano => 1_000,
            Self::Micro => 1_000_000,
            Self::Milli => 1_000_000_000,
            Self::Second => 1_000_000_000_000,
        }
    }

    /// What fractions of it are rounded to: a nanosecond, or itself if it is finer. Counted in these, 584 years fit.
    pub(super) const fn rounded_to(self) -> Self {
        match self {
            Self::Pico => Self::Pico,
            _ => Self::Nano,
        }
    }
}

impl fmt::Display for TimeUnit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.suffix())
    }
}

/// What a column of times may be called; a unit may follow, as in `arrival_us`.
pub(super) const TIME_NAMES: [&str; 3] = ["arrival", "time", "timestamp"];

/// What the name of a column of times says of its unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Named {
    Unit(TimeUnit),
    NoUnit,
}

impl Named {
    /// What a column's name says; nothing if it is no name of a column of times.
    pub(super) fn by(column: &str) -> Option<Self> {
        let rest = TIME_NAMES.iter().find_map(|name| {
            column.strip_prefix(name).filter(|rest| rest.is_empty() || rest.starts_with('_'))
        })?;
        match rest.strip_prefix('_') {
            None => Some(Self::NoUnit),
            Some(suffix) => TimeUnit::ALL.into_iter().find(|unit| unit.suffix() == suffix).map(Self::Unit),
        }
    }

    pub(super) fn unit(self) -> Option<TimeUnit> {
        match self {
            Self::Unit(unit) => Some(unit),
            Self::NoUnit => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_of_a_time_may_end_in_a_unit() {
        assert_eq!(Named::by("arrival_ps"), Some(Named::Unit(TimeUnit::Pico)));
        assert_eq!(Named::by("time_s"), Some(Named::Unit(TimeUnit::Second)));
        assert_eq!(Named::by("timestamp_ms"), Some(Named::Unit(TimeUnit::Milli)));
        assert_eq!(Named::by("timestamp"), Some(Named::NoUnit));
    }

    #[test]
    fn other_names_are_none_of_a_time() {
        for name in ["arrival_min", "timer", "times_ns", "response_time", "op", "", "arrival_"] {
            assert_eq!(Named::by(name), None, "{name}");
        }
    }
}
