//! Which values a parameter takes.

/// Which values a parameter takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// A whole number from `min` to `max`, a multiple of `step`.
    Integer {
        /// Smallest value.
        min: u64,
        /// Largest value.
        max: u64,
        /// The value is a multiple of this.
        step: u64,
    },
    /// A number from `min` to `max`.
    Number {
        /// Smallest value.
        min: f64,
        /// Largest value.
        max: f64,
    },
    /// A number, or a list of one to `max_len` numbers, each from `min` to `max`.
    Numbers {
        /// Smallest value.
        min: f64,
        /// Largest value.
        max: f64,
        /// Longest list.
        max_len: usize,
    },
    /// A number from `min` to `max`, or one word that stands for another value.
    NumberOr {
        /// Smallest value.
        min: f64,
        /// Largest value.
        max: f64,
        /// The word.
        word: &'static str,
    },
    /// One of a list of names.
    Choice {
        /// What the names name, for messages: "fabric", "routing".
        noun: &'static str,
        /// The names.
        names: &'static [&'static str],
        /// By name: what it does, in a few words; none where the parameter's own text says it.
        about: &'static [&'static str],
    },
    /// A list of any number of a choice's names, also none.
    Choices {
        /// What the names name.
        noun: &'static str,
        /// The names.
        names: &'static [&'static str],
    },
    /// A list of any number of lists, each of one or more whole numbers from 0 to `max`.
    Lists {
        /// Largest number.
        max: u64,
    },
    /// `true` or `false`.
    Boolean,
    /// Any text.
    Text,
}
