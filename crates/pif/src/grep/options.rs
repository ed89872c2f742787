//! Options of `venice grep`.

/// Output mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum OutputMode {
    /// Print the selected lines.
    #[default]
    Lines,
    /// Matching parts of lines, one per line (`-o`).
    Parts,
    /// Number of selected lines (`-c`).
    Count,
    /// Name of a file with a selected line (`-l`).
    Name,
    /// Name of a file without a selected line (`-L`).
    NameWithout,
    /// Print nothing (`-q`).
    Nothing,
}

/// Options of a search, with the letters of `grep`.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
#[allow(clippy::struct_excessive_bools, reason = "each is an option of its own")]
pub struct Options {
    /// Output mode.
    pub wanted: OutputMode,
    /// Extended regular expressions (`-E`) instead of fixed strings.
    pub is_extended: bool,
    /// ASCII letters match both cases (`-i`).
    pub ignores_case: bool,
    /// Selection of lines without a match (`-v`).
    pub inverted: bool,
    /// Whole words only: no letter, digit or underscore next to a match (`-w`).
    pub words: bool,
    /// Word boundaries by Unicode rules, as in a UTF-8 locale; otherwise by ASCII rules.
    pub unicode_words: bool,
    /// Whole lines only (`-x`).
    pub whole_lines: bool,
    /// File name before each line (`-H`).
    pub with_name: bool,
    /// Line number before each line (`-n`).
    pub with_number: bool,
    /// Byte offset before each line (`-b`).
    pub with_offset: bool,
    /// Context lines before and after each selected line (`-B`, `-A`), with separators between groups.
    pub around: Option<(u64, u64)>,
    /// Maximum number of selected lines (`-m`).
    pub at_most: Option<u64>,
}

impl Options {
    /// Returns true if lines or parts of lines are printed.
    pub const fn prints_lines(&self) -> bool {
        matches!(self.wanted, OutputMode::Lines | OutputMode::Parts)
    }

    /// Returns true if lines without a match are printed. All pages are then read without a search.
    pub const fn needs_all_pages(&self) -> bool {
        self.inverted && matches!(self.wanted, OutputMode::Lines)
    }

    /// Returns true if further lines cannot change the output of a file with `selected` selected lines.
    pub fn is_decided(&self, selected: u64) -> bool {
        let one_decides =
            matches!(self.wanted, OutputMode::Name | OutputMode::NameWithout | OutputMode::Nothing);
        (one_decides && selected > 0) || self.at_most.is_some_and(|most| selected >= most)
    }
}
