//! The catalogue of a seam: its policies by name, and dispatch to each of them by `match`.

/// Declares the policies of a seam: a kind, which has a name, any policy at work, and dispatch to each by `match`.
///
/// A row is `module::Model: "name" => Variant, "what it does";`; a model with several schemes has several names. The text may be
/// absent. From the rows follow:
///
/// - The enum of kinds with `ALL`, `NAMES`, `ABOUT`, `name`, `from_name` and `Display`, and a macro that compiles an expression for
///   the model of each kind: `match_kind!(kind, Model => Model::IS_FAIR)`. With `own in parameters` it binds the model's field of
///   gathered parameters, too.
/// - The enum of any policy with `From` each model, and a macro that compiles an expression for the policy of each variant:
///   `match_policy!(self, policy => policy.next())`. A variant of its own may hold policies from outside the catalogue. A seam that
///   is compiled for each of its models leaves this enum out.
/// - With `=> gather! { … }` behind the rows, what that macro makes of `…; module::Model, …`.
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
/// venice_kernel::catalogue! {
///     /// How the next number is chosen.
///     pub enum PolicyKind, match_kind!;
///
///     /// Any of the policies.
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
            pub enum $any:ident, $match_any:ident! $({ $(#[$own_meta:meta])+ $own:ident($own_policy:ty) })?;
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
            /// Every kind, in the order of the catalogue.
            pub const ALL: &'static [Self] = &[$($(Self::$variant),+),+];

            /// The names of [`Self::ALL`], as users write them.
            pub const NAMES: &'static [&'static str] = &[$($($name),+),+];

            /// A few words on each of [`Self::ALL`]; empty if the catalogue has none.
            pub const ABOUT: &'static [&'static str] = &[$($($($about,)?)+)+];

            /// Returns the name, as users write it.
            pub const fn name(self) -> &'static str {
                match self { $($(Self::$variant => $name,)+)+ }
            }

            /// Returns the kind of this name, which must be written exactly.
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
                $(#[$any_meta])+ $any $match_any { $($(#[$own_meta])+ $own($own_policy))? }
            )?] $($module $model)+
        }

        $crate::catalogue! { @gather [$($gather { $($head)* })?] $($module::$model),+ }
    };

    // Dispatch by kind. The first argument is a dollar sign, which a macro cannot write for the macro that it makes.
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
            $(#[$any_meta:meta])+ $any:ident $match_any:ident { $($(#[$own_meta:meta])+ $own:ident($own_policy:ty))? }
        ] $($module:ident $model:ident)+
    ) => {
        $(#[$any_meta])+
        pub enum $any {
            $(#[doc = concat!("See `", stringify!($module), "`.")] $model($module::$model),)+
            $($(#[$own_meta])+ $own($own_policy),)?
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
                    $($any::$own($d policy) => $d body,)?
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
        /// How the next number is chosen.
        pub enum Kind, match_kind!;

        /// Any of the policies.
        #[derive(Debug)]
        pub enum Any, match_any! {
            /// Not of the catalogue.
            Own(Zero)
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
        assert_eq!(Any::Own(Zero).next(), 0);
    }
}
