//! JSON with a line for every value, as our files have it.

use std::io::{self, Write};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde_json::ser::{Formatter, PrettyFormatter};
use serde_json::{Deserializer, Serializer};

use crate::json::AsPython;

/// The same JSON, indented by two spaces for each level, as Python's `indent=2` has it; what is none raises `ValueError`. Whole numbers beyond
/// 64 bits become floats, as no report has them.
#[pyfunction]
pub fn indent_json(text: &str) -> PyResult<String> {
    let (mut reader, mut lines) = (Deserializer::from_str(text), Vec::new());
    let mut writer = Serializer::with_formatter(&mut lines, Indented(PrettyFormatter::new()));
    let copied = serde_transcode::transcode(&mut reader, &mut writer).and_then(|()| reader.end());
    copied.map_err(|wrong| PyValueError::new_err(wrong.to_string()))?;
    Ok(String::from_utf8(lines).expect("JSON is UTF-8"))
}

/// Numbers as Python writes them, in the library's lines.
struct Indented(PrettyFormatter<'static>);

/// What the library's lines say of themselves.
macro_rules! as_the_library {
    ($($name:ident($($argument:ident: $kind:ty)?)),*) => {
        $(fn $name<W: ?Sized + Write>(&mut self, writer: &mut W $(, $argument: $kind)?) -> io::Result<()> {
            self.0.$name(writer $(, $argument)?)
        })*
    };
}

impl Formatter for Indented {
    fn write_f64<W: ?Sized + Write>(&mut self, writer: &mut W, value: f64) -> io::Result<()> {
        AsPython.write_f64(writer, value)
    }

    as_the_library!(
        begin_array(),
        end_array(),
        begin_array_value(first: bool),
        end_array_value(),
        begin_object(),
        end_object(),
        begin_object_key(first: bool),
        begin_object_value(),
        end_object_value()
    );
}
