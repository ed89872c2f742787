//! Source texts of a configuration: files, presets, and command-line options.

use std::ops::Range;
use std::sync::Arc;

/// Source text with a name.
#[derive(Debug, PartialEq, Eq)]
pub struct Document {
    /// Display name: a path, or the option as typed.
    pub name: String,
    /// Full text of the document; empty for a command-line option, whose name is its whole text.
    pub text: String,
}

/// Position in a document, for error messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourcePosition {
    /// Document that contains the position.
    pub document: Arc<Document>,
    /// Byte range in the document's text; `None` for a command-line option.
    pub span: Option<Range<usize>>,
}

/// Source line of a position, with line and column counted from 1, and the number of characters to underline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceLine<'a> {
    /// Line number, from 1.
    pub number: usize,
    /// Column of the first underlined character, from 1.
    pub column: usize,
    /// Text of the line.
    pub text: &'a str,
    /// Number of characters to underline: at least one, at most up to the end of the line.
    pub width: usize,
}

impl SourcePosition {
    /// Returns the line on which the position starts; `None` for a command-line option.
    pub fn line(&self) -> Option<SourceLine<'_>> {
        let span = self.span.clone()?;
        let text = self.document.text.as_str();
        let (start, end) = (floor_boundary(text, span.start), floor_boundary(text, span.end));
        let line_start = text[..start].rfind('\n').map_or(0, |newline| newline + 1);
        let line_end = text[start..].find('\n').map_or(text.len(), |newline| start + newline);
        let line = text[line_start..line_end].trim_end_matches('\r');
        Some(SourceLine {
            number: text[..line_start].matches('\n').count() + 1,
            column: text[line_start..start].chars().count() + 1,
            text: line,
            width: text[start..end.clamp(start, line_end)].trim_end().chars().count().max(1),
        })
    }

    /// Returns `file:line`, or the option as typed.
    pub fn brief(&self) -> String {
        match self.line() {
            Some(line) => format!("{}:{}", self.document.name, line.number),
            None => self.document.name.clone(),
        }
    }
}

/// Returns the nearest character boundary at or before byte `index`.
fn floor_boundary(text: &str, index: usize) -> usize {
    (0..=index.min(text.len())).rev().find(|&i| text.is_char_boundary(i)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(text: &str, span: Range<usize>) -> SourcePosition {
        let document = Arc::new(Document { name: "d.toml".to_owned(), text: text.to_owned() });
        SourcePosition { document, span: Some(span) }
    }

    #[test]
    fn columns_count_characters_not_bytes() {
        let here = place("# µs\nµ = 7\n", 11..12);
        let line = here.line().unwrap();
        assert_eq!((line.number, line.column, line.text, line.width), (2, 5, "µ = 7", 1));
    }

    #[test]
    fn what_spans_several_lines_is_underlined_to_the_end_of_the_first() {
        let here = place("a = [1,\n 2]\n", 4..11);
        assert_eq!(here.line().unwrap().width, 3);
    }

    #[test]
    fn the_end_of_the_text_is_a_place() {
        let here = place("a =", 3..3);
        assert_eq!((here.line().unwrap().column, here.line().unwrap().width), (4, 1));
    }
}
