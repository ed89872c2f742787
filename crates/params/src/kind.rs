//! Accepted values of a parameter.

/// Type and range of a parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ParameterKind {
    /// An integer from `min` to `max`, a multiple of `step`.
    Integer {
        /// Smallest accepted value.
        min: u64,
        /// Largest accepted value.
        max: u64,
        /// Step of which the value must be a multiple.
        step: u64,
    },
    /// A number from `min` to `max`.
    Number {
        /// Smallest accepted value.
        min: f64,
        /// Largest accepted value.
        max: f64,
    },
    /// A number, or a list of one to `max_len` numbers, each from `min` to `max`.
    Numbers {
        /// Smallest accepted value.
        min: f64,
        /// Largest accepted value.
        max: f64,
        /// Maximum length of the list.
        max_len: usize,
    },
    /// A number from `min` to `max`, or a special word.
    NumberOr {
        /// Smallest accepted value.
        min: f64,
        /// Largest accepted value.
        max: f64,
        /// Word that is accepted instead of a number.
        word: &'static str,
    },
    /// A name from a list.
    Choice {
        /// Noun for a value, for messages: "fabric", "routing".
        noun: &'static str,
        /// Accepted names.
        names: &'static [&'static str],
        /// Short description of each name. Empty if the help text of the parameter contains the descriptions.
        about: &'static [&'static str],
    },
    /// A list of names, possibly empty.
    Choices {
        /// Noun for a value, for messages: "fabric", "routing".
        noun: &'static str,
        /// Accepted names.
        names: &'static [&'static str],
    },
    /// A list of lists, possibly empty, each of one or more integers from 0 to `max`.
    Lists {
        /// Largest accepted number.
        max: u64,
    },
    /// `true` or `false`.
    Boolean,
    /// Any text.
    Text,
    /// A list of texts, possibly empty.
    Texts,
}
