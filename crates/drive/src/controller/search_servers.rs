//! Matchers of searches outside the chips: in the controller and in the host.
//!
//! # What it models
//! The controller has several matchers, each of which processes one page at a time, in order of arrival. The
//! host processes pages one after the other with all its cores.
//!
//! # Parameters
//! `pif.accelerators`, `pif.controller_rate_mb_per_s`, `pif.host_rate_mb_per_s`

use venice_kernel::{Rate, SimSpan, SimTime};

/// Group of equal matchers outside the chips, with a common queue of pages.
#[derive(Clone, Debug)]
pub struct SearchServers {
    rate: Rate,
    /// Instant at which each matcher has finished all pages accepted so far.
    free_at: Vec<SimTime>,
}

impl SearchServers {
    /// Creates `count` idle matchers, each of which processes data at the rate `rate`.
    pub fn new(count: u32, rate: Rate) -> Self {
        Self { rate, free_at: vec![SimTime::ZERO; count.max(1) as usize] }
    }

    /// Accepts a page of `bytes` bytes that arrives at `now`. Returns the end of its search, and the time for which
    /// it occupies a matcher.
    pub fn accept(&mut self, bytes: u64, now: SimTime) -> (SimTime, SimSpan) {
        let time = self.rate.time_for(bytes);
        let earlier = |first, next| if self.free_at[next] < self.free_at[first] { next } else { first };
        let first = (1..self.free_at.len()).fold(0, earlier);
        let end = now.max(self.free_at[first]) + time;
        self.free_at[first] = end;
        (end, time)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn page_takes_the_matcher_that_is_free_first() {
        let at = SimTime::from_ps;
        let mut servers = SearchServers::new(2, Rate::from_ps_per_bytes(1, 1));
        assert_eq!(servers.accept(100, at(0)), (at(100), SimSpan::from_ps(100)));
        assert_eq!(servers.accept(50, at(10)).0, at(60));
        assert_eq!(servers.accept(50, at(20)).0, at(110));
        assert_eq!(servers.accept(1, at(500)).0, at(501));
    }
}
