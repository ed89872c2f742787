//! Names, units and descriptions of the figures of a report, derived from the report's types.
//!
//! A figure is declared once, at its field. Its unit is given by the attribute of the field or its type
//! (`unit = "pages"`), by the suffix of its name (`_us`), or by the enclosing figure. The JSON schema, the
//! reference page, the Python types and `venice report explain` are generated from these declarations.

mod explain;
mod figure;
mod page;
mod schema;
mod unit;

pub use explain::explain;
pub use figure::{Figure, Form, figures};
pub use page::reference_page;
pub use schema::schema;
