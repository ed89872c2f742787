//! JSON as Python writes it, so that a report's text need not be read and written again by whoever keeps it.
//!
//! Of a number both write the fewest digits that tell it from all others, but Python goes over to powers of ten sooner:
//! 0.00005 is `5e-05` (`repr` of a float, since Python 3.1).

use std::io::{self, Write};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde::Serialize;
use serde_json::ser::{Formatter, PrettyFormatter};
use serde_json::{Deserializer, Serializer};

/// Writes what has only names for keys and only finite numbers.
pub fn to_json(value: &impl Serialize) -> serde_json::Result<String> {
    written(|text| value.serialize(&mut Serializer::with_formatter(text, AsPython)))
}

/// The same JSON with a line for every value, indented by two spaces for each level, as Python's `indent=2` has it; what is none raises
/// `ValueError`. Python's own library writes lines four times as slowly as text without them.
#[pyfunction]
pub fn indent_json(text: &str) -> PyResult<String> {
    let mut reader = Deserializer::from_str(text);
    let copied = written(|lines| {
        let mut writer = Serializer::with_formatter(lines, Indented(PrettyFormatter::new()));
        serde_transcode::transcode(&mut reader, &mut writer)?;
        reader.end()
    });
    copied.map_err(|wrong| PyValueError::new_err(wrong.to_string()))
}

fn written(write: impl FnOnce(&mut Vec<u8>) -> serde_json::Result<()>) -> serde_json::Result<String> {
    let mut text = Vec::new();
    write(&mut text)?;
    Ok(String::from_utf8(text).expect("JSON is UTF-8"))
}

struct AsPython;

impl Formatter for AsPython {
    fn write_f64<W: ?Sized + Write>(&mut self, writer: &mut W, value: f64) -> io::Result<()> {
        if value == 0.0 || (1e-4..1e16).contains(&value.abs()) {
            return write!(writer, "{value:?}");
        }
        let shortest = format!("{value:e}");
        let (digits, exponent) = shortest.split_once('e').expect("it was asked for");
        let (sign, exponent) = exponent.strip_prefix('-').map_or(('+', exponent), |small| ('-', small));
        write!(writer, "{digits}e{sign}{exponent:0>2}")
    }
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
