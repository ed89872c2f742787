//! Lines as `grep` writes them.

use super::Options;

/// What stands between a selected line and what is in front of it.
pub const SELECTED: u8 = b':';
/// The same for lines around it.
pub const AROUND: u8 = b'-';
/// What stands between groups of lines.
const GROUPS: &[u8] = b"--\n";

/// Collects what is to be printed.
#[derive(Clone, Debug, Default)]
pub struct Printer {
    /// The file's name.
    pub name: Vec<u8>,
    /// What was not taken yet.
    pub output: Vec<u8>,
}

impl Printer {
    /// A line or a part of one, with what is to be in front of it.
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

    /// How many lines there are.
    pub fn count(&mut self, options: &Options, count: u64) {
        self.name_first(options, SELECTED);
        self.output.extend_from_slice(format!("{count}\n").as_bytes());
    }

    /// The file's name alone.
    pub fn name_alone(&mut self) {
        self.output.extend_from_slice(&self.name);
        self.output.push(b'\n');
    }

    /// What stands between groups.
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
