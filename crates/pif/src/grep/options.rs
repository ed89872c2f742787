//! What `grep` is asked for.

/// What is wanted of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Wanted {
    /// The lines.
    #[default]
    Lines,
    /// The matching parts of lines, each on a line of its own (`-o`).
    Parts,
    /// How many lines (`-c`).
    Count,
    /// The file's name, if it has a line (`-l`).
    Name,
    /// The file's name, if it has none (`-L`).
    NameWithout,
    /// Nothing (`-q`).
    Nothing,
}

/// The options, by the letters of `grep`.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
#[allow(clippy::struct_excessive_bools, reason = "each is an option of its own")]
pub struct Options {
    /// What is wanted.
    pub wanted: Wanted,
    /// Patterns are extended expressions (`-E`), not fixed strings.
    pub is_extended: bool,
    /// Letters of ASCII stand for either case (`-i`).
    pub ignores_case: bool,
    /// Lines without a match are selected (`-v`).
    pub inverted: bool,
    /// A match has no letter, digit or underscore beside it (`-w`).
    pub words: bool,
    /// Boundaries of words are those of Unicode in UTF-8, as in a UTF-8 locale; otherwise those of ASCII.
    pub unicode_words: bool,
    /// A match is a whole line (`-x`).
    pub whole_lines: bool,
    /// With the file's name in front (`-H`).
    pub with_name: bool,
    /// With the line's number in front (`-n`).
    pub with_number: bool,
    /// With the offset in front (`-b`).
    pub with_offset: bool,
    /// Lines printed before and after each (`-B`, `-A`), groups of lines apart.
    pub around: Option<(u64, u64)>,
    /// Selected lines at most (`-m`).
    pub at_most: Option<u64>,
}

impl Options {
    /// Whether lines or parts of them are printed.
    pub const fn prints_lines(&self) -> bool {
        matches!(self.wanted, Wanted::Lines | Wanted::Parts)
    }

    /// Whether lines are printed that no match is in: all pages are sent then, and none is searched.
    pub const fn needs_all_pages(&self) -> bool {
        self.inverted && matches!(self.wanted, Wanted::Lines)
    }

    /// Whether nothing more can come of a file with so many selected lines.
    pub fn is_decided(&self, selected: u64) -> bool {
        let one_decides = matches!(self.wanted, Wanted::Name | Wanted::NameWithout | Wanted::Nothing);
        (one_decides && selected > 0) || self.at_most.is_some_and(|most| selected >= most)
    }
}
