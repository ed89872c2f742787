//! Trait for types whose values have names in configuration files.

/// Type whose values have names, such as an enum of policies.
pub trait Choice: Sized {
    /// Noun for a value, for messages: "fabric", "routing".
    const NOUN: &'static str;
    /// Names of all values of the type.
    const NAMES: &'static [&'static str];
    /// Short description of each name. Empty if the help text of the parameter contains the descriptions.
    const ABOUT: &'static [&'static str] = &[];
    /// Returns the value with this name; `None` for an unknown name.
    fn from_name(name: &str) -> Option<Self>;
}

/// Implements [`Choice`] for enums: `Type, "noun": "name" => Variant, …;`, or `kind Type, "noun";` for an
/// enum with names from a [catalogue](crate::catalogue!).
#[macro_export]
macro_rules! choices {
    ($(kind $kind:ident, $noun:literal;)+) => {$(
        impl $crate::Choice for $kind {
            const NOUN: &'static str = $noun;
            const NAMES: &'static [&'static str] = $kind::NAMES;
            const ABOUT: &'static [&'static str] = $kind::ABOUT;
            fn from_name(name: &str) -> Option<Self> {
                $kind::from_name(name)
            }
        }
    )+};
    ($($type:ident, $noun:literal: $($name:literal => $variant:ident),+;)+) => {$(
        impl $crate::Choice for $type {
            const NOUN: &'static str = $noun;
            const NAMES: &'static [&'static str] = &[$($name),+];
            fn from_name(name: &str) -> Option<Self> {
                match name {
                    $($name => Some(Self::$variant),)+
                    _ => None,
                }
            }
        }
    )+};
}
