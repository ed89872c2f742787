//! Macro that combines the parameters of all policies of an extension point.

/// Declares one structure with the parameters of all policies of an extension point. A
/// [catalogue](crate::catalogue!) calls this macro with its rows.
///
/// The macro call starts with `pub struct Parameters of Trait`, where the trait has an associated type
/// `Parameters`. The parameters form one section, or each policy has its own sections.
#[macro_export]
macro_rules! gather {
    (
        $(#[$about:meta])+
        pub struct $parameters:ident of $trait:ident;
        $($module:ident::$model:ident),+
    ) => {
        $(#[$about])+
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub struct $parameters {
            $(#[doc = concat!("Parameters of `", stringify!($module), "`.")] pub $module: <$module::$model as $trait>::Parameters,)+
        }

        impl $crate::ParameterSet for $parameters {
            const DECLARED: &'static [$crate::Parameter] = {
                const LISTS: &[&[$crate::Parameter]] =
                    &[$(<<$module::$model as $trait>::Parameters as $crate::ParameterSet>::DECLARED),+];
                &$crate::joined::<{ $crate::total(LISTS) }>(LISTS)
            };

            fn from_values(values: &$crate::AcceptedValues<'_>) -> Self {
                Self { $($module: $crate::ParameterSet::from_values(values),)+ }
            }

            fn sections() -> Vec<$crate::Section> {
                let each = [$(<<$module::$model as $trait>::Parameters as $crate::ParameterSet>::sections()),+];
                each.into_iter().flatten().collect()
            }
        }

        impl Default for $parameters {
            fn default() -> Self {
                $crate::ParameterSet::of_defaults()
            }
        }
    };
}
