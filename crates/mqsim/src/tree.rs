//! XML elements with their positions, restricted to the subset of XML in MQSim's files.
//!
//! MQSim's parser does not compare the name of a closing tag with that of the opening tag, and files
//! distributed with MQSim contain mismatches (`true</<Generated_Aligned_Addresses>`). This parser accepts
//! such tags and adds a remark.

use std::borrow::Cow;
use std::ops::Range;

use quick_xml::Reader;
use quick_xml::events::Event;

/// Maximum nesting of elements; MQSim's files have four levels.
const DEEPEST: usize = 32;
/// Byte-order mark that some editors write at the start of UTF-8 text.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// XML element: a tag with its text or its child elements.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Element {
    /// Name of the element, as in its opening tag.
    pub(super) name: String,
    /// Position of the name.
    pub(super) name_span: Range<usize>,
    /// Text without leading and trailing blanks, with character references such as `&amp;` resolved.
    pub(super) text: String,
    /// Position of the text.
    pub(super) text_span: Range<usize>,
    /// Child elements in file order.
    pub(super) children: Vec<Element>,
}

/// Syntax error in an XML file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SyntaxProblem {
    pub(super) message: String,
    /// Position of the error.
    pub(super) span: Range<usize>,
}

/// Element whose closing tag has a different name than its opening tag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TagMismatch {
    /// Name of the element.
    pub(super) name: String,
    /// Position of the closing tag.
    pub(super) span: Range<usize>,
}

/// XML document: the top-level elements and the tolerated errors.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Tree {
    /// Top-level elements; exactly one in a well-formed file.
    pub(super) roots: Vec<Element>,
    /// Elements whose closing tags have a different name than their opening tags.
    pub(super) mismatches: Vec<TagMismatch>,
}

impl Element {
    /// Returns the children with this name, in order.
    pub(super) fn named<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Self> {
        self.children.iter().filter(move |child| child.name == name)
    }
}

/// Parses an XML document into a tree of elements.
pub(super) fn parse(text: &str) -> Result<Tree, SyntaxProblem> {
    // The reader skips byte-order marks without counting their bytes.
    let body = text.trim_start_matches(BYTE_ORDER_MARK);
    let skipped = text.len() - body.len();
    let mut reader = Reader::from_str(body);
    reader.config_mut().check_end_names = false;
    reader.config_mut().allow_unmatched_ends = true;
    let mut builder = TreeBuilder { text, tree: Tree::default(), open: Vec::new() };
    loop {
        let start = skipped + reader.buffer_position() as usize;
        let event = reader.read_event().map_err(|error| {
            let at = skipped + reader.error_position() as usize;
            SyntaxProblem { message: error.to_string(), span: at..text.len().min(at + 1) }
        })?;
        let span = start..skipped + reader.buffer_position() as usize;
        if matches!(event, Event::Eof) {
            return builder.finish();
        }
        builder.take(&event, span)?;
    }
}

/// State of the XML parser.
struct TreeBuilder<'a> {
    text: &'a str,
    tree: Tree,
    /// Elements whose closing tags have not been read yet, outermost first.
    open: Vec<Element>,
}

impl TreeBuilder<'_> {
    fn take(&mut self, event: &Event<'_>, span: Range<usize>) -> Result<(), SyntaxProblem> {
        match event {
            Event::Start(_) => self.start(span),
            Event::Empty(_) => {
                self.start(span)?;
                self.close();
                Ok(())
            }
            Event::End(_) => self.end(span),
            Event::Text(_) | Event::GeneralRef(_) | Event::CData(_) => {
                self.text(span);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn start(&mut self, span: Range<usize>) -> Result<(), SyntaxProblem> {
        if self.open.len() == DEEPEST {
            return Err(SyntaxProblem { message: format!("more than {DEEPEST} nested tags"), span });
        }
        let name_span = self.name_span(span.start + 1, span.end);
        let name = self.text[name_span.clone()].to_owned();
        let text_span = span.end..span.end;
        self.open.push(Element { name, name_span, text_span, ..Element::default() });
        Ok(())
    }

    fn end(&mut self, span: Range<usize>) -> Result<(), SyntaxProblem> {
        let name_span = self.name_span(span.start + 2, span.end);
        let Some(element) = self.open.last() else {
            return Err(SyntaxProblem { message: "closing tag without an opening tag".to_owned(), span });
        };
        if self.text[name_span.clone()] != element.name {
            self.tree.mismatches.push(TagMismatch { name: element.name.clone(), span: name_span });
        }
        self.close();
        Ok(())
    }

    /// Returns the position of the name at the start of a tag.
    fn name_span(&self, start: usize, end: usize) -> Range<usize> {
        let inside = &self.text[start..end];
        let length = inside.find(|c: char| c.is_whitespace() || matches!(c, '/' | '>'));
        start..start + length.unwrap_or(inside.len())
    }

    /// Appends text to the current element. Comments and character references divide an element's text into
    /// parts; the element's text position covers all of them.
    fn text(&mut self, span: Range<usize>) {
        let piece = &self.text[span.clone()];
        let Some(element) = self.open.last_mut() else { return };
        if element.text.is_empty() {
            element.text_span.start = span.start;
        }
        element.text.push_str(piece);
        element.text_span.end = span.end;
    }

    fn close(&mut self) {
        let Some(mut element) = self.open.pop() else { return };
        trim(&mut element);
        match self.open.last_mut() {
            Some(parent) => parent.children.push(element),
            None => self.tree.roots.push(element),
        }
    }

    fn finish(self) -> Result<Tree, SyntaxProblem> {
        match self.open.last() {
            None => Ok(self.tree),
            Some(element) => {
                let message = format!("`{}` is not closed", element.name);
                Err(SyntaxProblem { message, span: element.name_span.clone() })
            }
        }
    }
}

/// Removes leading and trailing blanks from an element's text and its position, and resolves character
/// references.
fn trim(element: &mut Element) {
    let leading = element.text.len() - element.text.trim_start().len();
    let trailing = element.text.len() - element.text.trim_end().len();
    let span = element.text_span.clone();
    let trimmed = element.text.trim();
    if trimmed.is_empty() {
        element.text_span = span.start..span.start;
    } else {
        element.text_span = span.start + leading..span.end - trailing;
    }
    element.text = quick_xml::escape::unescape(trimmed).map_or_else(|_| trimmed.to_owned(), Cow::into_owned);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn only(text: &str) -> Element {
        let tree = parse(text).unwrap();
        assert_eq!(tree.roots.len(), 1);
        tree.roots[0].clone()
    }

    #[test]
    fn elements_know_their_names_texts_and_places() {
        let text = "<?xml version=\"1.0\" encoding=\"us-ascii\"?>\n<A>\n\t<B> 17 </B><C/>\n</A>";
        let root = only(text);
        assert_eq!((root.name.as_str(), &text[root.name_span.clone()]), ("A", "A"));
        let names: Vec<&str> = root.children.iter().map(|child| child.name.as_str()).collect();
        assert_eq!(names, ["B", "C"]);
        let b = &root.children[0];
        assert_eq!((b.text.as_str(), &text[b.text_span.clone()]), ("17", "17"));
        assert_eq!(&text[b.name_span.clone()], "B");
        assert_eq!(root.children[1].text, "");
    }

    #[test]
    fn comments_are_skipped_and_references_resolved() {
        assert_eq!(only("<A><!-- 3 -->x&amp;y</A>").text, "x&y");
    }

    #[test]
    fn a_closing_tag_of_another_name_is_accepted_with_a_remark() {
        let tree = parse("<A><B>true</<B><C>1</C></A>").unwrap();
        assert_eq!(tree.roots[0].children.len(), 2);
        assert_eq!(tree.roots[0].children[0].text, "true");
        assert_eq!(tree.mismatches, [TagMismatch { name: "B".to_owned(), span: 12..14 }]);
    }

    #[test]
    fn what_is_not_xml_is_located() {
        let broken = |text: &str| parse(text).unwrap_err();
        assert_eq!(
            broken("<A><B></B>"),
            SyntaxProblem { message: "`A` is not closed".to_owned(), span: 1..2 }
        );
        assert_eq!(broken("</A>").span, 0..4);
        assert!(parse("<A").is_err());
        assert!(parse(&"<A>".repeat(40)).unwrap_err().message.contains("more than 32"));
    }

    #[test]
    fn a_byte_order_mark_moves_nothing() {
        let text = "\u{feff}<A><B>17</B></A>";
        let b = &only(text).children[0];
        assert_eq!((&text[b.name_span.clone()], &text[b.text_span.clone()]), ("B", "17"));
    }

    /// Asserts that all positions of an element and its children are within the text.
    fn check_places(text: &str, element: &Element) {
        assert_eq!(text.get(element.name_span.clone()), Some(element.name.as_str()));
        assert!(text.get(element.text_span.clone()).is_some());
        element.children.iter().for_each(|child| check_places(text, child));
    }

    proptest! {
        #[test]
        fn any_text_is_parsed_or_refused_and_places_are_places(
            pieces in prop::collection::vec("<A>|</A>|<B/>|</<A>|<|>|/|!|\\[CDATA\\[|\\]\\]|--|&amp;|&|;|µ| |\n|x|\\?|\u{feff}", 0..24),
        ) {
            let text = pieces.concat();
            match parse(&text) {
                Ok(tree) => tree.roots.iter().for_each(|root| check_places(&text, root)),
                Err(broken) => prop_assert!(broken.span.start <= text.len()),
            }
        }
    }
}
