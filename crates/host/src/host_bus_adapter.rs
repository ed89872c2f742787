//! SATA host bus adapter (HBA): a fixed processing delay per request and per completion.
//!
//! # What it models
//! The adapter delays requests on their way to the command queue and completions on their way back. Each
//! direction processes one at a time.
//!
//! # Source
//! MQSim (Tavakkol et al., FAST 2018), `SATA_HBA.cpp`.
//!
//! # Parameters
//! `host.adapter_delay_ns`

use venice_kernel::{SimSpan, SimTime};

/// One direction of the adapter.
#[derive(Clone, Copy, Debug)]
pub(super) struct HostBusAdapter {
    delay: SimSpan,
    free_at: SimTime,
}

impl HostBusAdapter {
    pub(super) const fn new(delay: SimSpan) -> Self {
        Self { delay, free_at: SimTime::ZERO }
    }

    /// Returns the instant at which a request or completion that arrives at `now` leaves the adapter.
    #[inline]
    pub(super) fn pass(&mut self, now: SimTime) -> SimTime {
        self.free_at = self.free_at.max(now) + self.delay;
        self.free_at
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_arrives_together_passes_one_after_the_other() {
        let mut adapter = HostBusAdapter::new(SimSpan::from_ps(10));
        let passes = [3, 3, 40].map(|ps| adapter.pass(SimTime::from_ps(ps)).as_ps());
        assert_eq!(passes, [13, 23, 50]);
    }
}
