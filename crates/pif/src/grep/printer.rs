//! Output format of `grep`.

use super::Options;

/// Separator after the prefixes (file name, line number, byte offset) of a selected line.
pub const SELECTED: u8 = b':';
/// Separator after the prefixes (file name, line number, byte offset) of a context line.
pub const AROUND: u8 = b'-';
/// Separator line between groups of adjacent lines.
const GROUPS: &[u8] = b"--\n";

/// Output buffer of one file.
#[derive(Clone, Debug, Default)]
pub struct Printer {
    /// Name of the searched file.
    pub name: Vec<u8>,
    /// Output that the caller has not retrieved yet.
    pub output: Vec<u8>,
}

impl Printer {
    /// Writes a line or a part of one, after the prefixes that `options` select.
    pub fn line(&mut self, options: &Options, mark: u8, number: u64, offset: usize, text: &[u8]) {
        self.name_first(options, mark);
        if options.with_number {
            self.number(number, mark);
        }
        if options.with_offset {
            self.number(offset as u64, mark);
        }
        self.output.extend_from_slice(text);
        self.output.push(b'\n');
    }

    /// Writes the number of selected lines.
    pub fn count(&mut self, options: &Options, count: u64) {
        self.name_first(options, SELECTED);
        self.output.extend_from_slice(format!("{count}\n").as_bytes());
    }

    /// Writes the file name on a separate line.
    pub fn name_alone(&mut self) {
        self.output.extend_from_slice(&self.name);
        self.output.push(b'\n');
    }

    /// Writes the separator line between groups of adjacent lines.
    pub fn group(&mut self) {
        self.output.extend_from_slice(GROUPS);
    }

    fn name_first(&mut self, options: &Options, mark: u8) {
        if options.with_name {
            self.output.extend_from_slice(&self.name);
            self.output.push(mark);
        }
    }

    fn number(&mut self, number: u64, mark: u8) {
        self.output.extend_from_slice(format!("{number}").as_bytes());
        self.output.push(mark);
    }
}
