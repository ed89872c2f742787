//! Macro [`declare!`](crate::declare!), which declares parameters in the source file of the policy that uses
//! them.

use std::collections::BTreeMap;

use super::parameter::{Parameter, Section};
use super::value::Value;

/// Map from full parameter keys to accepted values.
#[derive(Debug, Default)]
pub struct AcceptedValues<'a>(BTreeMap<&'static str, &'a Value>);

impl<'a> AcceptedValues<'a> {
    /// Creates the map from pairs of key and value.
    pub fn new(values: impl IntoIterator<Item = (&'static str, &'a Value)>) -> Self {
        Self(values.into_iter().collect())
    }

    /// Returns the value of the parameter `key`.
    ///
    /// # Panics
    /// Panics if the key has no value, which is a bug in the simulator: loading sets all values.
    pub fn of(&self, key: &str) -> &'a Value {
        self.0.get(key).unwrap_or_else(|| panic!("no value for `{key}`"))
    }
}

/// Structure whose fields are declared parameters.
pub trait ParameterSet: Sized {
    /// Declared parameters, in the order of the fields.
    const DECLARED: &'static [Parameter];
    /// Lines of the structure's comment. They describe the section if it contains only this structure.
    const ABOUT: &'static [&'static str] = &[];

    /// Creates the structure from accepted values.
    fn from_values(values: &AcceptedValues<'_>) -> Self;

    /// Creates the structure from the defaults of its parameters.
    fn of_defaults() -> Self {
        let default =
            |parameter: &Parameter| parameter.default_value().expect("a policy's parameters have defaults");
        let values: Vec<Value> = Self::DECLARED.iter().map(default).collect();
        Self::from_values(&AcceptedValues::new(
            Self::DECLARED.iter().map(|parameter| parameter.key).zip(&values),
        ))
    }

    /// Returns the section with this structure's parameters; an empty list if there are none.
    fn sections() -> Vec<Section> {
        let section = |first: &Parameter| Section {
            name: first.section(),
            parameters: Self::DECLARED,
            doc: Self::ABOUT,
        };
        Self::DECLARED.first().map(section).into_iter().collect()
    }
}

/// Parameter set of a policy without parameters.
impl ParameterSet for () {
    const DECLARED: &'static [Parameter] = &[];

    fn from_values(_values: &AcceptedValues<'_>) -> Self {}
}

/// Returns the total number of parameters in `lists`.
pub const fn total(lists: &[&[Parameter]]) -> usize {
    let (mut total, mut list) = (0, 0);
    while list < lists.len() {
        total += lists[list].len();
        list += 1;
    }
    total
}

/// Concatenates `lists`, which have `N` ≥ 1 parameters in total.
pub const fn joined<const N: usize>(lists: &[&[Parameter]]) -> [Parameter; N] {
    let mut list = 0;
    while lists[list].is_empty() {
        list += 1;
    }
    let mut all = [lists[list][0]; N];
    let mut place = 0;
    while list < lists.len() {
        let mut index = 0;
        while index < lists[list].len() {
            all[place] = lists[list][index];
            (place, index) = (place + 1, index + 1);
        }
        list += 1;
    }
    all
}

/// Declares a structure of parameters: `struct Name in "section." { … }`, with one line for each parameter.
///
/// A line consists of the field and its type, the accepted values, the unit, the default (or `required`), and
/// the source of the definition and the default. The comment of a line is the documentation of the field and
/// the help text for users: the first paragraph is a short definition, further paragraphs are details. Ranges
/// cover all plausible drives but exclude overflow of any product of values.
///
/// The generated structure is passed to the model. A field may have another name than its key (`latency as
/// link_latency_ns`), and its type may be a time span or a rate. `with field: Type;` includes a further
/// declared structure at that position. The structure is `Copy` unless a `#[derive(…)]` after its comment
/// overrides this. If a section consists of one structure, its comment is the help text of the section. A
/// structure without required parameters has a [`Default`].
#[macro_export]
macro_rules! declare {
    ($(#[doc = $struct_doc:literal])+ pub struct $($rest:tt)+) => {
        $crate::declare! {
            $(#[doc = $struct_doc])+
            #[derive(Clone, Copy, Debug, PartialEq)]
            pub struct $($rest)+
        }
    };
    (
        $(#[doc = $struct_doc:literal])+
        #[derive($($derive:ident),+)]
        pub struct $struct:ident in $prefix:literal {
            $(with $first:ident: $first_type:ty;)*
            $(
                $(#[doc = $doc:literal])+
                $field:ident $(as $key:ident)?: $type:ty = $kind:expr, unit $unit:literal,
                $(default $default:literal,)? $(required,)? source $source:literal;
                $(with $own:ident: $own_type:ty;)*
            )+
        }
    ) => {
        $(#[doc = $struct_doc])+
        #[derive($($derive),+)]
        pub struct $struct {
            $(#[doc = "As declared there."] pub $first: $first_type,)*
            $(
                $(#[doc = $doc])+ pub $field: $type,
                $(#[doc = "As declared there."] pub $own: $own_type,)*
            )+
        }

        impl $crate::ParameterSet for $struct {
            const DECLARED: &'static [$crate::Parameter] = {
                const LISTS: &[&[$crate::Parameter]] = &[
                    $(<$first_type as $crate::ParameterSet>::DECLARED,)*
                    $(
                        &[$crate::Parameter {
                            key: $crate::key_of!($prefix, $field $(as $key)?),
                            kind: $kind,
                            unit: $unit,
                            default: [$(Some($default),)? None][0],
                            source: $source,
                            doc: &[$($doc),+],
                        }],
                        $(<$own_type as $crate::ParameterSet>::DECLARED,)*
                    )+
                ];
                &$crate::joined::<{ $crate::total(LISTS) }>(LISTS)
            };
            const ABOUT: &'static [&'static str] = &[$($struct_doc),+];

            fn from_values(values: &$crate::AcceptedValues<'_>) -> Self {
                Self {
                    $($first: $crate::ParameterSet::from_values(values),)*
                    $(
                        $field: $crate::Field::from_value(
                            values.of($crate::key_of!($prefix, $field $(as $key)?)),
                            $unit,
                        ),
                        $($own: $crate::ParameterSet::from_values(values),)*
                    )+
                }
            }
        }

        $crate::default_of!($struct: $([$($default)?])+);
    };
}

/// Implements [`Default`] for a declared structure if all of its parameters have a default.
#[doc(hidden)]
#[macro_export]
macro_rules! default_of {
    ($struct:ident: $([$default:literal])+) => {
        impl Default for $struct {
            fn default() -> Self {
                $crate::ParameterSet::of_defaults()
            }
        }
    };
    ($struct:ident: $($lines:tt)+) => {};
}

/// Returns the key of a field within its section: its own name, or the name after `as`.
#[doc(hidden)]
#[macro_export]
macro_rules! key_of {
    ($prefix:literal, $field:ident) => {
        concat!($prefix, stringify!($field))
    };
    ($prefix:literal, $field:ident as $key:ident) => {
        concat!($prefix, stringify!($key))
    };
}

#[cfg(test)]
mod tests {
    use venice_kernel::{Rate, SimSpan};

    use crate::{AcceptedValues, Parameter, ParameterSet, Value, joined, number, total, whole};

    declare! {
        /// Parameters of a first policy.
        pub struct One in "room." {
            /// Number of items.
            one_count: u32 = whole(1, 9), unit "pieces", default "3", source "assumed";
            /// Duration of a step.
            time as one_time_us: SimSpan = number(0.0, 9.0), unit "µs", default "1.5", source "assumed";
        }
    }

    declare! {
        /// Parameters of a second policy.
        pub struct Other in "room." {
            with one: One;
            /// Transfer rate.
            rate as other_rate_mb_per_s: Rate = number(0.0, 9.0), unit "MB/s", default "7", source "assumed";
        }
    }

    #[test]
    fn declared_parameters_have_their_defaults_and_their_keys_in_order() {
        const LISTS: &[&[Parameter]] = &[<() as ParameterSet>::DECLARED, Other::DECLARED];
        const ALL: [Parameter; total(LISTS)] = joined(LISTS);
        let keys = ALL.map(|parameter| parameter.key);
        assert_eq!(keys, ["room.one_count", "room.one_time_us", "room.other_rate_mb_per_s"]);
        let one = One { one_count: 3, time: SimSpan::from_ns(1500) };
        assert_eq!(One::default(), one);
        assert_eq!(Other::default(), Other { one, rate: Rate::from_mb_per_s(7.0) });
        assert_eq!(ALL[0].accepted(), "1 to 9 pieces");
    }

    #[test]
    fn each_structure_takes_its_own_values_whatever_their_order() {
        let said = [Value::Number(0.5), Value::Number(2.0), Value::Integer(9)];
        let values = AcceptedValues::new(
            ["room.one_time_us", "room.other_rate_mb_per_s", "room.one_count"].into_iter().zip(&said),
        );
        let one = One { one_count: 9, time: SimSpan::from_ns(500) };
        assert_eq!(One::from_values(&values), one);
        assert_eq!(Other::from_values(&values), Other { one, rate: Rate::from_mb_per_s(2.0) });
    }

    #[test]
    fn a_structure_is_a_section_and_one_without_parameters_is_none() {
        let sections = Other::sections();
        let [section] = &sections[..] else { panic!("{sections:?}") };
        assert_eq!(
            (section.name, section.parameters.len(), section.doc),
            ("room", 3, &[" Parameters of a second policy."][..])
        );
        assert!(<() as ParameterSet>::sections().is_empty());
    }
}
