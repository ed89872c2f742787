//! Types whose values have names.

/// A type whose values have names.
pub(crate) trait Choice: Sized {
    /// What is named.
    const NOUN: &'static str;
    /// Every name.
    const NAMES: &'static [&'static str];
    /// By name: what it does, in a few words; none where the parameter's own text says it.
    const ABOUT: &'static [&'static str] = &[];
    /// The value of a name.
    fn from_name(name: &str) -> Option<Self>;
}

/// The names of enums: `Type, "noun": "name" => Variant, …;`, or `kind Type, "noun";` if the enum has them from a
/// [catalogue](venice_kernel::catalogue).
macro_rules! choices {
    ($(kind $kind:ident, $noun:literal;)+) => {$(
        impl $crate::parameters::Choice for $kind {
            const NOUN: &'static str = $noun;
            const NAMES: &'static [&'static str] = $kind::NAMES;
            const ABOUT: &'static [&'static str] = $kind::ABOUT;
            fn from_name(name: &str) -> Option<Self> {
                $kind::from_name(name)
            }
        }
    )+};
    ($($type:ident, $noun:literal: $($name:literal => $variant:ident),+;)+) => {$(
        impl $crate::parameters::Choice for $type {
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
pub(crate) use choices;
