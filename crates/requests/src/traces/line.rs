//! Formatting of requests as lines of a trace, the inverse of parsing by [`TraceFormat`].

use super::TraceFormat;
use crate::request::{HostRequest, Op, SECTOR_BYTES};

/// Request to be written, with its number and time.
#[derive(Clone, Copy, Debug)]
pub(super) struct NumberedRequest {
    /// Number of the request, from 1.
    pub(super) number: u64,
    /// Arrival time in ticks of the format.
    pub(super) ticks: u64,
    /// Request to be written as a line.
    pub(super) request: HostRequest,
}

impl NumberedRequest {
    /// Returns the start address in bytes.
    pub(super) const fn offset(&self) -> u64 {
        self.request.start_sector * SECTOR_BYTES as u64
    }

    /// Returns the length in bytes.
    pub(super) const fn bytes(&self) -> u64 {
        self.request.sectors as u64 * SECTOR_BYTES as u64
    }

    /// Returns `read` for a read or gather, and `write` for other operations. Trace formats do not
    /// distinguish gathers from reads.
    pub(super) fn op<T>(&self, read: T, write: T) -> T {
        if self.request.op.side() == Op::Read { read } else { write }
    }
}

/// Text buffer to which a line is appended piece by piece.
#[derive(Default)]
pub(super) struct LineBuffer {
    text: Vec<u8>,
    digits: itoa::Buffer,
}

impl LineBuffer {
    /// Appends `text` to the buffer.
    #[inline]
    pub(super) fn text(&mut self, text: &str) -> &mut Self {
        self.text.extend_from_slice(text.as_bytes());
        self
    }

    /// Appends an integer to the buffer.
    #[inline]
    pub(super) fn number(&mut self, number: impl Into<u64>) -> &mut Self {
        self.text.extend_from_slice(self.digits.format(number.into()).as_bytes());
        self
    }

    /// Appends integers to the buffer, with `separator` before each.
    #[inline]
    pub(super) fn numbers(&mut self, separator: &str, numbers: &[u64]) -> &mut Self {
        for &number in numbers {
            self.text(separator).number(number);
        }
        self
    }

    /// Appends a decimal number with exactly `decimals` decimals. `number` is in units of 10^-`decimals`.
    #[inline]
    pub(super) fn decimal(&mut self, number: u64, decimals: u32) -> &mut Self {
        let unit = 10_u64.pow(decimals);
        self.number(number / unit).text(".");
        let fraction = self.digits.format(number % unit);
        self.text.extend(std::iter::repeat_n(b'0', decimals as usize - fraction.len()));
        self.text.extend_from_slice(fraction.as_bytes());
        self
    }

    /// Returns the text in the buffer.
    pub(super) fn as_bytes(&self) -> &[u8] {
        &self.text
    }

    /// Clears the buffer.
    pub(super) fn clear(&mut self) {
        self.text.clear();
    }
}

/// Trace format that can be written as text.
pub(super) trait TraceText: TraceFormat {
    /// Header that is written before the first request.
    const HEADER: &'static str = "";
    /// True if the format has a device column.
    const HAS_DEVICES: bool = true;
    /// Operations of the format other than reads and writes.
    const OTHER_OPS: &'static [Op] = &[];

    /// Appends a request as a line, without the line end.
    fn write(request: &NumberedRequest, line: &mut LineBuffer);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decimal(number: u64, decimals: u32) -> String {
        let mut line = LineBuffer::default();
        line.decimal(number, decimals);
        String::from_utf8(line.text).unwrap()
    }

    #[test]
    fn decimals_keep_their_zeros() {
        assert_eq!(decimal(0, 3), "0.000");
        assert_eq!(decimal(1_050, 3), "1.050");
        assert_eq!(decimal(7, 9), "0.000000007");
        assert_eq!(decimal(u64::MAX, 9), "18446744073.709551615");
    }
}
