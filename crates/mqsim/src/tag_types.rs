//! Conversion of a tag's text to a typed value: the [`TagType`] trait, limits, and texts for error messages.

use std::ops::Range;

use venice_drive::ftl::AllocationOrder;
use venice_params::{Choice, nearest};

/// Parameter value with its position in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaggedValue<T> {
    /// Value of the parameter.
    pub value: T,
    /// Name of the parameter's XML element, such as `CMT_Capacity`.
    pub tag: &'static str,
    /// Position of the value's text in the file; `None` if the file omits the value.
    pub(super) span: Option<Range<usize>>,
}

/// Type to which the text of an XML element is converted.
pub(super) trait TagType: Sized + Clone {
    /// Returns a description of accepted texts, for messages.
    fn expected() -> String;

    /// Parses the text of an XML element; `None` if it is not accepted.
    fn from_text(text: &str) -> Option<Self>;

    /// Returns the text of the value, as in a file.
    fn text(&self) -> String;

    /// Returns a suggestion to replace a rejected text, if there is one.
    fn hint(_text: &str) -> Option<String> {
        None
    }
}

macro_rules! numbers {
    ($($type:ty: $expected:literal;)+) => {$(
        impl TagType for $type {
            fn expected() -> String {
                $expected.to_owned()
            }

            fn from_text(text: &str) -> Option<Self> {
                text.parse().ok()
            }

            fn text(&self) -> String {
                self.to_string()
            }
        }
    )+};
}

numbers! {
    u16: "a whole number";
    u32: "a whole number";
    u64: "a whole number";
    i32: "a whole number";
}

impl TagType for f64 {
    fn expected() -> String {
        "a number".to_owned()
    }

    fn from_text(text: &str) -> Option<Self> {
        text.parse().ok().filter(|x: &Self| x.is_finite())
    }

    fn text(&self) -> String {
        self.to_string()
    }
}

impl TagType for bool {
    fn expected() -> String {
        "true or false".to_owned()
    }

    fn from_text(text: &str) -> Option<Self> {
        match text.to_ascii_lowercase().as_str() {
            "true" => Some(true),
            "false" => Some(false),
            _ => None,
        }
    }

    fn text(&self) -> String {
        self.to_string()
    }
}

impl TagType for String {
    fn expected() -> String {
        "a text".to_owned()
    }

    fn from_text(text: &str) -> Option<Self> {
        (!text.is_empty()).then(|| text.to_owned())
    }

    fn text(&self) -> String {
        self.clone()
    }
}

/// Identifiers of channels, chips, dies or planes: ascending, without duplicates.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct IdList(pub Vec<u16>);

impl TagType for IdList {
    fn expected() -> String {
        "whole numbers from 0, separated by commas".to_owned()
    }

    fn from_text(text: &str) -> Option<Self> {
        let ids: Option<Vec<u16>> = text.split(',').map(|id| id.trim().parse().ok()).collect();
        let mut ids = ids?;
        ids.sort_unstable();
        ids.dedup();
        Some(Self(ids))
    }

    fn text(&self) -> String {
        let ids: Vec<String> = self.0.iter().map(u16::to_string).collect();
        ids.join(",")
    }
}

/// Striping order of channel (C), way (W), die (D) and plane (P), as one of the 24 permutations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PlaneOrder(pub &'static str);

impl TagType for PlaneOrder {
    fn expected() -> String {
        one_of(AllocationOrder::NAMES)
    }

    fn from_text(text: &str) -> Option<Self> {
        let mut names = AllocationOrder::NAMES.iter();
        names.find(|name| name.eq_ignore_ascii_case(text)).map(|name| Self(name))
    }

    fn text(&self) -> String {
        self.0.to_owned()
    }

    fn hint(text: &str) -> Option<String> {
        suggestion(text, AllocationOrder::NAMES)
    }
}

/// Declares enumerations whose values have the names that MQSim uses; as in MQSim, case is ignored.
macro_rules! names {
    ($(
        $(#[doc = $doc:literal])+
        $type:ident { $($(#[doc = $variant_doc:literal])+ $variant:ident = $name:literal,)+ }
    )+) => {$(
        $(#[doc = $doc])+
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum $type {
            $($(#[doc = $variant_doc])+ $variant,)+
        }

        impl $crate::tag_types::TagType for $type {
            fn expected() -> String {
                $crate::tag_types::one_of(&[$($name),+])
            }

            fn from_text(text: &str) -> Option<Self> {
                match text.to_ascii_uppercase().as_str() {
                    $($name => Some(Self::$variant),)+
                    _ => None,
                }
            }

            fn text(&self) -> String {
                match self { $(Self::$variant => $name,)+ }.to_owned()
            }

            fn hint(text: &str) -> Option<String> {
                $crate::tag_types::suggestion(text, &[$($name),+])
            }
        }
    )+};
}
pub(super) use names;

/// Returns the text "one of A, B".
pub(super) fn one_of(names: &[&str]) -> String {
    if let [only] = names { (*only).to_owned() } else { format!("one of {}", names.join(", ")) }
}

/// Returns the text "did you mean `A`?" with the most similar name, if there is one.
pub(super) fn suggestion(text: &str, names: &[&str]) -> Option<String> {
    nearest(text, names.iter().copied()).map(|name| format!("did you mean `{name}`?"))
}

/// Smallest and largest accepted value, both inclusive; `None` without limits.
#[derive(Clone, Copy, Debug)]
pub(super) struct ValueLimits<T>(Option<(T, T)>);

impl<T> ValueLimits<T> {
    /// No limits except those of the type.
    pub(super) const ANY: Self = Self(None);

    /// Returns the limits `least` to `most`, both inclusive.
    pub(super) const fn within(least: T, most: T) -> Self {
        Self(Some((least, most)))
    }
}

impl<T: PartialOrd> ValueLimits<T> {
    /// True if the value is within the limits.
    pub(super) fn hold(&self, value: &T) -> bool {
        self.0.as_ref().is_none_or(|(least, most)| least <= value && value <= most)
    }
}

/// Formatting of value limits for messages.
pub(super) trait LimitDisplay {
    /// Returns the limits as text, such as ", 1 to 64"; empty without limits.
    fn shown(&self) -> String;
}

impl<T: TagType> LimitDisplay for ValueLimits<T> {
    fn shown(&self) -> String {
        let ends = self.0.as_ref();
        ends.map_or(String::new(), |(least, most)| format!(", {} to {}", least.text(), most.text()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_sets_as_in_mqsim() {
        assert_eq!(IdList::from_text("3, 0,1,3"), Some(IdList(vec![0, 1, 3])));
        assert_eq!(IdList::from_text("0,,1"), None);
        assert_eq!(IdList::from_text("-1"), None);
        assert_eq!(IdList(vec![0, 2]).text(), "0,2");
    }

    #[test]
    fn capitals_do_not_matter_for_truth() {
        assert_eq!(bool::from_text("FALSE"), Some(false));
        assert_eq!(bool::from_text("True"), Some(true));
        assert_eq!(bool::from_text("0"), None);
    }

    #[test]
    fn numbers_are_whole_texts() {
        assert_eq!(u32::from_text("16"), Some(16));
        assert_eq!(u32::from_text("16x"), None);
        assert_eq!(f64::from_text("1.00000"), Some(1.0));
        assert_eq!(f64::from_text("inf"), None);
    }

    #[test]
    fn both_ends_of_a_range_belong_to_it() {
        let limits = ValueLimits::within(1, 3);
        assert!([1, 2, 3].iter().all(|x| limits.hold(x)));
        assert!([0, 4].iter().all(|x| !limits.hold(x)));
    }
}
