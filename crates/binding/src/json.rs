//! JSON as Python writes it, so that a report's text need not be read and written again by whoever keeps it.
//!
//! Of a number both write the fewest digits that tell it from all others, but Python goes over to powers of ten sooner:
//! 0.00005 is `5e-05` (`repr` of a float, since Python 3.1).

use std::io::{self, Write};

use serde::Serialize;
use serde_json::Serializer;
use serde_json::ser::Formatter;

/// Writes what has only names for keys and only finite numbers.
pub fn to_json(value: &impl Serialize) -> serde_json::Result<String> {
    let mut text = Vec::new();
    value.serialize(&mut Serializer::with_formatter(&mut text, AsPython))?;
    Ok(String::from_utf8(text).expect("JSON is UTF-8"))
}

/// Numbers as Python writes them.
pub struct AsPython;

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
