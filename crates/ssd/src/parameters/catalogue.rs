//! The catalogue of a seam: which policies there are, by name, and the parameters of all of them.

/// The names of a seam's policies: `Kind, "noun", NAMES` and a line `"name" => Variant, "what it does";` for each.
///
/// Yields the list of names, the enum, and what the configuration asks of a choice.
macro_rules! catalogue {
    (
        $(#[doc = $doc:literal])+
        pub enum $kind:ident, $noun:literal, $names:ident;
        $($name:literal => $variant:ident, $about:literal;)+
    ) => {
        #[doc = concat!("Names of ", stringify!($kind), ", as users write them.")]
        pub const $names: &[&str] = &[$($name),+];

        $(#[doc = $doc])+
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $kind {
            $(#[doc = concat!("`", $name, "`: ", $about, ".")] $variant,)+
        }

        impl $kind {
            #[doc = concat!("Every policy, in the order of [`", stringify!($names), "`].")]
            pub const ALL: &[Self] = &[$(Self::$variant),+];

            /// The name, as users write it.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)+ }
            }

            /// The policy of this name, if there is one.
            pub fn from_name(name: &str) -> Option<Self> {
                match name {
                    $($name => Some(Self::$variant),)+
                    _ => None,
                }
            }
        }

        impl $crate::parameters::Choice for $kind {
            const NOUN: &'static str = $noun;
            const NAMES: &'static [&'static str] = $names;
            const ABOUT: &'static [&'static str] = &[$($about),+];
            fn from_name(name: &str) -> Option<Self> {
                Self::from_name(name)
            }
        }
    };
}
pub(crate) use catalogue;

/// The parameters of all policies of a seam as one structure: `Parameters of Trait` and `module::Model` for each, whose trait has
/// an associated type `Parameters`. What they declare stands in one section, or each has sections of its own.
macro_rules! gather {
    (
        $(#[doc = $doc:literal])+
        pub struct $parameters:ident of $trait:ident;
        $($module:ident::$model:ident),+ $(,)?
    ) => {
        $(#[doc = $doc])+
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub struct $parameters {
            $(#[doc = concat!("Of `", stringify!($module), "`.")] pub $module: <$module::$model as $trait>::Parameters,)+
        }

        impl $crate::parameters::Declared for $parameters {
            const DECLARED: &'static [$crate::parameters::Parameter] = {
                const LISTS: &[&[$crate::parameters::Parameter]] =
                    &[$(<<$module::$model as $trait>::Parameters as $crate::parameters::Declared>::DECLARED),+];
                &$crate::parameters::joined::<{ $crate::parameters::total(LISTS) }>(LISTS)
            };

            fn from_values(values: &$crate::parameters::Values<'_>) -> Self {
                Self { $($module: $crate::parameters::Declared::from_values(values),)+ }
            }

            fn sections() -> Vec<$crate::parameters::Section> {
                let each = [$(<<$module::$model as $trait>::Parameters as $crate::parameters::Declared>::sections()),+];
                each.into_iter().flatten().collect()
            }
        }

        impl Default for $parameters {
            fn default() -> Self {
                $crate::parameters::Declared::of_defaults()
            }
        }
    };
}
pub(crate) use gather;
