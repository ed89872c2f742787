//! The lengths of time that Arrow's writers put into a Parquet file: Parquet has no type for them, so the unit stands in
//! the schema that they keep beside it, under the key `ARROW:schema`.
//!
//! # How
//!
//! That schema is a Flatbuffers message in base 64. Four kinds of its tables are walked here, by hand and every step
//! checked, since the library that knows them all would bring eight others along for this one number.
//!
//! # Source
//!
//! Apache Arrow, `format/Message.fbs` and `format/Schema.fbs`; Flatbuffers, "Internals".

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::unit::TimeUnit;

/// The key that the schema stands under.
pub(super) const KEY: &str = "ARROW:schema";

/// `Type.Duration`.
const DURATION: u8 = 18;
/// The units of `TimeUnit`, in their order.
const UNITS: [TimeUnit; 4] = [TimeUnit::Second, TimeUnit::Milli, TimeUnit::Micro, TimeUnit::Nano];
/// The unit that a duration has if it names none.
const MILLISECOND: u16 = 1;

/// The unit of a column of durations; nothing if the column is something else, or if the schema cannot be read.
pub(super) fn duration_unit(schema: &str, column: &str) -> Option<TimeUnit> {
    let bytes = STANDARD.decode(schema).ok()?;
    let is_framed = bytes.starts_with(&[0xff; 4]);
    let message = Table::root(bytes.get(if is_framed { 8 } else { 4 }..)?)?;
    let fields = message.table(2)?.tables(1)?;
    let field = fields.into_iter().find(|field| field.text(0) == Some(column.as_bytes()))?;
    if field.byte(2) != Some(DURATION) {
        return None;
    }
    let unit = field.table(3)?.short(0).unwrap_or(MILLISECOND);
    UNITS.get(usize::from(unit)).copied()
}

/// A table of a Flatbuffers message: fields by their number.
#[derive(Clone, Copy)]
struct Table<'a> {
    bytes: &'a [u8],
    place: usize,
}

impl<'a> Table<'a> {
    fn root(bytes: &'a [u8]) -> Option<Self> {
        Some(Self { bytes, place: offset(bytes, 0)? })
    }

    /// Where a field is; nothing if the table leaves it out.
    fn field(self, number: usize) -> Option<usize> {
        let back = i32::from_le_bytes(taken(self.bytes, self.place)?);
        let fields = self.place.checked_add_signed(isize::try_from(back.checked_neg()?).ok()?)?;
        let entry = 4 + 2 * number;
        let length = usize::from(u16::from_le_bytes(taken(self.bytes, fields)?));
        if entry + 2 > length {
            return None;
        }
        match u16::from_le_bytes(taken(self.bytes, fields + entry)?) {
            0 => None,
            field => Some(self.place + usize::from(field)),
        }
    }

    fn byte(self, number: usize) -> Option<u8> {
        self.bytes.get(self.field(number)?).copied()
    }

    fn short(self, number: usize) -> Option<u16> {
        Some(u16::from_le_bytes(taken(self.bytes, self.field(number)?)?))
    }

    fn table(self, number: usize) -> Option<Self> {
        Some(Self { bytes: self.bytes, place: offset(self.bytes, self.field(number)?)? })
    }

    fn text(self, number: usize) -> Option<&'a [u8]> {
        let place = offset(self.bytes, self.field(number)?)?;
        let length = usize::try_from(u32::from_le_bytes(taken(self.bytes, place)?)).ok()?;
        self.bytes.get(place + 4..)?.get(..length)
    }

    fn tables(self, number: usize) -> Option<Vec<Self>> {
        let place = offset(self.bytes, self.field(number)?)?;
        let length = usize::try_from(u32::from_le_bytes(taken(self.bytes, place)?)).ok()?;
        let places = self.bytes.get(place + 4..)?.chunks_exact(4).take(length).enumerate();
        places
            .map(|(nth, _)| Some(Self { place: offset(self.bytes, place + 4 + 4 * nth)?, ..self }))
            .collect()
    }
}

/// Where the offset at a place leads to.
fn offset(bytes: &[u8], place: usize) -> Option<usize> {
    let ahead = u32::from_le_bytes(taken(bytes, place)?);
    place.checked_add(usize::try_from(ahead).ok()?)
}

fn taken<const N: usize>(bytes: &[u8], place: usize) -> Option<[u8; N]> {
    bytes.get(place..)?.first_chunk().copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What pyarrow writes for `arrival_ns: duration[us], op: string`.
    const SCHEMA: &str = "/////6gAAAAQAAAAAAAKAAwABgAFAAgACgAAAAABBAAMAAAACAAIAAAABAAIAAAABAAAAAIAAABAAAAABAAAANj///8AAAEF\
                          EAAAABgAAAAEAAAAAAAAAAIAAABvcAAABAAEAAQAAAAQABQACAAGAAcADAAAABAAEAAAAAAAARIQAAAAJAAAAAQAAAAA\
                          AAAACgAAAGFycml2YWxfbnMAAAAABgAIAAYABgAAAAAAAgA=";

    #[test]
    fn the_unit_of_a_duration_is_that_of_the_kept_schema() {
        assert_eq!(duration_unit(SCHEMA, "arrival_ns"), Some(TimeUnit::Micro));
    }

    #[test]
    fn a_column_that_is_no_duration_has_none() {
        assert_eq!(duration_unit(SCHEMA, "op"), None);
        assert_eq!(duration_unit(SCHEMA, "sectors"), None);
    }

    #[test]
    fn whatever_the_schema_holds_it_is_read_or_left() {
        let bytes = STANDARD.decode(SCHEMA).unwrap();
        for place in 0..bytes.len() {
            for value in [0x00, 0x01, 0x7f, 0x80, 0xff] {
                let mut broken = bytes.clone();
                broken[place] = value;
                let _ = duration_unit(&STANDARD.encode(&broken), "arrival_ns");
                let _ = duration_unit(&STANDARD.encode(&broken[..place]), "arrival_ns");
            }
        }
        assert_eq!(duration_unit("no base 64!", "arrival_ns"), None);
    }
}
