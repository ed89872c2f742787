//! The link between host and drive.
//!
//! # What it models
//! Two directions, each of limited rate, each first come first served: a message starts when the
//! one before it has left, takes its bytes at the link's rate, and arrives a fixed latency later.
//!
//! # What is left out
//! Packet headers and payload limits, credits, doorbells.
//!
//! # Parameters
//! `host.link_rate_mb_per_s`, `host.link_latency_ns`

use venice_kernel::{Rate, SimSpan, SimTime};

/// One direction of the link.
#[derive(Clone, Copy, Debug)]
pub struct HostLink {
    rate: Rate,
    latency: SimSpan,
    free_at: SimTime,
}

impl HostLink {
    /// An idle direction.
    pub const fn new(rate: Rate, latency: SimSpan) -> Self {
        Self { rate, latency, free_at: SimTime::ZERO }
    }

    /// Sends `bytes` as soon as what was sent before has left. Returns when they arrive.
    #[inline]
    pub fn send(&mut self, bytes: u64, now: SimTime) -> SimTime {
        self.free_at = self.free_at.max(now) + self.rate.time_for(bytes);
        self.free_at + self.latency
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_follow_each_other_at_the_rate_of_the_link() {
        let mut link = HostLink::new(Rate::from_mb_per_s(1000.0), SimSpan::from_ns(5));
        assert_eq!(link.send(100, SimTime::ZERO), SimTime::from_ps(105_000));
        assert_eq!(link.send(100, SimTime::from_ps(40_000)), SimTime::from_ps(205_000));
        assert_eq!(link.send(1, SimTime::from_ps(900_000)), SimTime::from_ps(906_000));
    }
}
