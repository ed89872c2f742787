//! JSON with numbers as Python writes them, so that Python can store the text of a report without re-encoding
//! it.
//!
//! Rust and Python both write the shortest digits that identify a number. But Python writes an exponent for
//! every number below 0.0001: `repr(0.00005)` is `5e-05`.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::Serializer;
use serde_json::ser::Formatter;

/// Returns `value` as JSON text. Keys must be strings, and numbers must be finite.
pub fn to_json(value: &impl Serialize) -> serde_json::Result<String> {
    let mut text = Vec::new();
    value.serialize(&mut Serializer::with_formatter(&mut text, PythonFormatter))?;
    Ok(String::from_utf8(text).expect("JSON is UTF-8"))
}

/// JSON formatter with numbers in Python's notation.
pub struct PythonFormatter;

impl Formatter for PythonFormatter {
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
