//! The macro behind the parameter table: one declaration yields the list and the typed structure.

/// Declares sections of parameters.
///
/// A section is a list of lines, or a structure that its room [declares](crate::parameters::declare), or that gathers such structures.
///
/// Yields the list of sections, the typed [`Config`](super::Config) with one structure for
/// each section, and the conversion from accepted values, in the order of the table. The comment of
/// a line is both the field's documentation and the text shown to users: its first paragraph says
/// what the parameter is, the rest is detail. Behind the line that chooses among the policies of a seam, `with field: Type;` takes in
/// the parameters that the policies [declare](crate::parameters::declare) in their own files.
macro_rules! parameters {
    ($(
        $(#[doc = $section_doc:literal])+
        section $section:ident $($prefix:literal $struct:ident {
            $(
                $(#[doc = $doc:literal])+
                $field:ident: $type:ty = $kind:expr, unit $unit:literal,
                $(default $default:literal,)? $(required,)? source $source:literal;
                $(with $own:ident: $own_type:ty;)*
            )+
        })? $(: $declared:ty;)?
    )+) => {
        /// Every section of parameters, in the order of the declaration.
        fn declared_sections() -> Vec<Section> {
            let mut sections = Vec::new();
            $({
                let _doc: &'static [&'static str] = &[$($section_doc),*];
                $(sections.push(Section {
                    name: section_name($prefix),
                    doc: _doc,
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
                            $(<$own_type as Declared>::DECLARED,)*
                        )+];
                        const { &joined::<{ total(LISTS) }>(LISTS) }
                    },
                });)?
                $(sections.extend(<$declared as Declared>::sections());)?
            })+
            sections
        }

        /// A validated drive: every parameter has a value of its type and within its range.
        #[derive(Clone, Debug, PartialEq)]
        pub struct Config {
            $($(#[doc = $section_doc])+ pub $section: $($struct)? $($declared)?,)+
        }

        $($(
            #[doc = concat!("The section of `", $prefix, "`: what its comment in the table says.")]
            #[derive(Clone, Debug, PartialEq)]
            pub struct $struct {
                $(
                    $(#[doc = $doc])+ pub $field: $type,
                    $(#[doc = concat!("What the policies of `", stringify!($field), "` declare.")] pub $own: $own_type,)*
                )+
            }

            impl $struct {
                fn from_values(values: &Values<'_>) -> Self {
                    Self {$(
                        $field: <$type>::from_value(values.of(concat!($prefix, stringify!($field))), $unit),
                        $($own: <$own_type as Declared>::from_values(values),)*
                    )+}
                }
            }
        )?)+

        impl Config {
            /// The typed form of accepted values, one for each parameter, in the table's order.
            pub(super) fn from_values<'a>(values: impl Iterator<Item = &'a Value>) -> Self {
                let values = Values::new(parameters().map(|parameter| parameter.key).zip(values));
                Self {$(
                    $section: $(<$struct>::from_values(&values))? $(<$declared as Declared>::from_values(&values))?,
                )+}
            }
        }
    };
}
pub(super) use parameters;
