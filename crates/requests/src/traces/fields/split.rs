//! Splitting of lines into columns.
//!
//! A column that contains separators may be quoted (RFC 4180). Doubled quotes inside remain doubled, since a
//! column is a slice of the line, not a copy.

use super::super::LineFault;

/// Quotation mark around a column that contains separators.
const QUOTE: u8 = b'"';

/// Removes the next column, which ends at a comma, from the front of `rest` and returns it. Returns an empty
/// column if none is left.
#[inline]
pub(in super::super) fn comma_field<'a>(rest: &mut &'a [u8]) -> &'a [u8] {
    separated_field(rest, b',')
}

/// Removes the next column, which ends at `separator`, from the front of `rest` and returns it. Returns an
/// empty column if none is left.
#[inline]
pub(in super::super) fn separated_field<'a>(rest: &mut &'a [u8], separator: u8) -> &'a [u8] {
    let end = rest.iter().position(|&byte| byte == separator);
    let (field, after) = end.map_or((*rest, &[][..]), |end| (&rest[..end], &rest[end + 1..]));
    let field = field.trim_ascii();
    if field.first() == Some(&QUOTE)
        && let Some(quoted) = quoted_field(rest, |byte| byte == separator)
    {
        *rest = rest.get(1..).unwrap_or_default();
        return quoted;
    }
    *rest = after;
    field
}

/// Removes the next column, which ends at blanks or tabs, from the front of `rest` and returns it. Returns an
/// empty column if none is left.
#[inline]
pub(in super::super) fn blank_field<'a>(rest: &mut &'a [u8]) -> &'a [u8] {
    if rest.first() == Some(&QUOTE)
        && let Some(quoted) = quoted_field(rest, is_blank)
    {
        skip_blanks(rest);
        return quoted;
    }
    let end = rest.iter().position(|&byte| is_blank(byte)).unwrap_or(rest.len());
    let (field, after) = rest.split_at(end);
    *rest = after;
    skip_blanks(rest);
    field
}

/// Removes blanks and tabs from the front of `rest`.
#[inline]
pub(super) fn skip_blanks(rest: &mut &[u8]) {
    let blanks = rest.iter().take_while(|&&byte| is_blank(byte)).count();
    *rest = &rest[blanks..];
}

#[inline]
pub(super) fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

/// Removes a quoted column and the separator after it from the front of `rest`, and returns the column.
/// Returns `None` and leaves `rest` unchanged if no closing quote precedes a separator.
#[cold]
fn quoted_field<'a>(rest: &mut &'a [u8], is_separator: impl Fn(u8) -> bool) -> Option<&'a [u8]> {
    let body = rest.trim_ascii_start().strip_prefix(&[QUOTE])?;
    let end = closing_quote(body)?;
    let after = &body[end + 1..];
    let gap = after.iter().position(|&byte| is_separator(byte)).unwrap_or(after.len());
    if !after[..gap].trim_ascii().is_empty() {
        return None;
    }
    *rest = &after[gap..];
    Some(body[..end].trim_ascii())
}

/// Returns the position of the first quote that is not doubled.
fn closing_quote(body: &[u8]) -> Option<usize> {
    let mut from = 0;
    loop {
        let quote = from + memchr::memchr(QUOTE, &body[from..])?;
        if body.get(quote + 1) != Some(&QUOTE) {
            return Some(quote);
        }
        from = quote + 2;
    }
}

/// Returns true if a line consists of the first columns in `names`, in any case.
#[cold]
pub(in super::super) fn is_header(line: &[u8], names: &[&str]) -> bool {
    let (mut rest, mut names) = (line, names.iter());
    while !rest.is_empty() {
        let name = comma_field(&mut rest);
        if !names.next().is_some_and(|known| name.eq_ignore_ascii_case(known.as_bytes())) {
            return false;
        }
    }
    true
}

/// Returns an error if a column is left at the end of a line.
#[inline]
pub(in super::super) fn ends(rest: &[u8], expected: &'static str) -> Result<(), LineFault> {
    if rest.is_empty() { Ok(()) } else { Err(LineFault { field: "line", expected }) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn columns<'a>(line: &'a str, take: fn(&mut &'a [u8]) -> &'a [u8]) -> Vec<&'a str> {
        let mut rest = line.as_bytes();
        let mut found = Vec::new();
        while !rest.is_empty() {
            found.push(std::str::from_utf8(take(&mut rest)).unwrap());
        }
        found
    }

    #[test]
    fn quotes_keep_separators_in_a_column() {
        assert_eq!(columns(r#""1","a,b", "c" ,4"#, comma_field), ["1", "a,b", "c", "4"]);
        assert_eq!(columns(r#""a ""b"", c","",d"#, comma_field), [r#"a ""b"", c"#, "", "d"]);
        assert_eq!(columns("\"1\"\t \"a b\"  3", blank_field), ["1", "a b", "3"]);
    }

    #[test]
    fn quotes_that_do_not_enclose_a_column_are_part_of_it() {
        assert_eq!(columns(r#"5" disk,"open,2"#, comma_field), [r#"5" disk"#, r#""open"#, "2"]);
        assert_eq!(columns(r#""a"b,2"#, comma_field), [r#""a"b"#, "2"]);
        assert_eq!(columns(r#""open 2"#, blank_field), [r#""open"#, "2"]);
    }

    proptest! {
        #[test]
        fn columns_in_quotes_are_the_columns_that_a_csv_writer_was_given(fields in prop::collection::vec("[a-z,\" ]{0,6}", 1..6)) {
            let quoted = |field: &String| format!("\"{}\"", field.replace('"', "\"\""));
            let line = fields.iter().map(quoted).collect::<Vec<_>>().join(",");
            let expected: Vec<String> = fields.iter().map(|field| field.replace('"', "\"\"").trim().to_owned()).collect();
            prop_assert_eq!(columns(&line, comma_field), expected);
        }
    }
}
