//! What a report can say: every figure with its name, its unit and its text, read off the report's own types.
//!
//! A figure is declared once, where its field is. The unit is the ending of its name (`_us`), or, for names without
//! one, what stands beside the field or its type (`unit = "pages"`), or that of the figure that it is a part of. The JSON schema, the
//! reference page, the types that Python has and `venice report explain` all follow from here.

mod explain;
mod figure;
mod page;
mod schema;
mod unit;

pub use explain::explain;
pub use figure::{Figure, Form, figures};
pub use page::reference_page;
pub use schema::schema;
