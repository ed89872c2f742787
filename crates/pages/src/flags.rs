//! Truths, a bit each (`PLAIN`).

/// The truths of a page.
#[derive(Default)]
pub struct Flags {
    bits: Vec<u8>,
    count: usize,
}

impl Flags {
    /// Further truths: `of` each of these.
    #[inline]
    pub fn extend<T>(&mut self, from: &[T], of: impl Fn(&T) -> bool) {
        let begun = self.count;
        self.count += from.len();
        self.bits.resize(self.count.div_ceil(8), 0);
        for (place, each) in (begun..).zip(from) {
            self.bits[place / 8] |= u8::from(of(each)) << (place % 8);
        }
    }

    /// Appends all truths to a page, and begins anew. Gives how many they are.
    pub fn finish(&mut self, page: &mut Vec<u8>) -> usize {
        page.append(&mut self.bits);
        std::mem::take(&mut self.count)
    }
}
