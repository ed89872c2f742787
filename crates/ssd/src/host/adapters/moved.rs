//! Requests moved along the address space, all by the same distance.
//!
//! # What it models
//!
//! A flow that knows only its own sectors, from zero, gets its place on a drive that it shares with others;
//! or requests recorded on such a drive become the flow's own again.
//!
//! # How
//!
//! Forwards, the distance is added. Backwards, it is subtracted; a request that begins before the distance
//! was never the flow's, and stays where it is.
//!
//! # What is left out
//!
//! Nothing is kept inside a space: see [`Folded`](super::Folded).
//!
//! # Source
//!
//! Elementary.
//!
//! # Parameters
//!
//! The distance, in sectors.

use crate::host::request::{HostRequest, RequestSource, SourceError};

/// Moves the addresses of another source.
pub struct Moved<S> {
    inner: S,
    distance: Distance,
}

#[derive(Clone, Copy)]
enum Distance {
    Forwards(u64),
    Backwards(u64),
}

impl<S: RequestSource> Moved<S> {
    /// The requests of `inner`, `sectors` further on.
    pub fn new(inner: S, sectors: u64) -> Self {
        Self { inner, distance: Distance::Forwards(sectors) }
    }

    /// The requests of `inner`, `sectors` further back.
    pub fn back(inner: S, sectors: u64) -> Self {
        Self { inner, distance: Distance::Backwards(sectors) }
    }

    #[inline]
    fn place(&self, start_sector: u64) -> u64 {
        match self.distance {
            Distance::Forwards(sectors) => start_sector + sectors,
            Distance::Backwards(sectors) => start_sector.checked_sub(sectors).unwrap_or(start_sector),
        }
    }
}

impl<S: RequestSource> RequestSource for Moved<S> {
    fn fill(&mut self, into: &mut Vec<HostRequest>, at_most: usize) -> Result<usize, SourceError> {
        let before = into.len();
        let given = self.inner.fill(into, at_most);
        for request in &mut into[before..] {
            request.start_sector = self.place(request.start_sector);
        }
        given
    }

    passes_on!(label, is_synthetic, total, format_choice, counters);
}

#[cfg(test)]
mod tests {
    use venice_kernel::SimTime;

    use super::*;
    use crate::host::request::Op;

    struct Starts(Vec<u64>);

    impl RequestSource for Starts {
        fn fill(&mut self, into: &mut Vec<HostRequest>, _: usize) -> Result<usize, SourceError> {
            let request = |start_sector| HostRequest {
                arrival: SimTime::ZERO,
                start_sector,
                sectors: 8,
                queue: 0,
                op: Op::Read,
            };
            into.extend(self.0.drain(..).map(request));
            Ok(0)
        }

        fn label(&self) -> &'static str {
            "starts"
        }

        fn is_synthetic(&self) -> bool {
            true
        }
    }

    fn starts(mut source: impl RequestSource, already: u64) -> Vec<u64> {
        let mut all = Vec::new();
        Starts(vec![already]).fill(&mut all, 1).unwrap();
        source.fill(&mut all, 9).unwrap();
        all.iter().map(|request| request.start_sector).collect()
    }

    #[test]
    fn what_was_moved_on_can_be_moved_back_and_nothing_else_moves() {
        assert_eq!(starts(Moved::new(Starts(vec![0, 7]), 100), 5), [5, 100, 107]);
        assert_eq!(starts(Moved::back(Starts(vec![100, 107]), 100), 5), [5, 0, 7]);
    }

    #[test]
    fn what_lies_before_the_distance_stays() {
        assert_eq!(starts(Moved::back(Starts(vec![99]), 100), 5), [5, 99]);
    }
}
