//! Derivation of a column description from the names in a header.
//!
//! # How
//!
//! The name of a column determines its role and usually its unit. The values determine the rest only if they
//! are unambiguous, such as dates and times relative to 1970 or 1601. For an unknown unit, an error message
//! proposes a description that the user can complete. Assumptions are listed in a note.

use super::super::fields::{fixed_point, is_plain_op, iso_ns, whole};
use super::header::Header;
use super::roles::{ColumnRole, ROLES};
use crate::request::SECTOR_BYTES;

use ColumnUnit::{Stated, Usual};

/// Unit of a column, as written in a description of columns (`--columns`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ColumnUnit {
    /// Unit that the column's name states.
    Stated(&'static str),
    /// Unit that is assumed because it is usual for columns with this name.
    Usual(&'static str),
}

const BYTE: &str = "byte";
const SECTOR: &str = "sector";

/// Known column names, in lower case without blanks and underscores. If several columns have the same role,
/// the one whose name is first in this list is used.
const NAMES: [(&str, ColumnRole, Option<ColumnUnit>); 63] = [
    ("timestamp", ColumnRole::Time, None),
    ("time", ColumnRole::Time, None),
    ("ts", ColumnRole::Time, None),
    ("arrival", ColumnRole::Time, None),
    ("arrivaltime", ColumnRole::Time, None),
    ("datetime", ColumnRole::Time, None),
    ("date", ColumnRole::Time, None),
    ("starttime", ColumnRole::Time, None),
    ("issuetime", ColumnRole::Time, None),
    ("requesttime", ColumnRole::Time, None),
    ("op", ColumnRole::Op, None),
    ("type", ColumnRole::Op, None),
    ("operation", ColumnRole::Op, None),
    ("rw", ColumnRole::Op, None),
    ("iotype", ColumnRole::Op, None),
    ("optype", ColumnRole::Op, None),
    ("opcode", ColumnRole::Op, None),
    ("requesttype", ColumnRole::Op, None),
    ("readwrite", ColumnRole::Op, None),
    ("rwbs", ColumnRole::Op, None),
    ("cmd", ColumnRole::Op, None),
    ("command", ColumnRole::Op, None),
    ("action", ColumnRole::Op, None),
    ("isread", ColumnRole::Op, None),
    ("iswrite", ColumnRole::Op, None),
    ("offset", ColumnRole::Offset, Some(Usual(BYTE))),
    ("byteoffset", ColumnRole::Offset, Some(Stated(BYTE))),
    ("address", ColumnRole::Offset, Some(Usual(BYTE))),
    ("addr", ColumnRole::Offset, Some(Usual(BYTE))),
    ("position", ColumnRole::Offset, Some(Usual(BYTE))),
    ("pos", ColumnRole::Offset, Some(Usual(BYTE))),
    ("lba", ColumnRole::Offset, Some(Usual(SECTOR))),
    ("startlba", ColumnRole::Offset, Some(Usual(SECTOR))),
    ("lbn", ColumnRole::Offset, Some(Usual(SECTOR))),
    ("sector", ColumnRole::Offset, Some(Usual(SECTOR))),
    ("startsector", ColumnRole::Offset, Some(Usual(SECTOR))),
    ("size", ColumnRole::Size, Some(Usual(BYTE))),
    ("length", ColumnRole::Size, Some(Usual(BYTE))),
    ("len", ColumnRole::Size, Some(Usual(BYTE))),
    ("bytes", ColumnRole::Size, Some(Stated(BYTE))),
    ("nbytes", ColumnRole::Size, Some(Stated(BYTE))),
    ("iosize", ColumnRole::Size, Some(Usual(BYTE))),
    ("requestsize", ColumnRole::Size, Some(Usual(BYTE))),
    ("sectors", ColumnRole::Size, Some(Stated(SECTOR))),
    ("nsectors", ColumnRole::Size, Some(Stated(SECTOR))),
    ("nrsector", ColumnRole::Size, Some(Stated(SECTOR))),
    ("nrsectors", ColumnRole::Size, Some(Stated(SECTOR))),
    ("numsectors", ColumnRole::Size, Some(Stated(SECTOR))),
    ("sectorcount", ColumnRole::Size, Some(Stated(SECTOR))),
    ("device", ColumnRole::Device, None),
    ("deviceid", ColumnRole::Device, None),
    ("dev", ColumnRole::Device, None),
    ("disk", ColumnRole::Device, None),
    ("disknumber", ColumnRole::Device, None),
    ("diskid", ColumnRole::Device, None),
    ("volume", ColumnRole::Device, None),
    ("volumeid", ColumnRole::Device, None),
    ("lun", ColumnRole::Device, None),
    ("asu", ColumnRole::Device, None),
    ("namespace", ColumnRole::Device, None),
    ("nsid", ColumnRole::Device, None),
    ("queue", ColumnRole::Device, None),
    ("patternset", ColumnRole::PatternSet, None),
];

/// Suffixes of column names for units of time, each with the unit as written in a column description.
const TIME_UNITS: [(&str, &str); 18] = [
    ("s", "s"),
    ("sec", "s"),
    ("secs", "s"),
    ("second", "s"),
    ("seconds", "s"),
    ("ms", "ms"),
    ("msec", "ms"),
    ("milliseconds", "ms"),
    ("us", "us"),
    ("µs", "us"),
    ("μs", "us"),
    ("usec", "us"),
    ("microseconds", "us"),
    ("ns", "ns"),
    ("nsec", "ns"),
    ("nanoseconds", "ns"),
    ("100ns", "100ns"),
    ("filetime", "100ns"),
];
const ADDRESS_UNITS: [(&str, &str); 6] =
    [("byte", BYTE), ("bytes", BYTE), ("b", BYTE), ("sector", SECTOR), ("sectors", SECTOR), ("kib", "1024")];

/// Ranges of absolute times that identify their unit. Times since 1970 cover September 2001 to 2039, and
/// FILETIMEs, which count from 1601, cover 1981 to 2107. The ranges are disjoint.
pub(super) const TIMES_SINCE: [(&str, std::ops::Range<u64>, &str); 5] = [
    ("s", 1_000_000_000..2_200_000_000, "seconds since 1970"),
    ("ms", 1_000_000_000_000..2_200_000_000_000, "milliseconds since 1970"),
    ("us", 1_000_000_000_000_000..2_200_000_000_000_000, "microseconds since 1970"),
    ("ns", 1_000_000_000_000_000_000..2_200_000_000_000_000_000, "nanoseconds since 1970"),
    ("100ns", 120_000_000_000_000_000..160_000_000_000_000_000, "100-ns ticks since 1601"),
];

/// Values of Boolean columns that stand for true, as written by data frames.
const YES: &str = "1+True+true";
const NO: &str = "0+False+false";

/// Column description derived from a header and the first values.
#[derive(Debug, PartialEq, Eq)]
pub(in super::super) struct HeaderDescription {
    /// Description in the syntax of `--columns`.
    pub(in super::super) description: String,
    /// Assumptions about the columns, for reports.
    pub(in super::super) note: String,
}

/// Column with a property that neither the header nor the values determine.
#[derive(Debug, PartialEq, Eq)]
pub struct UndeterminedColumn {
    /// Name of the column.
    pub column: String,
    /// Property that cannot be determined.
    pub unknown: &'static str,
    /// Column description for the user to complete.
    pub example: String,
}

/// Column of a trace file, and its role in a request, such as the address.
struct NamedColumn<'a> {
    number: usize,
    name: String,
    role: ColumnRole,
    unit: Option<ColumnUnit>,
    /// True if another column has the same name but another unit.
    is_contradicted: bool,
    /// Values of the column in the first lines.
    values: Vec<&'a [u8]>,
}

impl Header<'_> {
    /// Derives a column description from the header and the first lines. Returns `None` if a required column
    /// is missing.
    pub(in super::super) fn described(
        &self,
        lines: &[&[u8]],
    ) -> Option<Result<HeaderDescription, UndeterminedColumn>> {
        let columns = self.columns(lines)?;
        let words: Vec<_> = columns.iter().map(NamedColumn::word).collect();
        let described = |word: fn(&DescriptionWord) -> &str| {
            let word = |number: usize| {
                columns.iter().position(|column| column.number == number).map(|at| word(&words[at]))
            };
            let all: Vec<&str> = (0..self.names.len()).map(|number| word(number).unwrap_or("-")).collect();
            all.join(&self.separator.text())
        };
        let description = described(|word| &word.text);
        let open = columns.iter().zip(&words).find_map(|(column, word)| Some((column, word.unknown?)));
        Some(match open {
            Some((column, unknown)) => {
                Err(UndeterminedColumn { column: column.name.clone(), unknown, example: description })
            }
            None => Ok(HeaderDescription { note: note(&description, &words), description }),
        })
    }

    /// Returns the column for each role; `None` if a required column is missing.
    fn columns<'a>(&self, lines: &[&'a [u8]]) -> Option<Vec<NamedColumn<'a>>> {
        let rows: Vec<Vec<&[u8]>> = lines.iter().map(|line| self.separator.fields(line)).collect();
        let values = |number: usize| rows.iter().filter_map(|row| row.get(number).copied()).collect();
        let mut columns: Vec<NamedColumn> = Vec::new();
        for (_, role) in ROLES {
            match self.named(role) {
                Some((number, unit)) => {
                    let name = String::from_utf8_lossy(self.names[number]).into_owned();
                    let is_contradicted = self.is_contradicted(role, number);
                    columns.push(NamedColumn {
                        number,
                        name,
                        role,
                        unit,
                        is_contradicted,
                        values: values(number),
                    });
                }
                None if role.is_optional() => {}
                None => return None,
            }
        }
        Some(columns)
    }

    /// Returns the index and the unit of the column for this role, the one whose name is first in [`NAMES`].
    fn named(&self, role: ColumnRole) -> Option<(usize, Option<ColumnUnit>)> {
        let named = self.names.iter().enumerate().filter_map(|(number, name)| {
            let (rank, unit) = meaning(name, role)?;
            Some((rank, number, unit))
        });
        named.min_by_key(|&(rank, number, _)| (rank, number)).map(|(_, number, unit)| (number, unit))
    }

    /// Returns true if another column has the same name with another unit, such as `arrival_ns` and
    /// `arrival_us`.
    fn is_contradicted(&self, role: ColumnRole, number: usize) -> bool {
        let own = meaning(self.names[number], role);
        let others = self.names.iter().filter_map(|name| meaning(name, role));
        own.is_some_and(|(rank, unit)| others.into_iter().any(|other| other.0 == rank && other.1 != unit))
    }
}

/// Returns the index of a column name in [`NAMES`], and the unit of the column.
fn meaning(name: &[u8], role: ColumnRole) -> Option<(usize, Option<ColumnUnit>)> {
    let name = String::from_utf8_lossy(name).to_lowercase();
    let words: Vec<&str> =
        name.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let units: &[_] = if role == ColumnRole::Time { &TIME_UNITS } else { &ADDRESS_UNITS };
    let ranked = |name: &str| NAMES.iter().position(|&(known, other, _)| known == name && other == role);
    if let Some(rank) = ranked(&words.concat()) {
        return Some((rank, NAMES[rank].2));
    }
    let (last, first) = words.split_last()?;
    let &(_, unit) = units.iter().find(|(word, _)| word == last)?;
    Some((ranked(&first.concat())?, Some(Stated(unit))))
}

/// Word for one column in a column description, with the assumptions made.
struct DescriptionWord {
    text: String,
    /// Assumption about the column, for the note in reports.
    taken: Option<String>,
    /// Property that the user has to state.
    unknown: Option<&'static str>,
}

impl DescriptionWord {
    fn known(text: impl Into<String>) -> Self {
        Self { text: text.into(), taken: None, unknown: None }
    }

    fn taken(self, taken: impl Into<String>) -> Self {
        Self { taken: Some(taken.into()), ..self }
    }

    fn unknown(self, unknown: &'static str) -> Self {
        Self { unknown: Some(unknown), ..self }
    }
}

impl NamedColumn<'_> {
    fn word(&self) -> DescriptionWord {
        let word = self.word_of_role();
        if self.is_contradicted { word.unknown(CONTRADICTED) } else { word }
    }

    fn word_of_role(&self) -> DescriptionWord {
        match self.role {
            ColumnRole::Time => self.time(),
            ColumnRole::Op => self.op(),
            ColumnRole::Offset => self.extent("offset"),
            ColumnRole::Size => self.size(),
            ColumnRole::Device => DescriptionWord::known("device"),
            ColumnRole::PatternSet => DescriptionWord::known("set"),
        }
    }

    fn time(&self) -> DescriptionWord {
        if self.all(|value| iso_ns(value).is_some()) {
            return DescriptionWord::known("time:iso");
        }
        if let Some(Stated(unit) | Usual(unit)) = self.unit {
            return DescriptionWord::known(format!("time:{unit}"));
        }
        let since = TIMES_SINCE.iter().find(|(_, range, _)| {
            self.all(|value| fixed_point(value, 0).is_some_and(|time| range.contains(&time)))
        });
        match since {
            Some((unit, _, words)) => {
                DescriptionWord::known(format!("time:{unit}")).taken(format!("`{}` is in {words}", self.name))
            }
            None if self.values.iter().any(|value| value.contains(&b'.')) => {
                DescriptionWord::known("time:s").unknown(TIME_UNIT)
            }
            None => DescriptionWord::known("time:us").unknown(TIME_UNIT),
        }
    }

    fn op(&self) -> DescriptionWord {
        let says_read = self.name.to_lowercase().contains("read");
        let is_yes_or_no =
            |value: &[u8]| [YES, NO].iter().any(|all| all.split('+').any(|word| word.as_bytes() == value));
        if self.all(is_plain_op) {
            DescriptionWord::known("op")
        } else if !self.all(is_yes_or_no) {
            DescriptionWord::known(self.spelling()).unknown("its values for reads and writes are unknown")
        } else if self.name.to_lowercase().starts_with("is") {
            let (read, write) = if says_read { (YES, NO) } else { (NO, YES) };
            DescriptionWord::known(format!("op:{read}:{write}"))
        } else {
            DescriptionWord::known("op:1:0").unknown("1 may stand for a read or a write")
        }
    }

    /// Returns the spellings of operations for a description, from the first distinct values of the column.
    fn spelling(&self) -> String {
        let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
        let mut values: Vec<&[u8]> = Vec::new();
        for value in self.values.iter().filter(|value| !value.is_empty() && value.iter().all(is_word)) {
            if !values.contains(value) {
                values.push(value);
            }
        }
        let word = |number: usize, other: &str| {
            values
                .get(number)
                .map_or_else(|| other.to_owned(), |value| String::from_utf8_lossy(value).into_owned())
        };
        let others = if values.len() > 2 { ":*" } else { "" };
        format!("op:{}:{}{others}", word(0, "READ"), word(1, "WRITE"))
    }

    fn size(&self) -> DescriptionWord {
        let sizes = || self.values.iter().filter_map(|value| whole(value));
        let is_short = sizes().any(|size| size > 0) && sizes().all(|size| size < SECTOR_BYTES.into());
        if self.unit == Some(Usual(BYTE)) && is_short {
            return DescriptionWord::known("size:sector").unknown(SHORT_SIZES);
        }
        self.extent("size")
    }

    fn extent(&self, role: &str) -> DescriptionWord {
        let (Stated(unit) | Usual(unit)) = self.unit.unwrap_or(Usual(BYTE));
        let word =
            DescriptionWord::known(if unit == BYTE { role.to_owned() } else { format!("{role}:{unit}") });
        match self.unit {
            Some(Usual(BYTE)) => word.taken(format!("`{}` is in bytes", self.name)),
            Some(Usual(SECTOR)) => word.taken(format!("`{}` is in sectors of 512 bytes", self.name)),
            _ => word,
        }
    }

    fn all(&self, is: impl Fn(&[u8]) -> bool) -> bool {
        !self.values.is_empty() && self.values.iter().all(|value| is(value))
    }
}

const CONTRADICTED: &str = "another column of the same name has another unit";
const TIME_UNIT: &str = "the unit of its times is unknown";
const SHORT_SIZES: &str = "it may count bytes or sectors (all of its first values are below 512)";

fn note(description: &str, words: &[DescriptionWord]) -> String {
    let given = format!("columns derived from the header: --columns '{description}'");
    let taken = words.iter().filter_map(|word| word.taken.clone());
    [given].into_iter().chain(taken).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn described(text: &str) -> Option<Result<String, String>> {
        let mut lines = text.lines().map(str::as_bytes);
        let header = Header::of(lines.next()?)?;
        let described = header.described(&lines.collect::<Vec<_>>())?;
        Some(
            described
                .map(|named| named.description)
                .map_err(|open| format!("{}: {}", open.column, open.example)),
        )
    }

    #[track_caller]
    fn reads(text: &str, description: &str) {
        assert_eq!(described(text), Some(Ok(description.to_owned())), "{text}");
    }

    #[track_caller]
    fn asks(text: &str, open: &str) {
        assert_eq!(described(text), Some(Err(open.to_owned())), "{text}");
    }

    #[test]
    fn names_give_columns_and_units_in_any_order_and_spelling() {
        reads("Time (us),rw,Offset,nbytes\n5,R,0,512", "time:us,op,offset,size");
        reads(
            "DiskNumber;Size_KiB;start_sector;timestamp_ms;latency;Op\n1;4;8;5.5;9;write",
            "device;size:1024;offset:sector;time:ms;-;op",
        );
        reads("ts_ns lba sectors type\n5 8 8 W", "time:ns offset:sector size:sector op");
        reads(
            "time_s|is_write|addr|length\n5|False|0|512",
            "time:s|op:0+False+false:1+True+true|offset|size",
        );
    }

    #[test]
    fn dates_and_times_since_an_epoch_need_no_unit() {
        for (time, unit) in [
            ("2024-06-01 12:00:00.25", "iso"),
            ("1717243200.25", "s"),
            ("1717243200250", "ms"),
            ("1.71724320025e15", "us"),
            ("1717243200250000000", "ns"),
            ("128166372003061629", "100ns"),
        ] {
            reads(
                &format!("timestamp,op,offset,size\n{time},R,0,512"),
                &format!("time:{unit},op,offset,size"),
            );
        }
    }

    #[test]
    fn undetermined_columns_require_a_description() {
        asks("time,op,offset,size\n5,R,0,512", "time: time:us,op,offset,size");
        asks("time,op,offset,size\n5.5,R,0,512", "time: time:s,op,offset,size");
        asks("time_us,op,offset,size\n5,1,0,512", "op: time:us,op:1:0,offset,size");
        asks("time_us,op,offset,size\n5,28,0,512", "op: time:us,op:28:WRITE,offset,size");
        asks(
            "time_us,op,offset,size\n5,28,0,512\n6,35,0,0\n7,2a,0,512",
            "op: time:us,op:28:35:*,offset,size",
        );
        asks("time_us,op,lba,size\n5,R,0,8", "size: time:us,op,offset:sector,size:sector");
    }

    #[test]
    fn columns_of_one_name_with_different_units_are_left_to_the_user() {
        asks("arrival_us,arrival_ns,op,offset,size\n5,5,R,0,512", "arrival_us: time:us,-,op,offset,size");
        asks(
            "time_us,op,offset_sector,offset_kib,size\n5,R,8,4,512",
            "offset_sector: time:us,op,offset:sector,-,size",
        );
        reads("time_us,time_us,op,offset,size\n5,5,R,0,512", "time:us,-,op,offset,size");
        reads("arrival_us,timestamp_ns,op,offset,size\n5,5,R,0,512", "-,time:ns,op,offset,size");
    }

    #[test]
    fn a_header_without_a_column_that_is_needed_describes_nothing() {
        for names in [
            "time_us,op,offset,latency",
            "time_us,op,size,latency",
            "time_us,kind,offset,size",
            "day,op,offset,size",
        ] {
            assert_eq!(described(&format!("{names}\n5,R,0,512")), None, "{names}");
        }
    }
}
