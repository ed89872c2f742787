//! What reading a page comes to.

use super::Fate;

/// What reading a page comes to, whatever it holds.
#[derive(Clone, Debug)]
pub(super) struct Outcome {
    pub(super) fate: Fate,
    /// Sub-pages in which bits are wrong after all, and these.
    pub(super) left: Vec<(usize, Vec<u16>)>,
}

#[cfg(test)]
impl Outcome {
    /// A page of which nothing is wrong in the end.
    pub(super) fn of(fate: Fate) -> Self {
        Self { fate, left: Vec::new() }
    }
}
