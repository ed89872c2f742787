//! The macro behind the parameter table: one declaration yields the list and the typed structure.

/// Declares sections of parameters.
///
/// Yields [`SECTIONS`](super::table::SECTIONS), the typed [`Config`](super::Config) with one structure for
/// each section, and the conversion from accepted values, in the order of the table. The comment of
/// a line is both the field's documentation and the text shown to users: its first paragraph says
/// what the parameter is, the rest is detail. Behind the line that chooses among the policies of a seam, `with field: Type;` takes in
/// the parameters that the policies [declare](crate::parameters::declare) in their own files.
macro_rules! parameters {
    ($(
        $(#[doc = $section_doc:literal])+
        section $section:ident $prefix:literal $struct:ident {
            $(
                $(#[doc = $doc:literal])+
                $field:ident: $type:ty = $kind:expr, unit $unit:literal,
                $(default $default:literal,)? $(required,)? source $source:literal;
                $(with $own:ident: $own_type:ty;)?
            )+
        }
    )+) => {
        /// Every parameter of a drive, by section, in the order in which files list them.
        pub(super) static SECTIONS: &[Section] = &[$(Section {
            name: section_name($prefix),
            doc: &[$($section_doc),+],
            parameters: {
                const LISTS: &[&[Parameter]] = &[$(
                    &[Parameter {
                        key: concat!($prefix, stringify!($field)),
                        kind: $kind,
                        unit: $unit,
                        default: [$(Some($default),)? None][0],
                        source: $source,
                        doc: &[$($doc),+],
                    }],
                    $(<$own_type as Declared>::DECLARED,)?
                )+];
                &joined::<{ total(LISTS) }>(LISTS)
            },
        }),+];

        /// A validated drive: every parameter has a value of its type and within its range.
        #[derive(Clone, Debug, PartialEq)]
        pub struct Config {
            $($(#[doc = $section_doc])+ pub $section: $struct,)+
        }

        $(
            $(#[doc = $section_doc])+
            #[derive(Clone, Debug, PartialEq)]
            pub struct $struct {
                $(
                    $(#[doc = $doc])+ pub $field: $type,
                    $(#[doc = concat!("What the policies of `", stringify!($field), "` declare.")] pub $own: $own_type,)?
                )+
            }
        )+

        impl Config {
            /// The typed form of accepted values, one for each parameter, in the table's order.
            pub(super) fn from_values<'a>(mut values: impl Iterator<Item = &'a Value>) -> Self {
                Self {$(
                    $section: $struct {
                        $(
                            $field: <$type>::from_value(values.next().expect("one value for each parameter")),
                            $($own: <$own_type as Declared>::from_values(&mut values),)?
                        )+
                    },
                )+}
            }
        }
    };
}
pub(super) use parameters;
