//! Header lines with column names.

use super::separator::Separator;

/// Name that pandas gives to an unnamed column when it rewrites a file.
const UNNAMED: &[u8] = b"Unnamed: 0";

/// Minimum number of names in a header. A line with fewer names is considered a title.
const LEAST_NAMES: usize = 4;

/// Column names of a file.
pub(in super::super) struct Header<'a> {
    pub(super) separator: Separator,
    /// Names of all columns except the index column.
    pub(super) names: Vec<&'a [u8]>,
    has_index: bool,
}

impl<'a> Header<'a> {
    /// Parses a header, a line in which every column starts with a letter. The first column may be unnamed if
    /// it is the index of a data frame.
    pub(in super::super) fn of(line: &'a [u8]) -> Option<Self> {
        let separator = Separator::of(line);
        let mut names = separator.fields(line);
        let has_index = separator != Separator::Blanks
            && names.first().is_some_and(|name| name.is_empty() || *name == UNNAMED);
        if has_index {
            names.remove(0);
        }
        let is_name =
            |name: &&[u8]| name.first().is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'_');
        let is_header = names.len() >= LEAST_NAMES && names.iter().all(is_name);
        is_header.then_some(Self { separator, names, has_index })
    }

    /// Returns the separator after the index column, if the header has such a column.
    pub(in super::super) fn index_separator(&self) -> Option<u8> {
        match self.separator {
            Separator::Byte(separator) if self.has_index => Some(separator),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(line: &str) -> Option<(Vec<&str>, bool)> {
        let header = Header::of(line.as_bytes())?;
        let names = header.names.iter().map(|name| std::str::from_utf8(name).unwrap()).collect();
        Some((names, header.index_separator().is_some()))
    }

    #[test]
    fn a_header_names_every_column_but_an_index() {
        let four = vec!["time", "op", "offset", "size (KiB)"];
        assert_eq!(names("time,op,offset,size (KiB)"), Some((four.clone(), false)));
        assert_eq!(names(r#""time","op","offset","size (KiB)""#), Some((four.clone(), false)));
        for index in ["", "\"\"", "Unnamed: 0"] {
            assert_eq!(
                names(&format!("{index},time,op,offset,size (KiB)")),
                Some((four.clone(), true)),
                "{index}"
            );
        }
        assert_eq!(names("time op offset size"), Some((vec!["time", "op", "offset", "size"], false)));
        for line in ["1,R,0,512", "time,op,offset", "time,op,0,512", ",1,2,3,4", "time,,op,offset,size"] {
            assert_eq!(names(line), None, "{line}");
        }
    }
}
