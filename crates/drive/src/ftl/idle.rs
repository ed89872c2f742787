//! Detection of idle time, and garbage collection in it.
//!
//! # What it models
//! A drive is idle when the host has had no outstanding request for a configured time. Garbage collection then
//! continues until each plane has a target number of free blocks, and stops when the host issues a request. In
//! one idle time it collects at most as many victims as the drive has blocks, since it may never reach the
//! target: write-backs of the map entries of moved pages can make as many pages invalid as it reclaims.
//!
//! # How
//! [`IdleTimer`] detects idle time, for this collection and for folding of the pSLC cache. The collector asks
//! [`IdleCollection`] for the target, and stops the collections in progress when the idle time ends.
//!
//! # Source
//! Collection in idle time is described by Lee et al., "Preemptible I/O scheduling of garbage collection for
//! solid state drives", TCAD 2013.
//!
//! # Parameters
//! `ftl.gc_idle_us`, `ftl.gc_idle_free_blocks_pct`, `ftl.slc_idle_us`

use venice_kernel::{SimSpan, SimTime};

/// Detector of idle time: a time without outstanding host requests that is at least as long as configured.
#[derive(Clone, Copy, Debug)]
pub struct IdleTimer {
    wait: SimSpan,
    /// Time at which the current pause has lasted long enough.
    due: Option<SimTime>,
    is_idle: bool,
}

impl IdleTimer {
    /// Creates the detector of a drive that is idle after `wait` without host requests.
    pub const fn new(wait: SimSpan) -> Self {
        Self { wait, due: None, is_idle: false }
    }

    /// Returns true if the drive is idle.
    pub const fn is_idle(&self) -> bool {
        self.is_idle
    }

    /// Records the beginning or end of a pause, in which the host has no outstanding request. Returns the
    /// time at which [`Self::note_due`] must be called.
    pub fn note_pause(&mut self, is_paused: bool, now: SimTime) -> Option<SimTime> {
        self.is_idle = false;
        self.due = is_paused.then(|| now + self.wait);
        self.due
    }

    /// Records that the drive is idle, unless the host has issued a request in the meantime.
    pub fn note_due(&mut self, now: SimTime) {
        self.is_idle |= self.due == Some(now);
    }
}

/// Settings of garbage collection in idle time, which frees blocks in advance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IdleCollectionSettings {
    /// Time without outstanding host requests after which garbage collection continues.
    pub wait: SimSpan,
    /// Number of free blocks per plane at which garbage collection ends.
    pub free_blocks: u32,
}

/// Garbage collection in idle time.
#[derive(Clone, Copy, Debug)]
pub struct IdleCollection {
    /// Detector of idle time; `None` if garbage collection does not use it.
    timer: Option<IdleTimer>,
    free_blocks: u32,
    /// Maximum number of victims that are collected in one idle time.
    max_victims: u32,
    /// Number of free blocks up to which garbage collection continues now; 0 outside idle time.
    target: u32,
    /// Number of victims that may still be collected in this idle time.
    victims_left: u32,
}

impl IdleCollection {
    /// Creates the state at the start of a run of a drive with `blocks` blocks.
    pub fn new(settings: Option<IdleCollectionSettings>, blocks: u32) -> Self {
        Self {
            max_victims: blocks,
            victims_left: 0,
            timer: settings.map(|settings| IdleTimer::new(settings.wait)),
            free_blocks: settings.map_or(0, |settings| settings.free_blocks),
            target: 0,
        }
    }

    /// Returns the number of free blocks per plane up to which garbage collection continues now; 0 outside
    /// idle time.
    #[inline]
    pub const fn target(&self) -> u32 {
        self.target
    }

    /// Records the choice of a victim in idle time.
    pub const fn note_victim(&mut self) {
        self.victims_left = self.victims_left.saturating_sub(1);
        if self.victims_left == 0 {
            self.target = 0;
        }
    }

    /// Records the beginning or end of a pause, in which no host request is outstanding. Returns the time at
    /// which [`Self::note_due`] must be called, if any.
    pub fn note_pause(&mut self, is_paused: bool, now: SimTime) -> Option<SimTime> {
        self.target = 0;
        self.timer.as_mut()?.note_pause(is_paused, now)
    }

    /// Processes the timer that was set at the start of a pause. If the pause still lasts, the drive is idle.
    pub fn note_due(&mut self, now: SimTime) {
        let Some(timer) = &mut self.timer else { return };
        timer.note_due(now);
        self.target = if timer.is_idle() { self.free_blocks } else { 0 };
        self.victims_left = self.max_victims;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(us: u64) -> SimTime {
        SimTime::ZERO + SimSpan::from_us(us)
    }

    #[test]
    fn target_holds_from_the_end_of_the_wait_until_the_next_request() {
        let settings = IdleCollectionSettings { wait: SimSpan::from_us(100), free_blocks: 7 };
        let mut idle = IdleCollection::new(Some(settings), 2);
        assert_eq!(idle.note_pause(true, at(10)), Some(at(110)));
        assert_eq!(idle.note_pause(false, at(50)), None);
        assert_eq!(idle.note_pause(true, at(60)), Some(at(160)));
        idle.note_due(at(110));
        assert_eq!(idle.target(), 0, "the host has issued a request");
        idle.note_due(at(160));
        assert_eq!(idle.target(), 7);
        idle.note_pause(false, at(170));
        assert_eq!(idle.target(), 0);
    }

    #[test]
    fn idle_time_ends_for_collection_after_as_many_victims_as_blocks() {
        let settings = IdleCollectionSettings { wait: SimSpan::ZERO, free_blocks: 7 };
        let mut idle = IdleCollection::new(Some(settings), 2);
        for start in [10, 20] {
            idle.note_pause(true, at(start));
            idle.note_due(at(start));
            idle.note_victim();
            assert_eq!(idle.target(), 7);
            idle.note_victim();
            assert_eq!(idle.target(), 0);
        }
    }

    #[test]
    fn drive_without_the_setting_is_never_idle() {
        let mut idle = IdleCollection::new(None, 2);
        assert_eq!(idle.note_pause(true, at(10)), None);
        idle.note_due(at(10));
        assert_eq!(idle.target(), 0);
    }
}
