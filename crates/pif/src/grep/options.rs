//! Options of `venice grep`.

/// Output mode of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum OutputMode {
    /// Print the selected lines.
    #[default]
    Lines,
    /// Print only the matching parts of lines, each on a separate line (`-o`).
    Parts,
    /// Print the number of selected lines (`-c`).
    Count,
    /// Print the names of files with a selected line (`-l`).
    Name,
    /// Print the names of files without a selected line (`-L`).
    NameWithout,
    /// Print nothing (`-q`).
    Nothing,
}

/// Options of a search, with the corresponding options of `grep`.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
#[allow(clippy::struct_excessive_bools, reason = "each is an option of its own")]
pub struct Options {
    /// Output mode of the search.
    pub wanted: OutputMode,
    /// Patterns are extended regular expressions (`-E`) instead of fixed strings.
    pub is_extended: bool,
    /// ASCII letters match both cases (`-i`).
    pub ignores_case: bool,
    /// Select the lines without a match (`-v`).
    pub inverted: bool,
    /// Match only whole words: no letter, digit or underscore next to a match (`-w`).
    pub words: bool,
    /// Word boundaries follow Unicode rules, as in a UTF-8 locale, instead of ASCII rules.
    pub unicode_words: bool,
    /// Match only whole lines (`-x`).
    pub whole_lines: bool,
    /// Print the file name before each line (`-H`).
    pub with_name: bool,
    /// Print the line number before each line (`-n`).
    pub with_number: bool,
    /// Print the byte offset before each line (`-b`).
    pub with_offset: bool,
    /// Maximum numbers of context lines before and after each selected line (`-B`, `-A`). Groups of lines are
    /// then separated.
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

    /// Returns true if the output for a file is final after `selected` selected lines, whatever the other
    /// lines are.
    pub fn is_decided(&self, selected: u64) -> bool {
        let one_decides =
            matches!(self.wanted, OutputMode::Name | OutputMode::NameWithout | OutputMode::Nothing);
        (one_decides && selected > 0) || self.at_most.is_some_and(|most| selected >= most)
    }
}
