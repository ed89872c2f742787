//! Parameters that a policy declares in its own file.

use super::parameter::Parameter;
use super::value::Value;

/// A structure whose fields are declared parameters.
pub trait Declared: Sized {
    /// What was declared, in the order of the fields.
    const DECLARED: &'static [Parameter];

    /// The structure of accepted values, one for each parameter, in their order.
    fn from_values(values: &mut dyn Iterator<Item = &Value>) -> Self;

    /// The structure of the defaults.
    fn of_defaults() -> Self {
        let default =
            |parameter: &Parameter| parameter.default_value().expect("a policy's parameters have defaults");
        let values: Vec<Value> = Self::DECLARED.iter().map(default).collect();
        Self::from_values(&mut values.iter())
    }
}

/// Of a policy without parameters.
impl Declared for () {
    const DECLARED: &'static [Parameter] = &[];

    fn from_values(_values: &mut dyn Iterator<Item = &Value>) -> Self {}
}

/// How many parameters these lists have together.
pub(crate) const fn total(lists: &[&[Parameter]]) -> usize {
    let (mut total, mut list) = (0, 0);
    while list < lists.len() {
        total += lists[list].len();
        list += 1;
    }
    total
}

/// These lists, the `N` parameters of which there is at least one, as one.
pub(crate) const fn joined<const N: usize>(lists: &[&[Parameter]]) -> [Parameter; N] {
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

/// Declares a policy's parameters: `struct Name in "section." { … }`, lines as in the table, each with a default.
macro_rules! declare {
    (
        $(#[doc = $struct_doc:literal])+
        pub struct $struct:ident in $prefix:literal {
            $(
                $(#[doc = $doc:literal])+
                $field:ident: $type:ty = $kind:expr, unit $unit:literal, default $default:literal, source $source:literal;
            )+
        }
    ) => {
        $(#[doc = $struct_doc])+
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub struct $struct {
            $($(#[doc = $doc])+ pub $field: $type,)+
        }

        impl $crate::parameters::Declared for $struct {
            const DECLARED: &'static [$crate::parameters::Parameter] = &[$($crate::parameters::Parameter {
                key: concat!($prefix, stringify!($field)),
                kind: $kind,
                unit: $unit,
                default: Some($default),
                source: $source,
                doc: &[$($doc),+],
            }),+];

            fn from_values(values: &mut dyn Iterator<Item = &$crate::parameters::Value>) -> Self {
                Self {$(
                    $field: $crate::parameters::Field::from_value(values.next().expect("one value for each parameter")),
                )+}
            }
        }

        impl Default for $struct {
            fn default() -> Self {
                $crate::parameters::Declared::of_defaults()
            }
        }
    };
}
pub(crate) use declare;

#[cfg(test)]
mod tests {
    use crate::parameters::{Declared, Parameter, Value, joined, number, total, whole};

    declare! {
        /// Of one policy.
        pub struct One in "room." {
            /// How many.
            one_count: u32 = whole(1, 9), unit "pieces", default "3", source "assumed";
            /// How long.
            one_time_us: f64 = number(0.0, 9.0), unit "µs", default "1.5", source "assumed";
        }
    }

    declare! {
        /// Of another.
        pub struct Other in "room." {
            /// Whether.
            other_count: u32 = whole(0, 9), unit "pieces", default "7", source "assumed";
        }
    }

    #[test]
    fn declared_parameters_have_their_defaults_and_their_keys_in_order() {
        const LISTS: &[&[Parameter]] = &[<() as Declared>::DECLARED, One::DECLARED, Other::DECLARED];
        const ALL: [Parameter; total(LISTS)] = joined(LISTS);
        let keys = ALL.map(|parameter| parameter.key);
        assert_eq!(keys, ["room.one_count", "room.one_time_us", "room.other_count"]);
        assert_eq!(One::default(), One { one_count: 3, one_time_us: 1.5 });
        assert_eq!(ALL[0].accepted(), "1 to 9 pieces");
    }

    #[test]
    fn each_structure_takes_its_own_values_and_leaves_the_rest() {
        let said = [Value::Integer(9), Value::Number(0.5), Value::Integer(0)];
        let mut values = said.iter();
        assert_eq!(One::from_values(&mut values), One { one_count: 9, one_time_us: 0.5 });
        assert_eq!(Other::from_values(&mut values), Other { other_count: 0 });
        assert_eq!(values.next(), None);
    }
}
