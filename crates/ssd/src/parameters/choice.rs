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

/// The names of enums that are no seam: `Type, "noun": "name" => Variant, …;`.
macro_rules! choices {
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
