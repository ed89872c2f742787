//! Macro that assembles the parameter table.

/// Declares the sections of a drive's configuration. Each line `field: Type;` adds the sections of one type,
/// which [`declare!`](venice_params::declare!) generated or which combines such types. The macro generates
/// the list of sections and the typed [`Config`](super::Config).
macro_rules! parameters {
    ($($section:ident: $declared:ty;)+) => {
        /// Returns all parameter sections, in the order of the declaration.
        fn declared_sections() -> Vec<Section> {
            let mut sections = Vec::new();
            $(sections.extend(<$declared as ParameterSet>::sections());)+
            sections
        }

        /// Validated configuration: each parameter has a value of its type and within its range.
        #[derive(Clone, Debug, PartialEq)]
        pub struct Config {
            $(#[doc = concat!("What [`", stringify!($declared), "`] says.")] pub $section: $declared,)+
        }

        impl Config {
            /// Creates the configuration from accepted values, one for each parameter, in the order of the
            /// table.
            pub(super) fn from_values<'a>(values: impl Iterator<Item = &'a Value>) -> Self {
                let values = AcceptedValues::new(parameters().map(|parameter| parameter.key).zip(values));
                Self { $($section: <$declared as ParameterSet>::from_values(&values),)+ }
            }
        }
    };
}
pub(super) use parameters;
