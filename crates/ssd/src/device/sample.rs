//! What a drive has done up to an instant, for who looks at it from time to time.

use venice_kernel::{SimSpan, SimTime};

use crate::fabric::Fabric;
use crate::observe::{Sample, Work};

use super::Device;

impl<F: Fabric + ?Sized> Device<F> {
    /// What was done in the phase up to `now`, before which nothing is going to happen any more.
    pub fn sample(&self, now: SimTime) -> Sample {
        let counters = self.ftl_counters();
        let active: i128 = self.chips.active_since().map(|since| ps(now.since(since))).sum();
        Sample {
            issued: self.host.submitted(),
            chips_ps: ps(self.probes.recorder.chip_busy) + active,
            planes_ps: ps(self.probes.recorder.arrays.total()) - self.array_time_ahead(now),
            paths_ps: self.path_busy().into_iter().map(ps).sum(),
            work: Work {
                reads: counters.reads,
                programs: counters.programs,
                host_programs: counters.host_programs,
                gc_moves: counters.gc_moves,
                wear_moves: counters.wear_moves,
                erases: counters.erases,
            },
            free_blocks: self.ftl.free_blocks(),
        }
    }

    /// Array time that is recorded, since it is when an operation begins, and is still to come.
    fn array_time_ahead(&self, now: SimTime) -> i128 {
        self.chips.array_time_ahead(now).map(ps).sum()
    }
}

fn ps(span: SimSpan) -> i128 {
    i128::from(span.as_ps())
}
