//! Macro [`catalogue!`](crate::catalogue!), which declares policies that are selected by name, with static
//! dispatch.

/// Declares the implementations of a policy interface: an enum of their names (kinds), an enum of policy
/// values, and static dispatch for both.
///
/// A row is `module::Model: "name" => Variant, "description";`. The description is optional. A model that
/// implements several schemes has several names. The macro generates:
///
/// - The enum of kinds with `ALL`, `NAMES`, `ABOUT`, `name`, `from_name` and `Display`.
/// - A macro that compiles an expression once per kind, with the type of its model: `match_kind!(kind, Model
///   => Model::IS_FAIR)`. The form `match_kind!(kind, Model, own in parameters => …)` also binds `own` to
///   `parameters.module`, the parameters of that model.
/// - Optionally the enum of policy values with `From` each model, and a macro that compiles an expression
///   once per variant: `match_policy!(self, policy => policy.next())`. One further variant may hold
///   user-defined policies. Interfaces that are generic over the model omit this enum.
/// - With `=> gather! { … }` after the rows: the expansion of that macro, called with `…; module::Model, …`.
///
/// ```
/// trait Policy {
///     fn new(seed: u64) -> Self;
///     fn next(&mut self) -> u64;
/// }
///
/// mod constant {
///     pub struct Constant(u64);
///
///     impl super::Policy for Constant {
///         fn new(seed: u64) -> Self {
///             Self(seed)
///         }
///
///         fn next(&mut self) -> u64 {
///             self.0
///         }
///     }
/// }
///
/// venice_params::catalogue! {
///     /// Kinds of policies.
///     pub enum PolicyKind, match_kind!;
///
///     /// Policy of any kind.
///     pub enum AnyPolicy, match_policy!;
///
///     constant::Constant: "constant" => Constant, "always the seed";
/// }
///
/// impl PolicyKind {
///     fn build(self, seed: u64) -> AnyPolicy {
///         match_kind!(self, Model => Model::new(seed).into())
///     }
/// }
///
/// impl AnyPolicy {
///     fn next(&mut self) -> u64 {
///         match_policy!(self, policy => policy.next())
///     }
/// }
///
/// fn main() {
///     let kind = PolicyKind::from_name("constant").unwrap();
///     assert_eq!(kind.build(7).next(), 7);
/// }
/// ```
#[macro_export]
macro_rules! catalogue {
    (
        $(#[$kind_meta:meta])*
        pub enum $kind:ident, $match_kind:ident!;

        $(
            $(#[$any_meta:meta])+
            pub enum $any:ident, $match_any:ident! $({ $(#[$external_meta:meta])+ $external:ident($external_policy:ty) })?;
        )?

        $($module:ident::$model:ident: $($name:literal => $variant:ident $(, $about:literal)?;)+)+

        $(=> $gather:ident! { $($head:tt)* })?
    ) => {
        $(#[$kind_meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $kind {
            $($(#[doc = concat!("`", $name, "`" $(, ": ", $about)?, ".")] $variant,)+)+
        }

        impl $kind {
            /// All kinds, in the order of declaration.
            pub const ALL: &'static [Self] = &[$($(Self::$variant),+),+];

            /// Names of [`Self::ALL`], as in configuration files.
            pub const NAMES: &'static [&'static str] = &[$($($name),+),+];

            /// Descriptions of [`Self::ALL`]; empty if the rows have none.
            pub const ABOUT: &'static [&'static str] = &[$($($($about,)?)+)+];

            /// Returns the name, as in configuration files.
            pub const fn name(self) -> &'static str {
                match self { $($(Self::$variant => $name,)+)+ }
            }

            /// Returns the kind called `name`; the comparison is case-sensitive.
            pub fn from_name(name: &str) -> Option<Self> {
                match name {
                    $($($name => Some(Self::$variant),)+)+
                    _ => None,
                }
            }
        }

        impl ::std::fmt::Display for $kind {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.write_str(self.name())
            }
        }

        $crate::catalogue! { @kinds ($) $match_kind $kind { $($module $model { $($variant)+ })+ } }

        $crate::catalogue! {
            @any ($) [$(
                $(#[$any_meta])+ $any $match_any { $($(#[$external_meta])+ $external($external_policy))? }
            )?] $($module $model)+
        }

        $crate::catalogue! { @gather [$($gather { $($head)* })?] $($module::$model),+ }
    };

    // Static dispatch by kind. `$d` receives a dollar sign: `macro_rules!` has no other way to write one into
    // a generated macro.
    (@kinds ($d:tt) $match_kind:ident $kind:ident { $($module:ident $model:ident { $($variant:ident)+ })+ }) => {
        macro_rules! $match_kind {
            ($d kind:expr, $d Model:ident => $d body:expr) => {
                match $d kind {
                    $($($kind::$variant)|+ => {
                        type $d Model = $module::$model;
                        $d body
                    })+
                }
            };
            ($d kind:expr, $d Model:ident, $d own:ident in $d parameters:expr => $d body:expr) => {
                match $d kind {
                    $($($kind::$variant)|+ => {
                        type $d Model = $module::$model;
                        let $d own = &$d parameters.$module;
                        $d body
                    })+
                }
            };
        }
    };

    (@any ($d:tt) [] $($rows:tt)+) => {};
    (
        @any ($d:tt) [
            $(#[$any_meta:meta])+ $any:ident $match_any:ident { $($(#[$external_meta:meta])+ $external:ident($external_policy:ty))? }
        ] $($module:ident $model:ident)+
    ) => {
        $(#[$any_meta])+
        pub enum $any {
            $(#[doc = concat!("See `", stringify!($module), "`.")] $model($module::$model),)+
            $($(#[$external_meta])+ $external($external_policy),)?
        }

        $(
            impl From<$module::$model> for $any {
                fn from(policy: $module::$model) -> Self {
                    Self::$model(policy)
                }
            }
        )+

        macro_rules! $match_any {
            ($d any:expr, $d policy:ident => $d body:expr) => {
                match $d any {
                    $($any::$model($d policy) => $d body,)+
                    $($any::$external($d policy) => $d body,)?
                }
            };
        }
    };

    (@gather [] $($models:tt)+) => {};
    (@gather [$gather:ident { $($head:tt)* }] $($models:tt)+) => { $gather! { $($head)*; $($models)+ } };
}

#[cfg(test)]
mod tests {
    trait Policy {
        const IS_CONSTANT: bool = false;

        fn new(step: u64) -> Self;

        fn next(&mut self) -> u64;
    }

    mod constant {
        #[derive(Debug)]
        pub struct Constant(u64);

        impl super::Policy for Constant {
            const IS_CONSTANT: bool = true;

            fn new(step: u64) -> Self {
                Self(step)
            }

            fn next(&mut self) -> u64 {
                self.0
            }
        }
    }

    mod counting {
        #[derive(Debug)]
        pub struct Counting {
            step: u64,
            last: u64,
        }

        impl super::Policy for Counting {
            fn new(step: u64) -> Self {
                Self { step, last: 0 }
            }

            fn next(&mut self) -> u64 {
                self.last += self.step;
                self.last
            }
        }
    }

    #[derive(Debug)]
    pub struct Zero;

    impl Zero {
        #[allow(clippy::unused_self, reason = "it stands for a policy")]
        fn next(&self) -> u64 {
            0
        }
    }

    macro_rules! steps {
        (pub struct $steps:ident; $($module:ident::$model:ident),+) => {
            struct $steps { $($module: u64,)+ }
        };
    }

    catalogue! {
        /// Kinds of number sequences, for the test.
        pub enum Kind, match_kind!;

        /// Number sequence of any kind, for the test.
        #[derive(Debug)]
        pub enum Any, match_any! {
            /// User-defined sequence.
            External(Zero)
        };

        constant::Constant: "constant" => Constant, "always the step";
        counting::Counting:
            "counting" => Counting, "up";
            "counting_too" => CountingToo, "up, likewise";

        => steps! { pub struct Steps }
    }

    impl Kind {
        fn build(self, steps: &Steps) -> Any {
            match_kind!(self, Model, step in steps => Model::new(*step).into())
        }

        const fn is_constant(self) -> bool {
            match_kind!(self, Model => Model::IS_CONSTANT)
        }
    }

    impl Any {
        fn next(&mut self) -> u64 {
            match_any!(self, policy => policy.next())
        }
    }

    #[test]
    fn every_name_leads_to_its_kind_and_back() {
        assert_eq!(Kind::NAMES, ["constant", "counting", "counting_too"]);
        assert_eq!(Kind::ABOUT, ["always the step", "up", "up, likewise"]);
        for (&name, &kind) in Kind::NAMES.iter().zip(Kind::ALL) {
            assert_eq!((Kind::from_name(name), kind.name()), (Some(kind), name));
            assert_eq!(kind.to_string(), name);
        }
        assert_eq!(["", "Counting", "counting "].map(Kind::from_name), [None; 3]);
    }

    #[test]
    fn a_kind_is_built_from_the_parameters_of_its_model() {
        let steps = Steps { constant: 5, counting: 3 };
        let second = |kind: Kind| {
            let mut policy = kind.build(&steps);
            policy.next();
            policy.next()
        };
        assert_eq!([Kind::Constant, Kind::Counting, Kind::CountingToo].map(second), [5, 6, 6]);
        assert_eq!(Kind::ALL.iter().map(|kind| kind.is_constant()).collect::<Vec<_>>(), [true, false, false]);
    }

    #[test]
    fn a_policy_from_outside_the_catalogue_is_dispatched_to() {
        assert_eq!(Any::External(Zero).next(), 0);
    }
}
